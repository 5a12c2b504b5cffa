// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting
import Testing

@testable import PerennialGraph

@Suite("Aggregates: sums without error")
struct ExactSumTests {
  private func sum(_ numbers: [Double]) -> Double {
    var sum = ExactSum()
    for number in numbers { sum.add(number) }
    return sum.value
  }

  @Test(
    arguments: [
      ([], 0), ([0.1], 0.1), ([-0.1], -0.1), ([1e16, 1, -1e16], 1), ([1, 1e100, 1, -1e100], 2),
      ([1e308, 1e308, -1e308], 1e308), ([1e308, 1e308], .infinity), ([-1e308, -1e308], -.infinity),
      ([0x1p-1074, 0x1p-1074], 0x1p-1073), ([0x1p-1074, 1, -1], 0x1p-1074),
      ([1, 0x1p-1074, -0x1p-1074], 1),
      ([.infinity, 1], .infinity), ([-.infinity, 1], -.infinity),
      ([1, 0x1p-53, 0x1p-53], 1 + 0x1p-52), ([1, 0x1p-53], 1),
      ([1, 0x1p-53, 0x1p-1074], 1 + 0x1p-52),
      ([0.1, 0.2, 0.3, -0.3, -0.2, -0.1], 0),
      ([.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude], 0x1p-1074),
    ] as [([Double], Double)]
  )
  func `a sum is the exact one, rounded`(_ numbers: [Double], _ expected: Double) {
    #expect(sum(numbers) == expected)
    #expect(sum(numbers.reversed()) == expected)
  }

  @Test func `opposite infinities, and what is no number, have no sum until they are taken away`() {
    var sum = ExactSum()
    for number in [1.5, .infinity, -.infinity, .nan] { sum.add(number) }
    #expect(sum.value.isNaN)
    sum.subtract(.nan)
    #expect(sum.value.isNaN)
    sum.subtract(.infinity)
    #expect(sum.value == -.infinity)
    sum.subtract(-.infinity)
    #expect(sum.value == 1.5)
  }

  @Test(arguments: PropertyRuns.seeds(usually: 50))
  func `random numbers add up exactly, and to nothing when all are taken away`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var sum = ExactSum()
    // Whole numbers of a millionth of a half's power, which integers add without error.
    var exact: Int128 = 0
    var others: [Double] = []
    for _ in 0..<300 {
      let whole = Int64.random(in: -(1 << 52)...(1 << 52), using: &generator)
      exact += Int128(whole)
      sum.add(Double(whole) * 0x1p-20)
      let bits = UInt64.random(in: 0...(.max), using: &generator)
      let other = Double(bitPattern: bits)
      others.append(other)
      sum.add(other)
    }
    for other in others.shuffled(using: &generator) { sum.subtract(other) }
    #expect(sum.value == Double(exact) * 0x1p-20, "seed \(seed)")
  }
}
