// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The frame around a program's commands: help, errors, interruption and the exit code.
///
/// ```swift
/// @main enum Main {
///   static func main() async {
///     await ConsoleProgram(tool, color: Options.color).runAndExit { arguments, terminal in … }
///   }
/// }
/// ```
public struct ConsoleProgram: Sendable {
  private let tool: CommandLineTool
  private let color: Option<ColorPolicy>
  private let explain: @Sendable (any Error) -> CommandFailure?

  /// Makes a program.
  ///
  /// - Parameters:
  ///   - tool: The command line.
  ///   - color: The option of `tool` that chooses the colours.
  ///   - explain: Turns an error of a library into one for the user, nil when it is unknown.
  public init(
    _ tool: CommandLineTool,
    color: Option<ColorPolicy>,
    explain: @escaping @Sendable (any Error) -> CommandFailure? = { _ in nil }
  ) {
    self.tool = tool
    self.color = color
    self.explain = explain
  }

  /// Runs the command that this process was started with, and ends the process.
  ///
  /// The command runs in a task of its own, which Ctrl-C cancels.
  public func runAndExit(
    _ body: @escaping @Sendable (ParsedArguments, Terminal) async throws -> Void
  ) async -> Never {
    FileWriter.ignoreBrokenPipeSignals()
    Interruption.install()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let task = Task { await run(arguments, body: body) }
    Interruption.cancels(task)
    exit(await task.value.rawValue)
  }

  /// Runs a command.
  ///
  /// - Parameters:
  ///   - arguments: The command line, without the program's name.
  ///   - given: Where to write, nil for the terminal of this process.
  ///   - body: Does the work. The output is flushed after it.
  /// - Returns: The exit code. A reader that went away is a success.
  public func run(
    _ arguments: [String],
    terminal given: Terminal? = nil,
    body: (ParsedArguments, Terminal) async throws -> Void
  ) async -> ExitCode {
    let environment = ProcessInfo.processInfo.environment
    var terminal = given ?? .standard(environment: environment)
    do {
      switch try tool.parse(arguments) {
      case .print(let text):
        try terminal.output.write(text)
      case .run(let parsed):
        terminal = given ?? .standard(color: parsed[color] ?? .auto, environment: environment)
        try await body(parsed, terminal)
      }
      try terminal.output.flush()
      return .success
    } catch {
      return finish(after: error, terminal)
    }
  }

  private func finish(after error: any Error, _ terminal: Terminal) -> ExitCode {
    if error is FileWriter.BrokenPipe { return .success }
    if let status = error as? ExitCode {
      do { try terminal.output.flush() } catch { return finish(after: error, terminal) }
      return status
    }
    // What was printed before the error comes first.
    try? terminal.output.flush()
    if error is Interruption.Cancelled || error is CancellationError || Interruption.isPending {
      terminal.note("\(tool.name): cancelled")
      return .cancelled
    }
    let failure =
      error as? CommandFailure ?? explain(error)
      ?? CommandFailure(String(describing: error).escapedForTerminal)
    terminal.report(failure, program: tool.name)
    return failure.status
  }
}
