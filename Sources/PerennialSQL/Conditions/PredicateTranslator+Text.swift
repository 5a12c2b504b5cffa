// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// `BEGINSWITH`, `ENDSWITH`, `LIKE` and `MATCHES`.
extension PredicateTranslator {
  /// What is asked of two texts: how they begin or end, or a pattern.
  mutating func text(_ pair: Pair, _ relation: TextRelation) -> ConditionText? {
    switch sides(of: pair) {
    case nil: return nil
    case .valueAndConstant(let text, let kind, let value)?:
      if value.isNull { return nullity(text, relation) }
      guard case .string(let pattern) = value else {
        return kind == .opaque || kind == .data ? nil : truth(false)
      }
      switch kind {
      case .string: return matching(text, relation, pattern, pair.options)
      case .opaque: return nil
      default: return mismatch(relation, pattern, pair.options)
      }
    case .constantAndValue(let value, let text, let kind)?:
      if value.isNull { return nullity(text, relation) }
      guard case .string(let string) = value, kind == .string else { return nil }
      return dialect.text(relation, SQLText("?", [.text(string)]), .value(text), pair.options)
    case .values(let a, .string, let b, .string)?:
      guard let matches = dialect.text(relation, a, .value(b), pair.options) else { return nil }
      return relation == .like ? .any([matches, bothNull(a, b)], dialect) : matches
    case .values?: return nil
    }
  }

  /// No value is like no value; nothing else holds of one.
  private func nullity(_ text: SQLText, _ relation: TextRelation) -> ConditionText {
    relation == .like ? .isNull(text) : truth(false)
  }

  /// A pattern against a column that holds no text: false, unless the pattern itself is wrong.
  private func mismatch(
    _ relation: TextRelation,
    _ pattern: String,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    relation == .matches && !isPattern(pattern, options) ? nil : truth(false)
  }

  private func isPattern(_ pattern: String, _ options: StringComparisonOptions) -> Bool {
    (try? PatternMatcher.matcher(for: pattern, options)) != nil
  }

  private func matching(
    _ text: SQLText,
    _ relation: TextRelation,
    _ pattern: String,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    switch relation {
    case .begins where pattern.isEmpty, .ends where pattern.isEmpty: return truth(false)
    case .begins where options.isEmpty: return range(text, startingWith: pattern)
    case .like where options.isEmpty:
      return like(text, LikePattern(pattern)) ?? likeInRange(text, pattern)
    case .matches where !isPattern(pattern, options): return nil
    default: return dialect.text(relation, text, .constant(pattern), options)
    }
  }

  // MARK: Ranges

  /// Texts with a prefix lie between it and the text behind all of them: an index can be used.
  private func range(_ text: SQLText, startingWith prefix: String) -> ConditionText {
    let lower = ConditionText("\(text.sql) >= ?", text.bindings + [.text(prefix)])
    guard let end = LikePattern.successor(of: prefix) else { return lower }
    let upper = ConditionText("\(text.sql) < ?", text.bindings + [.text(end)])
    return .all([lower, upper], dialect)
  }

  /// Patterns that need no matching.
  private func like(_ text: SQLText, _ pattern: LikePattern) -> ConditionText? {
    switch pattern.shape {
    case .exactly(let string):
      dialect.equality(text, SQLText("?", [.text(string)]), mayBeNull: false)
    case .anything: ConditionText.isNull(text).negated
    case .prefix(let prefix): range(text, startingWith: prefix)
    case .part(let part):
      dialect.text(.contains, text, .constant(part), [])
    case .other: nil
    }
  }

  private func likeInRange(_ text: SQLText, _ pattern: String) -> ConditionText? {
    guard let matches = dialect.text(.like, text, .constant(pattern), []) else { return nil }
    let prefix = LikePattern(pattern).prefix
    return prefix.isEmpty ? matches : .all([range(text, startingWith: prefix), matches], dialect)
  }
}
