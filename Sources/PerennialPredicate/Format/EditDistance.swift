// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Finds the word that was probably meant.
enum EditDistance {
  /// The candidate nearest to a word, when it is near enough to be a slip of the finger.
  static func suggestion(for word: String, among candidates: [String]) -> String? {
    let letters = Array(word.uppercased().utf8.prefix(40))
    let limit = letters.count <= 3 ? 1 : letters.count <= 6 ? 2 : 3
    let nearest = candidates.map { candidate in
      (candidate, Slips.count(from: letters, to: Array(candidate.uppercased().utf8)))
    }.min { $0.1 < $1.1 }
    guard let (candidate, distance) = nearest, distance <= limit, distance < letters.count else {
      return nil
    }
    return candidate
  }
}
