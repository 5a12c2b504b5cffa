// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles

/// Reads a model and writes Swift source.
///
/// What it says has the form of the compiler's messages, so that editors lead to the line of the model.
struct Generator {
  /// Takes a line that says what was done.
  let say: (String) -> Void
  /// Takes a line that says what is wrong.
  let complain: (String) -> Void

  /// Runs the program.
  ///
  /// - Parameter arguments: Those of the command line.
  /// - Returns: The exit code: 0, 1 for a model that cannot be read or a file that cannot be written, 2 for
  ///   wrong arguments.
  func run(_ arguments: [String]) -> Int32 {
    if arguments == ["--help"] {
      say(Arguments.usage)
      return 0
    }
    do throws(Arguments.Mistake) {
      return run(try Arguments(arguments))
    } catch {
      complain("error: \(error.message)\n\n\(Arguments.usage)")
      return 2
    }
  }

  private func run(_ arguments: Arguments) -> Int32 {
    guard let options = options(arguments) else { return 1 }
    let file: ModelFile
    do throws(PerennialError) {
      file = try ModelFile(contentsOf: arguments.model)
    } catch {
      report(error, of: arguments.model)
      return 1
    }
    let contents: URL
    do throws(PerennialError) {
      contents = file.url(ofVersion: try file.currentVersionName) ?? arguments.model
    } catch {
      report(error, of: arguments.model)
      return 1
    }
    do throws(PerennialError) {
      let document = try file.current()
      let name = arguments.model.deletingPathExtension().lastPathComponent
      for diagnostic in document.diagnostics {
        report(diagnostic.isError ? "error" : "warning", diagnostic, of: contents)
      }
      if document.diagnostics.contains(where: \.isError) { return 1 }
      switch arguments.target {
      case .file(let output):
        let source = document.swiftSource(named: name, options: options)
        report(source, of: contents)
        return write(source.text, to: output)
      case .folder(let folder):
        let source = document.handwrittenSource(named: name, options: options)
        report(source, of: contents)
        return write(source.files, into: folder)
      }
    } catch {
      report(error, of: contents)
      return 1
    }
  }

  // MARK: Files

  private func options(_ arguments: Arguments) -> SwiftOptions? {
    guard let url = arguments.options else { return SwiftOptions() }
    do throws(OptionsFile.Mistake) {
      let model = arguments.model.deletingPathExtension().lastPathComponent
      return try OptionsFile(url).options(for: model)
    } catch {
      complain("\(url.path):1: error: \(error.message)")
      return nil
    }
  }

  private func write(_ text: String, to file: URL) -> Int32 {
    do {
      // An equal file stays as it is, so that nothing is compiled again.
      if let former = try? Data(contentsOf: file), former == Data(text.utf8) { return 0 }
      try Data(text.utf8).write(to: file, options: .atomic)
      return 0
    } catch {
      complain("error: '\(file.path)' cannot be written: \(error)")
      return 1
    }
  }

  private func write(_ files: [SwiftFile], into folder: URL) -> Int32 {
    if files.isEmpty { say("nothing to write: the build generates every class") }
    for file in files {
      let url = folder.appending(path: file.name)
      if FileManager.default.fileExists(atPath: url.path) {
        say("kept  \(url.path)")
        continue
      }
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(file.text.utf8).write(to: url, options: .withoutOverwriting)
      } catch {
        complain("error: '\(url.path)' cannot be written: \(error)")
        return 1
      }
      say("wrote \(url.path)")
    }
    return 0
  }

  // MARK: Messages

  private func report(_ source: SwiftSource, of file: URL) {
    for warning in source.warnings { report("warning", warning, of: file) }
    for note in source.notes { report("note", note, of: file) }
  }

  private func report(_ kind: String, _ diagnostic: ModelDiagnostic, of file: URL) {
    complain("\(file.path):\(diagnostic.line): \(kind): \(diagnostic.message)")
  }

  private func report(_ error: PerennialError, of file: URL) {
    for problem in error.problems.isEmpty ? [error] : error.problems {
      let (line, message) = place(of: problem.message)
      let recovery = problem.recovery.isEmpty ? "" : "; \(problem.recovery)"
      complain("\(file.path):\(line): error: \(message)\(recovery)")
    }
  }

  /// The line that an error's message begins with or contains, and the rest without the full stop.
  private func place(of message: String) -> (line: Int, message: String) {
    var message = message.hasSuffix(".") ? String(message.dropLast()) : message
    var line = 1
    if let match = message.firstMatch(of: /[Ll]ine ([0-9]+)/) {
      line = Int(match.1) ?? 1
      if match.range.lowerBound == message.startIndex {
        message = String(message[match.range.upperBound...].drop { $0 == ":" || $0 == " " })
      }
    }
    return (line, message)
  }
}
