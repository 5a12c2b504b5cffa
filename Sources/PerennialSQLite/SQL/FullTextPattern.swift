// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// What a full-text index is asked for a condition on a text.
///
/// A text that satisfies the condition contains some pieces, and so every trigram of them.
struct FullTextPattern {
  /// The query in FTS5's language: trigrams, all of which a text must have.
  let query: String
  let exception: FullTextIndex.Exception

  /// More trigrams hardly select fewer rows, and each costs a list of them.
  private static let greatestCount = 12

  /// The pattern of a condition, or `nil` when the index cannot help: no piece has three scalars, or
  /// the pieces are folded in a way that FTS5 does not know.
  init?(_ comparator: Comparison.Operator, _ text: String, _ options: StringComparisonOptions) {
    let options = options.effective
    guard options.isDisjoint(with: [.localized, .widthInsensitive]),
      var pieces = Self.pieces(comparator, text)
    else { return nil }
    if options.contains(.diacriticInsensitive) {
      pieces = pieces.map { TextMatcher.fold($0, options) }
      guard pieces.allSatisfy({ $0.utf8.allSatisfy { (1...0x7E).contains($0) } }) else {
        return nil
      }
      exception = .beyondASCII
    } else {
      guard pieces.allSatisfy({ $0.unicodeScalars.allSatisfy(FullTextFolding.contains) }) else {
        return nil
      }
      exception = .foldedOtherwise
    }
    let trigrams = pieces.flatMap(Self.trigrams)
    guard !trigrams.isEmpty else { return nil }
    let step = (trigrams.count + Self.greatestCount - 1) / Self.greatestCount
    var terms = String.UnicodeScalarView()
    for index in stride(from: 0, to: trigrams.count, by: step) {
      if index > 0 { terms.append(contentsOf: " AND ".unicodeScalars) }
      Self.append(trigrams[index], to: &terms)
    }
    query = String(terms)
  }

  /// What every text that satisfies the condition contains; `nil` for an operator that says nothing.
  private static func pieces(_ comparator: Comparison.Operator, _ text: String) -> [String]? {
    switch comparator {
    case .contains, .beginsWith, .endsWith, .equal: [text]
    case .like: LikePattern(text).pieces
    default: nil
    }
  }

  private static func trigrams(of piece: String) -> [ArraySlice<Unicode.Scalar>] {
    let scalars = Array(piece.unicodeScalars)
    guard scalars.count >= 3 else { return [] }
    return (0...scalars.count - 3).map { scalars[$0..<$0 + 3] }
  }

  /// Appends a trigram as a string of FTS5's language.
  private static func append(
    _ trigram: ArraySlice<Unicode.Scalar>,
    to terms: inout String.UnicodeScalarView
  ) {
    terms.append("\"")
    for scalar in trigram {
      if scalar == "\"" { terms.append(scalar) }
      terms.append(scalar)
    }
    terms.append("\"")
  }
}

/// Conditions that full-text indexes narrow.
extension PredicateTranslator {
  /// The rows of `t0` that may satisfy a condition, or `nil` when no index knows.
  ///
  /// A conjunction is narrowed by what narrows one of its conditions, a disjunction when each of its
  /// conditions is.
  func candidates(_ node: PredicateNode, _ scope: Scope) -> ConditionText? {
    switch node {
    case .constant, .not: return nil
    case .and(let nodes):
      let found = nodes.compactMap { candidates($0, scope) }
      return found.isEmpty ? nil : .all(found)
    case .or(let nodes):
      let found = nodes.compactMap { candidates($0, scope) }
      return found.count == nodes.count ? .any(found) : nil
    case .comparison(let comparison): return candidates(comparison, scope)
    }
  }

  private func candidates(_ comparison: Comparison, _ scope: Scope) -> ConditionText? {
    guard !fullTextIndexes.isEmpty, comparison.modifier == .direct,
      comparison.comparator != .equal || !comparison.options.effective.isEmpty,
      case .constant(.string(let text)) = comparison.right.folded,
      case .keyPath(.object, let steps) = comparison.left.folded,
      case (.attribute(_, .string), steps.count)? = property(steps[...], of: scope.object),
      let index = fullTextIndex(of: steps, scope.object),
      let pattern = FullTextPattern(comparison.comparator, text, comparison.options)
    else { return nil }
    return ConditionText(
      "\(scope.object.alias).Z_PK IN (\(index.candidates(and: pattern.exception)))",
      [.text(pattern.query)]
    )
  }

  private func fullTextIndex(of steps: [String], _ row: Row) -> FullTextIndex? {
    let entity = schema.model.entities[row.entity]
    guard let slot = entity.slotsByName[steps.joined(separator: ".")],
      let column = schema.column(of: slot, in: row.entity)
    else { return nil }
    let index = FullTextIndex(table: schema.table(of: row.entity), column: column.name)
    return fullTextIndexes.contains(index) ? index : nil
  }
}
