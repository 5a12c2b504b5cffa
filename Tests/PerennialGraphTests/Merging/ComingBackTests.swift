// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.1: objects that come back, and what was deleted with them")
struct ComingBackTests {
  @Test(
    arguments: StoreKind.allCases,
    [MergePolicy.mergeByPropertyStoreTrump, .rollback]
  )
  func `1M.1 an object that comes back refers to its deleted owner only if that does, too`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    for ownerComesBack in [false, true] {
      let bench = try Bench(kind)
      let (first, second) = (bench.context(), bench.context())
      second.mergePolicy = policy
      let (author, commit) = (Author(context: first), Commit(context: first))
      (author.name, commit.sha, commit.author) = ("Joe", "a", author)
      try first.save()
      let ours = try second.object(Author.self, with: author.objectID)
      let held = Array(ours.commits)
      second.delete(ours)
      try second.processPendingChanges()
      #expect(held.map(\.isDeleted) == [true])
      commit.message = "edited"
      if ownerComesBack { author.email = "edited" }
      try first.save()
      try second.save()
      #expect(!second.hasChanges)
      let reader = bench.context()
      let stored = try reader.fetch(Commit.all)
      #expect(stored.map(\.message) == ["edited"])
      #expect(stored.map { $0.author?.name } == [ownerComesBack ? "Joe" : nil])
      #expect(try reader.count(for: Author.all) == (ownerComesBack ? 1 : 0))
    }
  }
}
