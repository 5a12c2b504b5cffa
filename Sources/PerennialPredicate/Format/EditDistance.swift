// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Finds the word that was probably meant.
enum EditDistance {
  /// The candidate nearest to a word, when it is near enough to be a slip of the finger.
  static func suggestion(for word: String, among candidates: [String]) -> String? {
    let letters = Array(word.uppercased().utf8.prefix(40))
    let limit = letters.count <= 3 ? 1 : letters.count <= 6 ? 2 : 3
    let nearest = candidates.map { ($0, distance(letters, Array($0.uppercased().utf8))) }
      .min { $0.1 < $1.1 }
    guard let (candidate, distance) = nearest, distance <= limit, distance < letters.count else {
      return nil
    }
    return candidate
  }

  /// How many letters to insert, remove, replace or swap with their neighbour.
  static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for row in 0..<first.count {
      var current = [row + 1]
      for column in 0..<second.count {
        let isSame = first[row] == second[column]
        var cost = min(
          last[column + 1] + 1,
          current[column] + 1,
          last[column] + (isSame ? 0 : 1)
        )
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
