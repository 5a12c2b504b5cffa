// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1G: the order of equal rows")
struct EqualRowsTests {
  private static let sizes: [Double?] = [nil, 0, -1, 2.5, 0, nil, 2.5, 2.5, -1, nil, 0]

  /// The places of the sizes in their order, equal ones in the order of insertion, or all turned round.
  private static func places(ascending: Bool) -> [Int] {
    let rising = sizes.indices.sorted {
      let (left, right) = (sizes[$0] ?? -.infinity, sizes[$1] ?? -.infinity)
      return left == right ? $0 < $1 : left < right
    }
    return ascending ? rising : rising.reversed()
  }

  private func insert(_ range: Range<Int>, in context: ManagedObjectContext) {
    for number in range {
      let commit = Commit(context: context)
      commit.sha = "\(number)"
      commit.size = Self.sizes[number]
    }
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `equal rows are in the order of their insertion, which falls where the last sort falls`(
    _ kind: StoreKind,
    _ ascending: Bool
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    insert(Self.sizes.indices, in: context)
    try context.save()
    let reader = bench.context()
    let request = Commit.all.sorted(by: FetchSort("size", ascending: ascending))
    let expected = Self.places(ascending: ascending).map { "\($0)" }
    #expect(try reader.fetch(request).map(\.sha) == expected)
    #expect(try reader.fetch(request, batchSize: 4).map(\.sha) == expected)
    #expect(try reader.fetch(request.offset(2).limit(5)).map(\.sha) == Array(expected[2..<7]))
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `changed and new objects stand where they will stand when they are saved`(
    _ kind: StoreKind,
    _ ascending: Bool
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    insert(0..<7, in: context)
    try context.save()
    for commit in try context.fetch(Commit.filter("sha IN {'2', '3', '5'}")) {
      commit.message = "edited"
    }
    insert(7..<Self.sizes.count, in: context)
    let request = Commit.all.sorted(by: FetchSort("size", ascending: ascending))
    let expected = Self.places(ascending: ascending).map { "\($0)" }
    #expect(try context.fetch(request).map(\.sha) == expected)
    #expect(try context.fetch(request, batchSize: 4).map(\.sha) == expected)
    try context.save()
    #expect(try context.fetch(request).map(\.sha) == expected)
  }
}
