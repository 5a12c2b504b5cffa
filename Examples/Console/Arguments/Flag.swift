// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An option without a value: `--name`.
public struct Flag: Sendable {
  /// The name without the dashes.
  public let name: String
  /// What the flag does: a phrase that begins with a verb.
  public let help: String

  /// Makes a flag.
  public init(_ name: String, help: String) {
    self.name = name
    self.help = help
  }
}
