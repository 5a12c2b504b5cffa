// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A literal is a format string, and every value interpolated into it is bound, never pasted:
/// `"message CONTAINS[c] \(word)"`.
extension FetchPredicate: ExpressibleByStringInterpolation {
  /// A predicate of a literal without interpolations.
  public init(stringLiteral value: StaticString) {
    self.init { () throws(FormatError) in
      try FormatParser.parse(value.description, arguments: [], interpolations: [:])
    }
  }

  /// A predicate of a literal with interpolated values.
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
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 2 * interpolationCount)
      arguments.reserveCapacity(interpolationCount)
    }

    /// Adds a part of the literal.
    public mutating func appendLiteral(_ literal: StaticString) {
      if literal.utf8CodeUnitCount > 0 { text += literal.description }
    }

    /// Adds a value, bound as `%@` binds it.
    public mutating func appendInterpolation(_ value: Any?) {
      append(.any(value), as: .interpolation)
    }

    /// Adds a text, bound as `%@` binds it.
    public mutating func appendInterpolation(_ text: String) {
      append(.text(text), as: .interpolation)
    }

    /// Adds a key path made at run time, as `%K` adds it: `"\(key: name) == \(value)"`.
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
