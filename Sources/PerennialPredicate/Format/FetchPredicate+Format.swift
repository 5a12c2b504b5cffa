// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

extension FetchPredicate {
  /// A predicate from a format string that is fixed at compile time.
  ///
  /// ```swift
  /// FetchPredicate(format: "%K BEGINSWITH[c] %@ AND date > %@", "author.name", "jo", yesterday)
  /// ```
  ///
  /// `%@` takes any value, `%K` a key path, `%d` an integer, `%f` a number. A placeholder inside
  /// quotes is plain text. A wrong format or argument is kept as an error that the fetch throws.
  ///
  /// Core Data: `NSPredicate(format:_:)`.
  ///
  /// - Parameters:
  ///   - format: The format string: a literal without interpolations.
  ///   - arguments: A value for every placeholder, in their order: strings, booleans, numbers,
  ///     dates, UUIDs, URLs, data, object IDs, values with a raw value, collections of those, `nil`.
  public init(format: StaticString, _ arguments: (any Sendable)?...) {
    self.init(format: format, arguments: arguments)
  }

  /// A predicate from a format string that is fixed at compile time, with its arguments in an array.
  ///
  /// - Parameters:
  ///   - format: The format string: a literal without interpolations.
  ///   - arguments: A value for every placeholder, in their order.
  public init(format: StaticString, arguments: [(any Sendable)?]) {
    self.init { () throws(FormatError) in
      try FormatTemplates.content(
        format.description,
        arguments.map { FormatArgument(value: .any($0)) },
        isInterpolated: false
      )
    }
  }

  /// A predicate from a text that is made at run time.
  ///
  /// This is the only initializer that takes such a text. Never paste what a user typed into a text of yours:
  /// pass it as an argument.
  ///
  /// - Parameters:
  ///   - text: The format string.
  ///   - arguments: A value for every placeholder, in their order.
  /// - Throws: ``PerennialError`` with code `predicateFormat`; its message shows the place.
  public init(parsing text: String, arguments: [(any Sendable)?] = []) throws(PerennialError) {
    do throws(FormatError) {
      self.init(Content(try FormatParser.parse(text, arguments: arguments)))
    } catch {
      throw error.perennialError
    }
  }

  /// A predicate of a text made at run time whose mistakes the fetch throws.
  package init(keeping text: String, arguments: [Any?]) {
    self.init { () throws(FormatError) in
      Content(try FormatParser.parse(text, arguments: arguments))
    }
  }
}
