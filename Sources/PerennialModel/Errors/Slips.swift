// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Slips of the finger.
package enum Slips {
  /// How many letters to insert, remove, replace or swap with their neighbour.
  package static func count<Letter: Equatable>(from first: [Letter], to second: [Letter]) -> Int {
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
