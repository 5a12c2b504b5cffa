// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The parts of `#Predicate` about text that Foundation has on Apple's systems only. They have the
// names that they have there, so that the same predicates compile everywhere.

#if !canImport(Darwin)
public import Foundation

extension PredicateExpressions {
  /// Whether a text contains another by the rules of the locale, ignoring case and diacritics.
  ///
  /// Foundation on Apple's systems: the type of the same name.
  public struct StringLocalizedStandardContains<
    Root: PredicateExpression,
    Other: PredicateExpression
  >: PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// Whether the text was found.
    public typealias Output = Bool

    /// The text to look into.
    public let root: Root
    /// The text to look for.
    public let other: Other

    /// A search for one text in another.
    ///
    /// - Parameters:
    ///   - root: The expression of the text to look into.
    ///   - other: The expression of the text to look for.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Searches the text.
    ///
    /// - Parameter bindings: The values of the predicate's variables.
    /// - Returns: Whether the text contains the other.
    /// - Throws: What `root` or `other` throws, such as the error of a variable without a value.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let (text, part) = (try root.evaluate(bindings), try other.evaluate(bindings))
      return text.localizedStandardContains(part)
    }
  }

  /// How two texts are ordered, ignoring case.
  ///
  /// Foundation on Apple's systems: the type of the same name.
  public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order.
    public typealias Output = ComparisonResult

    /// The first text.
    public let root: Root
    /// The second text.
    public let other: Other

    /// A comparison of two texts.
    ///
    /// - Parameters:
    ///   - root: The expression of the first text.
    ///   - other: The expression of the second text.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Compares the texts.
    ///
    /// - Parameter bindings: The values of the predicate's variables.
    /// - Returns: `orderedAscending` when the first text is before the second, `orderedSame` when they are equal.
    /// - Throws: What `root` or `other` throws, such as the error of a variable without a value.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let (first, second) = (try root.evaluate(bindings), try other.evaluate(bindings))
      return first.caseInsensitiveCompare(second)
    }
  }

  /// How two texts are ordered by the rules of the locale.
  ///
  /// Foundation on Apple's systems: the type of the same name.
  public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order.
    public typealias Output = ComparisonResult

    /// The first text.
    public let root: Root
    /// The second text.
    public let other: Other

    /// A comparison of two texts.
    ///
    /// - Parameters:
    ///   - root: The expression of the first text.
    ///   - other: The expression of the second text.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Compares the texts.
    ///
    /// - Parameter bindings: The values of the predicate's variables.
    /// - Returns: `orderedAscending` when the first text is before the second, `orderedSame` when they are equal.
    /// - Throws: What `root` or `other` throws, such as the error of a variable without a value.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let (first, second) = (try root.evaluate(bindings), try other.evaluate(bindings))
      return first.localizedCompare(second)
    }
  }

  // MARK: What the macro calls

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// What `#Predicate` calls for `localizedStandardContains`.
  ///
  /// - Parameters:
  ///   - root: The expression of the text to look into.
  ///   - other: The expression of the text to look for.
  /// - Returns: The expression; nothing is evaluated.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// What `#Predicate` calls for `caseInsensitiveCompare`.
  ///
  /// - Parameters:
  ///   - root: The expression of the first text.
  ///   - other: The expression of the second text.
  /// - Returns: The expression; nothing is evaluated.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    StringCaseInsensitiveCompare(root: root, other: other)
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// What `#Predicate` calls for `localizedCompare`.
  ///
  /// - Parameters:
  ///   - root: The expression of the first text.
  ///   - other: The expression of the second text.
  /// - Returns: The expression; nothing is evaluated.
  public static func build_localizedCompare<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringLocalizedCompare<Root, Other> {
    StringLocalizedCompare(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedCompare: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable
where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Codable
where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedCompare: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
