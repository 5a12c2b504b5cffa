// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// A predicate in the form that a store of your own translates into its language.
///
/// ```swift
/// func sql(_ condition: StoreCondition) throws -> String {
///   switch condition {
///   case .and(let parts): try "(" + parts.map(sql).joined(separator: " AND ") + ")"
///   case .comparison(let path, .equal, .integer(let number), _) where path.count == 1:
///     "\(path[0]) IS \(number)"
///   default: throw PreferInMemory.filter
///   }
/// }
/// ```
///
/// A translation must give exactly the rows that the predicate selects. Logic has two values. nil equals nil,
/// so `<=` and `>=` are true of two nils; all other comparisons with nil are false, except `!=`, which is true
/// unless both values are nil. Text is compared by its UTF-8 bytes unless the options say otherwise.
public indirect enum StoreCondition: Sendable, Hashable {
  /// Always true or always false.
  case constant(Bool)
  /// True when every condition is.
  case and([StoreCondition])
  /// True when one of the conditions is.
  case or([StoreCondition])
  /// True when the condition is false.
  case not(StoreCondition)
  /// What a key path leads to, compared with a value.
  ///
  /// The keys are those of the format: a property of the object or of one that to-one relationships lead to, but perhaps also
  /// an element of a composite attribute (`address`, `city`), a to-many relationship that contains an object, or the `length`
  /// of a text. Look each key up, and leave to memory what you do not translate.
  case comparison([String], Operator, PropertyValue, StringComparisonOptions)
  /// A property that equals one of several values; `.null` equals an absent value.
  case membership([String], [PropertyValue])
  /// Any other condition, as the format language writes it.
  case other(String)

  /// How a property is compared with a value.
  public enum Operator: String, Sendable, Hashable, CaseIterable {
    /// Equal.
    case equal = "=="
    /// Not equal.
    case notEqual = "!="
    /// Before.
    case less = "<"
    /// Before or equal.
    case lessOrEqual = "<="
    /// After.
    case greater = ">"
    /// After or equal.
    case greaterOrEqual = ">="
    /// The text contains the value; no text contains the empty one.
    case contains = "CONTAINS"
    /// The text begins with the value; no text begins with the empty one.
    case beginsWith = "BEGINSWITH"
    /// The text ends with the value; no text ends with the empty one.
    case endsWith = "ENDSWITH"
    /// The whole text matches a pattern with `?` and `*`.
    case like = "LIKE"
    /// The whole text matches a regular expression.
    case matches = "MATCHES"
  }
}

extension FetchPredicate {
  /// The predicate in a form that can be translated.
  ///
  /// - Throws: ``PerennialError`` with code `predicateFormat` when the predicate is not valid; a store never
  ///   gets such a predicate.
  public var condition: StoreCondition {
    get throws(PerennialError) { StoreCondition(try checked()) }
  }
}

extension StoreCondition {
  fileprivate init(_ node: PredicateNode) {
    switch node {
    case .constant(let value): self = .constant(value)
    case .and(let nodes): self = .and(nodes.map(StoreCondition.init))
    case .or(let nodes): self = .or(nodes.map(StoreCondition.init))
    case .not(let node): self = .not(StoreCondition(node))
    case .comparison(let comparison): self = Self.simple(comparison) ?? .other(text(of: node))
    }
  }

  private static func simple(_ comparison: Comparison) -> StoreCondition? {
    guard comparison.modifier == .direct, case .keyPath(.object, let path) = comparison.left else {
      return nil
    }
    if comparison.comparator == .isIn, case .list(let elements) = comparison.right,
      comparison.options.isEmpty
    {
      let values = elements.compactMap { element -> PropertyValue? in
        if case .constant(let value) = element { value } else { nil }
      }
      return values.count == elements.count ? .membership(path, values) : nil
    }
    guard case .constant(let value) = comparison.right,
      let comparator = Operator(rawValue: comparison.comparator.rawValue)
    else { return nil }
    return .comparison(path, comparator, value, comparison.options)
  }
}

private func text(of node: PredicateNode) -> String { FormatPrinter.text(of: node) }
