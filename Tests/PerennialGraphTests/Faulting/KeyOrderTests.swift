// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore
import RandomTesting
import Testing

@testable import PerennialGraph

@Suite("SEMANTICS 1G: faults without an order come by their keys")
struct KeyOrderTests {
  /// Stores answer from an index if they can: the names, which fall while keys rise.
  private func bench(_ kind: StoreKind, count: Int) throws -> FaultBench {
    let bench = try FaultBench(kind, authors: 0)
    let context = bench.context()
    for number in 0..<count {
      let commit = Commit(context: context)
      commit.sha = String(1_000_000 - number)
    }
    try context.save()
    return bench
  }

  private func keys(_ commits: some Sequence<Commit>) -> [Int64] {
    commits.map(\._key)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.5 faults come by their keys`(_ kind: StoreKind) throws {
    let bench = try bench(kind, count: 3_000)
    var request = Commit.all
    request.includesPropertyValues = false
    let context = bench.context()
    let commits = try context.fetch(request)
    #expect(keys(commits) == keys(commits).sorted() && Set(keys(commits)).count == 3_000)
    request.fetchOffset = 10
    request.fetchLimit = 100
    let some = try context.fetch(request)
    #expect(some.count == 100 && keys(some) == keys(some).sorted())
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.4 a batch has neighbours, and all batches but the last are full`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind, count: 205)
    let context = bench.context()
    let commits = try context.fetch(Commit.all.batchSize(50))
    #expect(keys(commits) == keys(commits).sorted())
    let asked = bench.asked { for commit in commits { _ = commit.sha } }
    #expect(asked.rows == 5)
    let list = try context.fetch(Commit.all, batchSize: 50)
    #expect(keys(list) == keys(list).sorted() && list.count == 205)
    var enumerated: [Commit] = []
    try context.enumerate(Commit.all) { enumerated.append($0) }
    #expect(keys(enumerated) == keys(list))
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.4 what has an order keeps it`(_ kind: StoreKind) throws {
    let bench = try bench(kind, count: 120)
    let request = Commit.all.sorted(by: FetchSort("sha")).batchSize(50)
    let context = bench.context()
    let commits = try context.fetch(request)
    let names = commits.map(\.sha)
    #expect(names.count == 120 && names == names.sorted())
    #expect(Set(names).count == 120 && keys(commits) != keys(commits).sorted())
    #expect(try context.fetch(request, batchSize: 0).map(\.sha) == names)
  }

  // MARK: The order itself

  /// What comes out of pieces, as a fetch of faults puts it together.
  private func result(
    of pieces: some Sequence<ArraySlice<ObjectReference>>,
    inPiecesOf count: Int
  ) -> [ObjectReference] {
    var order = KeyOrder()
    var result: [ObjectReference] = []
    for piece in pieces where !order.take(piece) { result += piece }
    order.visit(inPiecesOf: count) { piece in
      #expect(!piece.isEmpty && piece.count <= count)
      result += piece
    }
    return result
  }

  @Test(arguments: PropertyRuns.seeds(usually: 20))
  func `pieces of dense keys come out in order, others as they are, none twice or not`(
    _ seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let greatest = Int64.random(in: 100...100_000, using: &random)
    let all = Array(Set((0..<2_000).map { _ in Int64.random(in: 0...greatest, using: &random) }))
    let references = all.shuffled(using: &random).map { ObjectReference(key: $0, entity: 3) }
    let width = Int.random(in: 1...900, using: &random)
    let pieces = references.batches(of: width)
    let result = result(of: pieces, inPiecesOf: Int.random(in: 1...700, using: &random))
    var order = KeyOrder()
    let taken = Set(pieces.filter { order.take($0) }.joined())
    let expected = references.filter { !taken.contains($0) } + taken.sorted { $0.key < $1.key }
    #expect(result == expected, "seed \(seed)")
    var sorted = references
    KeyOrder.sort(&sorted)
    let isDense = Int(greatest >> 6) + 1 <= references.count * 32
    #expect(!isDense || sorted == references.sorted { $0.key < $1.key }, "seed \(seed)")
  }

  @Test func `keys that are far apart, new or of several entities are left as they are`() {
    func references(_ keys: [Int64], _ entity: Int = 1) -> [ObjectReference] {
      keys.map { ObjectReference(key: $0, entity: entity) }
    }
    for untouched in [
      references([1 << 46, 5, 1]), references([3, -1, 2]),
      references([3, 2]) + references([1], 2), references([2 * 32 * 64, 7]),
    ] {
      var sorted = untouched
      KeyOrder.sort(&sorted)
      #expect(sorted == untouched)
    }
    var sorted = references([2 * 32 * 64 - 1, 7])
    KeyOrder.sort(&sorted)
    #expect(sorted.map(\.key) == [7, 2 * 32 * 64 - 1])
    var order = KeyOrder()
    let taken = [[], references([9, 64, 63]), references([1], 2)].map { order.take($0[...]) }
    #expect(taken == [true, true, false])
    var kept: [Int64] = []
    order.visit(inPiecesOf: 2) { kept += $0.map(\.key) }
    #expect(kept == [9, 63, 64])
  }
}
