// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An error for the user: what is wrong, what to do, and the exit code.
///
/// Both sentences are printed as they are, so they must not hold raw control characters; wrap text
/// that comes from outside with ``Swift/String/escapedForTerminal``.
public struct CommandFailure: Error, Sendable, Hashable {
  /// What is wrong, in one sentence, without a full stop.
  public var message: String
  /// What to do about it, in one sentence; empty when there is nothing to do.
  public var advice: String
  /// The exit code.
  public var status: ExitCode

  /// Makes a failure.
  public init(_ message: String, advice: String = "", status: ExitCode = .failure) {
    self.message = message
    self.advice = advice
    self.status = status
  }
}

extension CommandFailure: CustomStringConvertible {
  /// The message, and the advice on a second line when there is one.
  public var description: String {
    advice.isEmpty ? message : "\(message)\n\(advice)"
  }
}
