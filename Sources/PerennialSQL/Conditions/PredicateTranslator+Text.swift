// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// `BEGINSWITH`, `ENDSWITH`, `LIKE` and `MATCHES`.
extension PredicateTranslator {
  func text(_ left: SQLOperand, _ right: SQLOperand, _ pair: Pair) -> ConditionText? {
    switch (left, right) {
    case (.constant, .constant): return nil
    case (.value(let text, let kind), .constant(let value)):
      if value.isNull { return pair.comparator == .like ? nullity(text) : truth(false) }
      guard case .string(let pattern) = value else {
        return kind == .opaque || kind == .data ? nil : truth(false)
      }
      switch kind {
      case .string: return matching(text, pair.comparator, pattern, pair.options)
      case .opaque: return nil
      default: return mismatch(pair.comparator, pattern, pair.options)
      }
    case (.constant(let value), .value(let text, let kind)):
      if value.isNull { return pair.comparator == .like ? nullity(text) : truth(false) }
      guard case .string(let string) = value, kind == .string else { return nil }
      return function(SQLText("?", [.text(string)]), pair.comparator, .value(text), pair.options)
    case (.value(let a, .string), .value(let b, .string)):
      guard let matches = function(a, pair.comparator, .value(b), pair.options) else { return nil }
      guard pair.comparator == .like else { return matches }
      return .any([matches, bothNull(a, b)], dialect)
    case (.value, .value): return nil
    }
  }

  private func nullity(_ text: SQLText) -> ConditionText { .isNull(text) }

  /// A pattern against a column that holds no text: false, unless the pattern itself is wrong.
  private func mismatch(
    _ comparator: Comparison.Operator,
    _ pattern: String,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    guard comparator == .matches else { return truth(false) }
    return isPattern(pattern, options) ? truth(false) : nil
  }

  private func isPattern(_ pattern: String, _ options: StringComparisonOptions) -> Bool {
    (try? PatternMatcher.matcher(for: pattern, options)) != nil
  }

  private func matching(
    _ text: SQLText,
    _ comparator: Comparison.Operator,
    _ pattern: String,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    switch comparator {
    case .beginsWith where pattern.isEmpty, .endsWith where pattern.isEmpty: return truth(false)
    case .beginsWith where options.isEmpty: return range(text, startingWith: pattern)
    case .like where options.isEmpty:
      return like(text, LikePattern(pattern)) ?? likeInRange(text, pattern)
    case .matches where !isPattern(pattern, options): return nil
    default: return function(text, comparator, .constant(pattern), options)
    }
  }

  private func function(
    _ left: SQLText,
    _ comparator: Comparison.Operator,
    _ right: TextOperand,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    switch comparator {
    case .beginsWith: dialect.text(.begins, left, right, options)
    case .endsWith: dialect.text(.ends, left, right, options)
    case .like: dialect.text(.like, left, right, options)
    case .matches: dialect.text(.matches, left, right, options)
    default: nil
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
