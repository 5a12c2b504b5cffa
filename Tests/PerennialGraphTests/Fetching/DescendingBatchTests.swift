// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1G: batches in falling order")
struct DescendingBatchTests {
  @Test(
    arguments: StoreKind.allCases,
    [FetchSort("date", ascending: false), FetchSort("size", ascending: false)]
  )
  func `a list in falling order has equal rows where a fetch has them`(
    _ kind: StoreKind,
    _ sort: FetchSort
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let sizes: [Double?] = [nil, 0, -1, 2.5, 0, nil, 2.5, 2.5, -1, nil, 0]
    for (number, size) in sizes.enumerated() {
      let commit = Commit(context: context)
      commit.sha = "sha \(number)"
      commit.size = size
      commit.date = Date(timeIntervalSinceReferenceDate: Double(number / 3 % 2))
    }
    try context.save()
    let reader = bench.context()
    let request = Commit.all.sorted(by: sort)
    let expected = try reader.fetch(request).map(\.sha)
    let list = try reader.fetch(request, batchSize: 4)
    #expect(list.map(\.sha) == expected)
    #expect(expected.count == sizes.count)
  }
}
