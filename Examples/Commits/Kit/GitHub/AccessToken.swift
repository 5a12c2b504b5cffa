// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// A secret that shows a server who asks.
///
/// It does not print itself.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible {
  let text: String

  /// Takes a token from an environment variable.
  ///
  /// - Throws: ``CommandFailure`` when the variable is not set, or holds what is no token.
  public init(
    variable name: String,
    environment: [String: String]
  ) throws(CommandFailure) {
    let value = environment[name] ?? ""
    guard !value.isEmpty else {
      throw .usage(
        "the environment variable '\(name.escapedForTerminal)' is not set",
        "Set it to a token of yours, or leave '--token-env' out."
      )
    }
    guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .usage(
        "the environment variable '\(name.escapedForTerminal)' holds no token",
        "A token has only letters, digits and signs, without spaces or line breaks."
      )
    }
    text = value
  }

  /// Dots.
  public var description: String { "•••" }
}
