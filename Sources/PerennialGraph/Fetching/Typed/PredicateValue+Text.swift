// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialPredicate

// Text is compared by its bytes unless options say otherwise. An absent text satisfies none of these
// conditions, but equals another that is absent.

extension PredicateValue where Value == String {
  /// Whether the text contains another; no text contains the empty one.
  ///
  /// - Parameters:
  ///   - part: The text to look for.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where the text is absent.
  public func contains(
    _ part: String,
    _ options: StringComparisonOptions = []
  ) -> FetchPredicate {
    _term.compared(.contains, Self._constant(part), options)
  }

  /// Whether the text contains another; no text contains the empty one.
  ///
  /// - Parameters:
  ///   - part: The text to look for.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where either text is absent.
  public func contains(_ part: Self, _ options: StringComparisonOptions = []) -> FetchPredicate {
    _term.compared(.contains, part._term, options)
  }

  /// Whether the text begins with another; no text begins with the empty one.
  ///
  /// - Parameters:
  ///   - prefix: The beginning.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where the text is absent.
  public func hasPrefix(
    _ prefix: String,
    _ options: StringComparisonOptions = []
  ) -> FetchPredicate {
    _term.compared(.beginsWith, Self._constant(prefix), options)
  }

  /// Whether the text begins with another; no text begins with the empty one.
  ///
  /// - Parameters:
  ///   - prefix: The beginning.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where either text is absent.
  public func hasPrefix(_ prefix: Self, _ options: StringComparisonOptions = []) -> FetchPredicate {
    _term.compared(.beginsWith, prefix._term, options)
  }

  /// Whether the text ends with another; no text ends with the empty one.
  ///
  /// - Parameters:
  ///   - suffix: The end.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where the text is absent.
  public func hasSuffix(
    _ suffix: String,
    _ options: StringComparisonOptions = []
  ) -> FetchPredicate {
    _term.compared(.endsWith, Self._constant(suffix), options)
  }

  /// Whether the text ends with another; no text ends with the empty one.
  ///
  /// - Parameters:
  ///   - suffix: The end.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where either text is absent.
  public func hasSuffix(_ suffix: Self, _ options: StringComparisonOptions = []) -> FetchPredicate {
    _term.compared(.endsWith, suffix._term, options)
  }

  /// Whether the text equals another, with options: `$0.name.equals("zoë", .diacriticInsensitive)`.
  ///
  /// - Parameters:
  ///   - text: The other text.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where the text is absent.
  public func equals(
    _ text: String,
    _ options: StringComparisonOptions = []
  ) -> FetchPredicate {
    _term.compared(.equal, Self._constant(text), options)
  }

  /// Whether the text equals another, with options.
  ///
  /// - Parameters:
  ///   - text: The other text.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where only one text is absent, true where both are.
  public func equals(_ text: Self, _ options: StringComparisonOptions = []) -> FetchPredicate {
    _term.compared(.equal, text._term, options)
  }

  // MARK: Patterns

  /// Whether the whole text matches a pattern: `?` is any character, `*` any number of them.
  ///
  /// - Parameters:
  ///   - pattern: The pattern; a backslash makes the next character an ordinary one.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where the text is absent.
  public func like(
    _ pattern: String,
    _ options: StringComparisonOptions = []
  ) -> FetchPredicate {
    _term.compared(.like, Self._constant(pattern), options)
  }

  /// Whether the whole text matches a regular expression, as ICU and `NSRegularExpression` write it.
  ///
  /// - Parameters:
  ///   - pattern: The expression; a dot matches line ends, too.
  ///   - options: What the comparison ignores, such as case; with `[]` it compares the bytes.
  /// - Returns: The predicate; false where the text is absent. An invalid pattern is an error of the fetch (200002),
  ///   and so is one that takes more than a quarter of a second for one text.
  public func matches(
    _ pattern: String,
    _ options: StringComparisonOptions = []
  ) -> FetchPredicate {
    _term.compared(.matches, Self._constant(pattern), options)
  }

  // MARK: Functions

  /// The text in small letters.
  ///
  /// - Returns: The text, converted by Unicode's rules, whatever the locale; absent where this text is absent.
  public func lowercased() -> Self { PredicateValue(.call(.lowercase, _term)) }

  /// The text in capital letters.
  ///
  /// - Returns: The text, converted by Unicode's rules, whatever the locale; absent where this text is absent.
  public func uppercased() -> Self { PredicateValue(.call(.uppercase, _term)) }

  /// The length of the text in UTF-16 units, as `NSString.length` counts.
  public var length: PredicateValue<Int> { PredicateValue<Int>(.call(.length, _term)) }
}

extension PredicateValue where Value == URL {
  /// The URL as text.
  public var absoluteString: PredicateValue<String> {
    PredicateValue<String>(_term.property("absoluteString"))
  }
}
