// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Typed arithmetic in conditions")
struct TypedArithmeticTests {
  @Test(arguments: StoreKind.allCases)
  func `numbers and values on either side, and nothing where one is absent`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    for (number, size) in ([1, 2, nil, 4] as [Double?]).enumerated() {
      context.insertCommit("\(number)").size = size
    }
    try context.save()
    func found(_ request: FetchRequest<Commit>) throws -> [String] {
      try context.fetch(request.sorted(by: FetchSort("sha"))).map(\.sha)
    }
    #expect(try found(Commit.filter { $0.size + $0.size == 8 }) == ["3"])
    #expect(try found(Commit.filter { $0.size + 1 == 3 }) == ["1"])
    #expect(try found(Commit.filter { 1 + $0.size == 2 }) == ["0"])
    #expect(try found(Commit.filter { $0.size - $0.size == 0 }) == ["0", "1", "3"])
    #expect(try found(Commit.filter { $0.size - 1 > 0 }) == ["1", "3"])
    #expect(try found(Commit.filter { 3 - $0.size < 0 }) == ["3"])
    #expect(try found(Commit.filter { $0.size * $0.size == 16 }) == ["3"])
    #expect(try found(Commit.filter { $0.size * 2 == 4 }) == ["1"])
    #expect(try found(Commit.filter { 2 * $0.size <= 4 }) == ["0", "1"])
    #expect(try found(Commit.filter { $0.size / $0.size == 1 }) == ["0", "1", "3"])
    #expect(try found(Commit.filter { $0.size / 8 == 0.5 }) == ["3"])
  }
}
