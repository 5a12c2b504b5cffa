// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate
import PerennialSQL

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

/// The full-text indexes that a file has.
struct FullTextIndexes: TextIndexes {
  let indexes: Set<FullTextIndex>

  func candidates(
    column: String,
    of table: String,
    alias: String,
    _ comparator: Comparison.Operator,
    _ text: String,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    let index = FullTextIndex(table: table, column: column)
    guard indexes.contains(index), let pattern = FullTextPattern(comparator, text, options) else {
      return nil
    }
    return ConditionText(
      "\(alias).Z_PK IN (\(index.candidates(and: pattern.exception)))",
      [.text(pattern.query)]
    )
  }
}
