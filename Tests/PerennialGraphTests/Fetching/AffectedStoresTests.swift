// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("SEMANTICS 1G.9: the stores that a request asks")
struct AffectedStoresTests {
  /// A context with a saved and a new commit, and the context that asks: the same, or a child of it.
  private struct Scene {
    let bench: Bench
    let top: ManagedObjectContext
    let context: ManagedObjectContext

    init(_ kind: StoreKind, isNested: Bool) throws {
      bench = try Bench(kind)
      top = bench.context()
      Commit(context: top).sha = "a"
      try top.save()
      Commit(context: top).sha = "b"
      context = isNested ? ManagedObjectContext(parent: top) : top
    }
  }

  /// How many answers each kind of fetch gives.
  private func counts(
    _ request: FetchRequest<Commit>,
    in context: ManagedObjectContext
  ) throws -> [Int] {
    var enumerated = 0
    try context.enumerate(request) { _ in enumerated += 1 }
    return [
      try context.fetch(request).count, try context.count(for: request),
      try context.first(request) == nil ? 0 : 1, try context.fetchObjectIDs(request).count,
      try context.fetch(request, \.sha).count, try context.fetch(request, batchSize: 1).count,
      enumerated,
    ]
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1G.9 a request that names its store is as one that names none`(
    _ kind: StoreKind,
    _ isNested: Bool
  ) throws {
    let scene = try Scene(kind, isNested: isNested)
    let (top, context) = (scene.top, scene.context)
    let storeID = try #require(scene.bench.coordinator.naming.stores.last)
    var request = Commit.all
    request.affectedStores = [storeID, UUID()]
    #expect(try counts(request, in: context) == [2, 2, 1, 2, 2, 2, 2])
    request = Commit.filter("sha == 'a'")
    request.affectedStores = [storeID]
    #expect(try counts(request, in: context) == [1, 1, 1, 1, 1, 1, 1])
    #expect(try top.fetchDictionaries(request).count == 1)
    withExtendedLifetime(scene) {}
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1G.9 a request that names other stores only gives nothing`(
    _ kind: StoreKind,
    _ isNested: Bool
  ) throws {
    let scene = try Scene(kind, isNested: isNested)
    let (top, context) = (scene.top, scene.context)
    for stores: Set<UUID> in [[], [UUID()]] {
      for var request in [Commit.all, Commit.filter("sha == 'a'")] {
        request.affectedStores = stores
        #expect(try counts(request, in: context).allSatisfy { $0 == 0 })
        #expect(try context.fetchDictionaries(request).isEmpty)
        let count = PropertyToFetch.expression(ExpressionDescription("n", format: "count(sha)"))
        #expect(try context.fetchDictionaries(request.fetching(count)).isEmpty)
        #expect(try top.execute(BatchDeleteRequest(request)).count == 0)
      }
    }
    #expect(try context.count(for: Commit.all) == 2)
    withExtendedLifetime(scene) {}
  }
}
