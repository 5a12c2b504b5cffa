// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// Runs the program `git`.
public struct Git: Sendable {
  /// The program.
  public let executable: URL
  private let environment: [String: String]

  /// Finds git in the folders of `PATH`.
  ///
  /// - Parameter environment: The environment variables of this process. Git gets them without
  ///   those that could lead it to another repository or change its output.
  /// - Throws: ``GitError/notInstalled``.
  public init(
    environment: [String: String]
  ) throws(GitError) {
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    let found =
      folders
      .map { URL(fileURLWithPath: String($0), isDirectory: true).appendingPathComponent("git") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    guard let found else { throw .notInstalled }
    self.executable = found
    self.environment = Self.safe(environment)
  }

  /// The environment for git: no `GIT_…` variable from outside, messages in English (they are
  /// compared with known ones), no prompt.
  static func safe(_ environment: [String: String]) -> [String: String] {
    var result = environment.filter { !$0.key.hasPrefix("GIT_") && $0.key != "LANGUAGE" }
    result["LC_ALL"] = "C"
    result["GIT_TERMINAL_PROMPT"] = "0"
    result["GIT_OPTIONAL_LOCKS"] = "0"
    return result
  }

  /// How a run of git ended.
  public struct Outcome: Sendable {
    /// The exit code.
    public let status: Int32
    /// What git wrote to standard error, at most the first 64 KiB.
    public let errorText: String
  }

  /// Runs git and hands its output on while it comes.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - folder: The folder to run in; it must exist.
  ///   - input: Writes what git reads from standard input; nil for nothing to read. Git must not
  ///     write more than a few lines before it has read all of it.
  ///   - output: Called with each piece of standard output. When it throws, git is stopped.
  /// - Returns: How git ended.
  /// - Throws: What `input` or `output` throws, and `Interruption.Cancelled` when the user
  ///   interrupts; git has ended in any case.
  public func run(
    _ arguments: [String],
    in folder: URL,
    input: ((FileHandle) throws -> Void)? = nil,
    output: ([UInt8]) throws -> Void = { _ in }
  ) throws -> Outcome {
    var process = GitProcess(executable, arguments, in: folder, environment: environment)
    return try process.run(input: input, output: output)
  }

  /// Runs git and returns its output as text.
  ///
  /// - Throws: `Interruption.Cancelled` when the user interrupts.
  public func text(
    of arguments: [String],
    in folder: URL
  ) throws -> (outcome: Outcome, text: String) {
    var bytes: [UInt8] = []
    let outcome = try run(arguments, in: folder, output: { bytes += $0 })
    return (outcome, String(decoding: bytes, as: UTF8.self))
  }
}
