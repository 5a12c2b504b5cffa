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

  @Test(
    arguments: [
      // No number fits between the neighbours.
      [2048, nil, 2049],
      // None is left beyond the last.
      [2048, .max - 1024, nil],
      // What another program has written: numbers that are not positive.
      [nil, -5], [nil, nil, 0, 7],
      // And some that are further apart than a number can say.
      [-1, nil, .max], [.min, nil, nil, .max],
    ] as [[Int64?]]
  )
  func `all are numbered anew when there is no room`(_ current: [Int64?]) {
    #expect(OrderNumbers.assign(current) == current.indices.map { Int64($0 + 2) * 1024 })
  }

  @Test func `numbers that are in order stay`() {
    #expect(OrderNumbers.assign([1, 2, 5000]) == [1, 2, 5000])
    #expect(OrderNumbers.assign([1, nil, 5]) == [1, 3, 5])
    #expect(OrderNumbers.assign([nil, 10]) == [5, 10])
    #expect(OrderNumbers.assign([]) == [])
  }
}
