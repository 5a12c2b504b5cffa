// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
import Foundation
public import Perennial

extension CommandFailure {
  /// What the user reads about an error of the store: of several problems each with what to do about it.
  public init(_ error: PerennialError) {
    let status: ExitCode = error.code == .persistentStoreTimeout ? .tryLater : .failure
    guard error.problems.count > 1 else {
      self.init(
        error.message.shownLines.withoutFullStop,
        advice: error.recovery.shownLines.asSentence,
        status: status
      )
      return
    }
    var lines = error.problems.prefix(Self.problemLimit).map { problem in
      "- \(problem.message.shownLines) \(problem.recovery.shownLines.asSentence)"
    }
    let rest = error.problems.count - lines.count
    if rest > 0 { lines.append("- and \(rest) more") }
    self.init(
      error.message.shownLines.withoutFullStop,
      advice: lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n"),
      status: status
    )
  }

  /// How many problems are shown.
  private static let problemLimit = 20
}

extension CommandFailure {
  /// Turns the errors that a wrong predicate format causes into errors of the command line.
  ///
  /// - Parameters:
  ///   - option: The name of the option that holds the format, nil when it was not given.
  ///   - body: Reads the format, or fetches with it.
  /// - Throws: What `body` throws, or the error of the command line.
  public static func explainingFormat(
    of option: String?,
    _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as PerennialError {
      guard let option, error.isAboutFormat else { throw error }
      let failure = CommandFailure(error)
      throw CommandFailure.usage("'--\(option)': \(failure.message)", failure.advice)
    }
  }
}

extension PerennialError {
  /// Whether a predicate format may have caused the error.
  fileprivate var isAboutFormat: Bool {
    [.predicateFormat, .predicateEvaluation, .unknownName, .typeMismatch].contains(code)
  }
}

extension String {
  /// The lines of a text of the library, safe to show.
  fileprivate var shownLines: String {
    linesEscapedForTerminal.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }

  /// The text with a capital letter and a full stop; a command at its beginning stays as it is.
  fileprivate var asSentence: String {
    guard let first, first.isLetter else { return self }
    let end = last.map { ".?!:'".contains($0) } ?? true ? "" : "."
    return first.uppercased() + dropFirst() + end
  }
}
