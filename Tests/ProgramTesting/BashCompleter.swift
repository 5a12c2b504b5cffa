// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// Completes command lines in bash as the Tab key does: by the function that a script has registered.
public struct BashCompleter: Sendable {
  private let bash: Program
  private let name: String
  private let script: URL

  /// Makes a completer.
  ///
  /// - Parameters:
  ///   - name: The program whose command lines are completed.
  ///   - script: What `PROGRAM completions bash` prints.
  ///   - folder: A folder for the script, in which files are looked for, too.
  /// - Throws: An error when the script cannot be written.
  public init(_ name: String, script: String, in folder: URL) throws {
    self.name = name
    self.script = folder.appending(path: ".\(name)-completion")
    try Data(script.utf8).write(to: self.script)
    bash = .shell("bash", in: folder)
  }

  /// What is wrong with the script; empty when nothing is.
  public func complaints() async throws -> String {
    try await bash.run("-n", script.path).errors
  }

  /// What the Tab key offers behind some words, the last of which may be empty or half a word.
  public func completions(of words: String...) async throws -> [String] {
    try await completions(of: words)
  }

  /// What the Tab key offers behind some words, the last of which may be empty or half a word.
  public func completions(of words: [String]) async throws -> [String] {
    let commands = """
      source "$1"; shift
      registered="$(complete -p "$1")" || exit
      function="${registered#*-F }"
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
      "${function%% *}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let arguments = ["--norc", "-u", "-c", commands, "bash", script.path, name] + words
    let result = try await bash.run(arguments)
    guard result.status == 0, result.errors.isEmpty else { throw Failed(errors: result.errors) }
    return result.lines
  }

  /// The function failed or complained.
  public struct Failed: Error {
    /// What it complained about.
    public let errors: String
  }
}

extension Program {
  /// A program of the system such as a shell, by its name.
  public static func shell(_ name: String, in folder: URL) -> Program {
    let path = path(ofShell: name) ?? "/bin/\(name)"
    return Program(
      executable: URL(filePath: path),
      folder: folder,
      environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
    )
  }

  /// Whether the system has a program such as a shell.
  public static func hasShell(_ name: String) -> Bool { path(ofShell: name) != nil }

  private static func path(ofShell name: String) -> String? {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
