// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A literal is a format string, and every value interpolated into it is bound, never pasted:
/// `"message CONTAINS[c] \(word)"`.
extension FetchPredicate: ExpressibleByStringInterpolation {
  /// A predicate of a literal without interpolations.
  ///
  /// - Parameter value: The format string; when it is wrong, the fetch throws `predicateFormat` (200,001).
  public init(stringLiteral value: StaticString) {
    self.init { () throws(FormatError) in
      try FormatParser.parse(value.description, arguments: [], interpolations: [:])
    }
  }

  /// A predicate of a literal with interpolated values.
  ///
  /// - Parameter stringInterpolation: The parts; if they make no predicate, the fetch throws `predicateFormat`
  ///   (200,001).
  public init(stringInterpolation: StringInterpolation) {
    self.init { () throws(FormatError) in
      try FormatTemplates.parse(
        stringInterpolation.text,
        arguments: stringInterpolation.arguments,
        isInterpolated: true
      )
    }
  }

  /// The parts of an interpolated literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    /// The literal, with `%@` where a value stands.
    var text = ""
    /// The values in their order.
    var arguments: [FormatArgument] = []

    /// An empty literal.
    ///
    /// - Parameters:
    ///   - literalCapacity: About how many bytes of text will follow.
    ///   - interpolationCount: How many values and key paths will follow.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 2 * interpolationCount)
      arguments.reserveCapacity(interpolationCount)
    }

    /// Adds a part of the literal.
    ///
    /// - Parameter literal: A piece of a format string.
    public mutating func appendLiteral(_ literal: StaticString) {
      if literal.utf8CodeUnitCount > 0 { text += literal.description }
    }

    /// Adds a value, bound as `%@` binds it.
    ///
    /// - Parameter value: A value of a type that `%@` takes, a collection of such values, or `nil`.
    public mutating func appendInterpolation(_ value: Any?) {
      append(.any(value), as: .interpolation)
    }

    /// Adds a text, bound as `%@` binds it.
    ///
    /// - Parameter text: The text; nothing in it is read as format.
    public mutating func appendInterpolation(_ text: String) {
      append(.text(text), as: .interpolation)
    }

    /// Adds a key path made at run time, as `%K` adds it: `"\(key: name) == \(value)"`.
    ///
    /// - Parameter key: A property's name, or several with dots between them.
    public mutating func appendInterpolation(key: String) {
      append(.text(key), as: .interpolatedKey)
    }

    private mutating func append(_ value: FormatArgument.Value, as placeholder: FormatPlaceholder) {
      let place = FormatTemplate.Place(offset: text.utf8.count, placeholder: placeholder)
      arguments.append(FormatArgument(value: value, place: place))
      text += "%@"
    }
  }
}
