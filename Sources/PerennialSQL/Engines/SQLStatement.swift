// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A statement with the values of its parameters.
public struct SQLStatement: Sendable, Hashable {
  /// The text, with parameters marked as ``SQLEngine/parameter(_:)`` says.
  public var text: String
  /// The values, in the order of the marks.
  public var parameters: [SQLValue]

  /// A statement.
  ///
  /// - Parameters:
  ///   - text: The text, with its parameters marked.
  ///   - parameters: The values, in the order of the marks.
  public init(_ text: String, _ parameters: [SQLValue] = []) {
    self.text = text
    self.parameters = parameters
  }
}
