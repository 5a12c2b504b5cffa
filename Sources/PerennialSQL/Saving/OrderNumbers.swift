// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The sparse, ascending numbers that keep an ordered relationship's order (FORMAT 2.6).
package enum OrderNumbers {
  /// How far apart new numbers are.
  package static let step: Int64 = 1024

  /// Numbers for members in their new order, ascending, with as few changes as possible.
  ///
  /// - Parameter current: The numbers that the members have; `nil` for none yet.
  /// - Returns: As many numbers. New members at the end go 1,024 beyond the last; others into the
  ///   gaps between members that stay; without a gap all are numbered 2048, 3072, …
  package static func assign(_ current: [Int64?]) -> [Int64] {
    var numbers = [Int64?](repeating: nil, count: current.count)
    for index in longestAscent(of: current) { numbers[index] = current[index] }
    var result: [Int64] = []
    var index = 0
    while index < numbers.count {
      if let number = numbers[index] {
        result.append(number)
        index += 1
        continue
      }
      let end = numbers[index...].firstIndex { $0 != nil } ?? numbers.count
      let low = result.last
      let count = Int64(end - index)
      if end == numbers.count {
        let last = low ?? step
        guard last <= Int64.max - (count + 1) * step else { return renumbered(current.count) }
        result += (1...count).map { last + $0 * step }
      } else {
        let start = low ?? 0
        guard let high = numbers[end], high > start else { return renumbered(current.count) }
        // The numbers are as the store has them.
        let (distance, isBeyond) = high.subtractingReportingOverflow(start)
        let gap = distance / (count + 1)
        guard !isBeyond, gap > 0 else { return renumbered(current.count) }
        result += (1...count).map { start + $0 * gap }
      }
      index = end
    }
    return result
  }

  private static func renumbered(_ count: Int) -> [Int64] {
    (0..<count).map { Int64($0 + 2) * step }
  }

  /// The places of a longest strictly ascending run of the numbers, gaps allowed.
  private static func longestAscent(of numbers: [Int64?]) -> [Int] {
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      guard let number else { continue }
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if let tail = numbers[tails[middle]], tail < number {
          low = middle + 1
        } else {
          high = middle
        }
      }
      previous[index] = low > 0 ? tails[low - 1] : nil
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var places: [Int] = []
    var place = tails.last
    while let current = place {
      places.append(current)
      place = previous[current]
    }
    return places.reversed()
  }
}
