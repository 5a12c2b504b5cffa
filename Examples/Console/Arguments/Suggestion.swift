// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Finds the name that a mistyped word most likely meant.
public enum Suggestion {
  /// The name with the fewest edits, nil when every name differs too much to be meant.
  ///
  /// - Parameters:
  ///   - word: What was typed.
  ///   - names: What may be meant.
  /// - Returns: One of the names; capitals of names and word do not matter.
  /// - Complexity: O(n·m) characters for each name.
  public static func closest(to word: String, in names: [String]) -> String? {
    let typed = word.lowercased()
    let allowed = max(1, typed.count / 3)
    let candidates = names.compactMap { name -> (name: String, edits: Int)? in
      let lowercased = name.lowercased()
      if typed.count >= 2, lowercased.hasPrefix(typed) { return (name, 0) }
      let edits = editDistance(Array(typed), Array(lowercased))
      return edits <= allowed ? (name, edits) : nil
    }
    return candidates.min { $0.edits < $1.edits }?.name
  }

  /// Insertions, deletions, replacements and swaps of neighbours between two words.
  static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in 1...left.count {
      var current = [row]
      for column in 1...right.count {
        let isSame = left[row - 1] == right[column - 1]
        var edits = min(
          previous[column] + 1,
          current[column - 1] + 1,
          previous[column - 1] + (isSame ? 0 : 1)
        )
        let isSwap =
          row > 1 && column > 1 && left[row - 1] == right[column - 2]
          && left[row - 2] == right[column - 1]
        if isSwap { edits = min(edits, beforePrevious[column - 2] + 1) }
        current.append(edits)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[right.count]
  }
}
