// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import RandomTesting
import RowTesting
import Testing

@testable import PerennialStore

@Suite("Rows in the order of their keys")
struct RowTableTests {
  /// A row without properties; its version tells it from others of its key.
  private static func row(_ key: Int64, version: UInt32 = 1) -> PageRow {
    var builder = PageBuilder(byteCount: 64)
    builder.begin(key: key, version: version, entity: 0, slotCount: 0)
    builder.end()
    return PageRow(page: builder.seal(), index: 0)
  }

  private static func keys(_ table: RowTable) -> [Int64] {
    table.filter { _ in true }.map(\.key)
  }

  @Test(arguments: [1, RowTable.chunkCapacity, RowTable.chunkCapacity + 1, 1_000])
  func `keys that rise, that fall and that interleave end in the same order`(count: Int) {
    let rising = (1...Int64(count)).map { $0 }
    let interleaved = rising.filter { $0 % 2 == 0 } + rising.filter { $0 % 2 == 1 }
    for order in [rising, rising.reversed(), interleaved] {
      var table = RowTable()
      for key in order { table[key] = Self.row(key) }
      #expect(Self.keys(table) == rising)
      #expect(rising.allSatisfy { table[$0]?.key == $0 })
      #expect(table[0] == nil && table[Int64(count) + 1] == nil)
    }
  }

  @Test func `a copy keeps its rows when the other is changed`() {
    var table = RowTable()
    let keys = (1...600).map { Int64($0) }
    for key in keys { table[key] = Self.row(key) }
    let copy = table
    for key in keys where key % 3 != 0 { table[key] = nil }
    table[3] = Self.row(3, version: 2)
    #expect(Self.keys(copy) == keys)
    #expect(copy[3]?.version == 1)
    let kept = keys.filter { $0 % 3 == 0 }
    #expect(Self.keys(table) == kept)
    #expect(table[3]?.version == 2)
  }

  @Test(arguments: PropertyRuns.seeds(usually: 5))
  func `a table is a dictionary that gives its rows by key`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = RowTable()
    var expected: [Int64: UInt32] = [:]
    let most = Int64.random(in: 1...3_000, using: &random)
    for version in 1...6_000 as ClosedRange<UInt32> {
      let key = Int64.random(in: 1...most, using: &random)
      // First it grows, then it shrinks.
      let isRemoved = UInt32.random(in: 0..<8_000, using: &random) < version
      table[key] = isRemoved ? nil : Self.row(key, version: version)
      expected[key] = isRemoved ? nil : version
    }
    let rows = table.filter { _ in true }
    #expect(rows.map(\.key) == expected.keys.sorted(), "seed \(seed)")
    #expect(rows.allSatisfy { expected[$0.key] == $0.version }, "seed \(seed)")
    #expect((0...most + 1).allSatisfy { table[$0]?.version == expected[$0] }, "seed \(seed)")
  }
}
