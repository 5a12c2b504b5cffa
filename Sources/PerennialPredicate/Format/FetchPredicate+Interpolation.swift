// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A literal is a format string, and every value interpolated into it is bound, never pasted:
/// `"message CONTAINS[c] \(word)"`.
extension FetchPredicate: ExpressibleByStringInterpolation {
  /// A predicate from a literal without interpolations.
  ///
  /// - Parameter value: The format string; when it is wrong, the fetch throws `predicateFormat` (200001).
  public init(stringLiteral value: StaticString) {
    self.init { () throws(FormatError) in
      Content(try FormatParser.parse(value.description, arguments: [], interpolations: [:]))
    }
  }

  /// A predicate from a literal with interpolated values.
  ///
  /// - Parameter stringInterpolation: The parts; if they make no predicate, the fetch throws `predicateFormat`
  ///   (200001).
  public init(stringInterpolation: consuming StringInterpolation) {
    self.init(stringInterpolation.content())
  }

  /// The parts of an interpolated literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    /// What there is so far.
    private enum Progress {
      case nothing, start, value
      /// More than that: the format has been written.
      case format
    }

    private var progress = Progress.nothing
    /// The literal's first part, and the value after it: most predicates have no more, and are found among the known
    /// formats by that part, without being written.
    private var start: StaticString = ""
    private var value = FormatArgument.Value.any(nil)
    /// The format: the literal, with `%@` where a value stands.
    private var text = ""
    /// The format's values in their order.
    private var arguments: [FormatArgument] = []

    /// An empty literal.
    ///
    /// - Parameters:
    ///   - literalCapacity: About how many bytes of text will follow.
    ///   - interpolationCount: How many values and key paths will follow.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds a part of the literal.
    ///
    /// - Parameter literal: A piece of a format string.
    public mutating func appendLiteral(_ literal: StaticString) {
      guard literal.utf8CodeUnitCount > 0 else { return }
      if case .nothing = progress {
        start = literal
        progress = .start
      } else {
        writeFormat()
        text += literal.description
      }
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
      if case .start = progress, placeholder == .interpolation {
        self.value = value
        progress = .value
      } else {
        writeFormat()
        write(value, as: placeholder)
      }
    }

    /// What the whole literal says, or what is wrong with it.
    fileprivate consuming func content() -> Content {
      if case .value = progress,
        let content = FormatTemplates.template(start: start)?.content(value)
      {
        return content
      }
      writeFormat()
      return Content { () throws(FormatError) in
        try FormatTemplates.content(text, arguments, isInterpolated: true)
      }
    }

    /// Writes the format so far, unless that has been done.
    private mutating func writeFormat() {
      if case .format = progress { return }
      text = start.description
      if case .value = progress { write(value, as: .interpolation) }
      progress = .format
    }

    private mutating func write(_ value: FormatArgument.Value, as placeholder: FormatPlaceholder) {
      let place = FormatTemplate.Place(offset: text.utf8.count, placeholder: placeholder)
      arguments.append(FormatArgument(value: value, place: place))
      text += FormatArgument.mark
    }
  }
}
