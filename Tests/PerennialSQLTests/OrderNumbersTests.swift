// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialSQL
import RandomTesting
import Testing

@Suite("Numbers of ordered members")
struct OrderNumbersTests {
  @Test func `numbers ascend after any sequence of moves`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    var numbers: [Int64: Int64] = [:]
    var order: [Int64] = []
    for step in 0..<300 {
      if order.count < 12 || step % 7 == 0 { order.append(Int64(step)) }
      order.swapAt(
        Int.random(in: 0..<order.count, using: &random),
        Int.random(in: 0..<order.count, using: &random)
      )
      let assigned = OrderNumbers.assign(order.map { numbers[$0] })
      #expect(assigned.count == order.count, "seed \(seed)")
      #expect(zip(assigned, assigned.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
      #expect(assigned.allSatisfy { $0 > 0 }, "seed \(seed)")
      numbers = Dictionary(uniqueKeysWithValues: zip(order, assigned))
    }
  }
}
