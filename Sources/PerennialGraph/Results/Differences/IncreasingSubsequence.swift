// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Which elements of a sequence may stay where they are, so that the fewest have to move.
enum IncreasingSubsequence {
  /// The places of a longest strictly increasing subsequence, ascending.
  ///
  /// Of several it is the one that patience sorting finds: each value goes on the first pile whose top
  /// is not less, and the last pile's top is followed back. So of two that swap, the second one stays.
  ///
  /// - Complexity: O(n log n); O(n) when the values increase.
  static func longest(_ values: [Int]) -> [Int] {
    var piles: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (place, value) in values.enumerated() {
      let pile = firstPile(piles, values, atLeast: value)
      if pile > 0 { previous[place] = piles[pile - 1] }
      if pile == piles.count {
        piles.append(place)
      } else {
        piles[pile] = place
      }
    }
    return path(to: piles.last ?? -1, previous)
  }

  private static func firstPile(_ piles: [Int], _ values: [Int], atLeast value: Int) -> Int {
    guard let last = piles.last, values[last] >= value else { return piles.count }
    var (low, high) = (0, piles.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if values[piles[middle]] < value {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// The places of a strictly increasing subsequence of the greatest weight, ascending.
  ///
  /// Of several it is the one that ends with the least value.
  ///
  /// - Parameters:
  ///   - values: Numbers from 0 up to, and without, `bound`.
  ///   - weights: What each element counts, more than 0.
  ///   - bound: More than each value.
  /// - Returns: Places of `values`.
  /// - Complexity: O(n log bound).
  static func heaviest(_ values: [Int], weights: [Int], below bound: Int) -> [Int] {
    // A tree of prefix maxima: entry i knows the best place among the values of a range that ends at i.
    var best = [Int](repeating: -1, count: bound + 1)
    var totals = weights
    var previous = [Int](repeating: -1, count: values.count)
    func isBetter(_ place: Int, than other: Int) -> Bool {
      guard place >= 0, other >= 0 else { return place >= 0 }
      return (totals[place], values[other]) > (totals[other], values[place])
    }
    func bestPlace(below value: Int) -> Int {
      var (entry, found) = (value, -1)
      while entry > 0 {
        if isBetter(best[entry], than: found) { found = best[entry] }
        entry &= entry - 1
      }
      return found
    }
    for (place, value) in values.enumerated() {
      previous[place] = bestPlace(below: value)
      if previous[place] >= 0 { totals[place] += totals[previous[place]] }
      var entry = value + 1
      while entry <= bound {
        if isBetter(place, than: best[entry]) { best[entry] = place }
        entry += entry & -entry
      }
    }
    return path(to: bestPlace(below: bound), previous)
  }

  private static func path(to last: Int, _ previous: [Int]) -> [Int] {
    var places: [Int] = []
    var place = last
    while place >= 0 {
      places.append(place)
      place = previous[place]
    }
    return places.reversed()
  }
}
