// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The colours of a program's output; a style without colour leaves texts as they are.
public struct Style: Sendable, Hashable {
  /// Whether texts are coloured.
  public let isColored: Bool

  /// Makes a style.
  public init(isColored: Bool) {
    self.isColored = isColored
  }

  /// What a text is, which decides how it looks.
  public enum Role: Sendable {
    /// A title.
    case title
    /// An identifier.
    case identifier
    /// The name of a person.
    case name
    /// Something of less weight, such as a date.
    case secondary
    /// Something that has just changed.
    case changed
    /// The word that opens an error.
    case error
  }

  /// A text in the colours of its role.
  ///
  /// Its control characters are not escaped.
  public func callAsFunction(_ text: String, _ role: Role) -> String {
    isColored ? "\u{1B}[\(role.code)m\(text)\u{1B}[0m" : text
  }
}

extension Style.Role {
  fileprivate var code: String {
    switch self {
    case .title: "1"
    case .identifier: "33"
    case .name: "36"
    case .secondary: "2"
    case .changed: "7"
    case .error: "1;31"
    }
  }
}
