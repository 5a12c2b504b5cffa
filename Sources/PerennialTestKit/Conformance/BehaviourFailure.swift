// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a store did wrong, in a full sentence.
public struct BehaviourFailure: Error, Sendable, CustomStringConvertible {
  /// What the store did wrong.
  public let message: String

  /// A failure.
  ///
  /// - Parameter message: What the store did wrong, in a full sentence.
  public init(_ message: String) { self.message = message }

  /// The message.
  public var description: String { message }
}
