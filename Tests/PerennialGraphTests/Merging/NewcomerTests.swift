// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1M.2: a fetch shows no object beside the one that it will be merged into")
struct NewcomerTests {
  private func insert(
    _ values: [String: Int64],
    in context: ManagedObjectContext
  ) throws -> ManagedObject {
    try context.make("Entry", values)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a fetch merges a new object into the stored one that has its values`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let entry = try insert(["key": 1, "b": 20], in: scene.context)
    let found = try scene.context.fetch(scene.all)
    #expect(try found.map { try $0.numbers() } == [[1, 10, 20]])
    #expect(entry.isForwarding && entry.objectID == found.first?.objectID)
    #expect(try scene.context.count(for: scene.all) == 1)
    #expect(try scene.context.fetch(scene.all, batchSize: 10).count == 1)
    try scene.context.save()
    #expect(try scene.stored() == [[1, 10, 20]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 counting and batches merge as well`(_ kind: StoreKind) throws {
    for isCounted in [false, true] {
      let scene = try EntryScene(kind)
      let entry = try insert(["key": 1], in: scene.context)
      let count =
        try isCounted
        ? scene.context.count(for: scene.all) : scene.context.fetch(scene.all, batchSize: 5).count
      #expect(count == 1 && entry.isForwarding)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 members that were read before a merge are read again after it`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let ann = context.insertAuthor("Ann")
    try context.save()
    context.insertCommit("own").author = ann
    #expect(ann.commits.map(\.sha) == ["own"])
    let other = bench.context()
    other.insertCommit("abc").author = try other.object(Author.self, with: ann.objectID)
    try other.save()

    let mine = context.insertCommit("abc")
    let found = try context.fetch(Commit.all)

    #expect(found.count == 2 && mine.isForwarding)
    #expect(found.allSatisfy { $0.author === ann })
    #expect(Set(ann.commits.map(\.sha)) == ["abc", "own"])
  }

  /// Stored `a` 10 and no `b`; the newcomer was given a `b` of 20.
  static let outcomes: [(MergePolicy, [Int64?])] = [
    (.mergeByPropertyObjectTrump, [1, 10, 20]),
    (.mergeByPropertyObjectTrumpOverwritingUnset, [1, nil, 20]),
    (.mergeByPropertyStoreTrump, [1, 10, 20]),
    (.overwrite, [1, nil, 20]),
    (.rollback, [1, 10, nil]),
  ]

  @Test(arguments: StoreKind.allCases, outcomes)
  func `1M.2 every policy makes the same of it at a fetch and at a save`(
    _ kind: StoreKind,
    _ outcome: (policy: MergePolicy, values: [Int64?])
  ) throws {
    for fetches in [true, false] {
      let scene = try EntryScene(kind, outcome.policy)
      let entry = try insert(["key": 1, "b": 20], in: scene.context)
      if fetches {
        let found = try scene.context.fetch(scene.all)
        #expect(try found.map { try $0.numbers() } == [outcome.values])
        #expect(scene.context.hasChanges == (outcome.policy != .rollback))
      }
      try scene.context.save()
      #expect(try entry.isForwarding && entry.numbers() == outcome.values)
      #expect(try scene.stored() == [outcome.values])
    }
  }

  /// What is stored in the end when the newcomer has the stored `a` of 10, `b` not assigned, and another
  /// context then saves 7 for both.
  static let laterOutcomes: [(MergePolicy, [Int64?])] = [
    (.mergeByPropertyObjectTrump, [1, 10, 7]),
    (.mergeByPropertyObjectTrumpOverwritingUnset, [1, 10, nil]),
    (.mergeByPropertyStoreTrump, [1, 7, 7]),
    (.overwrite, [1, 10, nil]),
    (.rollback, [1, 7, 7]),
  ]

  @Test(arguments: StoreKind.allCases, laterOutcomes)
  func `1M.2 a value that is assigned and equal to the stored one counts as assigned`(
    _ kind: StoreKind,
    _ outcome: (policy: MergePolicy, values: [Int64?])
  ) throws {
    for fetches in [true, false] {
      let scene = try EntryScene(kind, outcome.policy)
      _ = try insert(["key": 1, "a": 10], in: scene.context)
      if fetches { #expect(try scene.context.fetch(scene.all).count == 1) }
      try scene.change(["a": 7, "b": 7])
      try scene.context.save()
      #expect(try scene.stored() == [outcome.values], "fetched: \(fetches)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an object with nothing but unique values changes nothing`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind)
    let entry = try insert(["key": 1], in: scene.context)
    #expect(try scene.context.fetch(scene.all).count == 1)
    #expect(entry.isForwarding && !scene.context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 with the policy error a fetch shows both, and the save reports them`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind, .error)
    let entry = try insert(["key": 1, "b": 20], in: scene.context)
    #expect(try scene.context.fetch(scene.all).count == 2)
    #expect(!entry.isForwarding && scene.context.conflicts.isEmpty)
    #expect(code { try scene.context.save() } == .managedObjectConstraintMerge)
    #expect(scene.context.conflicts.count == 1)
    // A policy that merges is asked at the next fetch.
    scene.context.mergePolicy = .mergeByPropertyObjectTrump
    #expect(try scene.context.fetch(scene.all).count == 1)
    #expect(entry.isForwarding)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 what a custom policy leaves as an error waits for the save`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind, .custom { _ in .error })
    let entry = try insert(["key": 1], in: scene.context)
    for _ in 0..<2 { #expect(try scene.context.fetch(scene.all).count == 2) }
    #expect(!entry.isForwarding)
    #expect(code { try scene.context.save() } == .managedObjectConstraintMerge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an object for which the stored one cannot stand waits for the save`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let special = try scene.context.make("Special", ["key": Int64(1), "c": Int64(3)])
    #expect(try scene.context.fetch(scene.all).count == 2)
    #expect(!special.isForwarding)
    #expect(code { try scene.context.save() } == .managedObjectConstraintMerge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a fetch without pending changes compares nothing`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind)
    let entry = try insert(["key": 1, "a": 7], in: scene.context)
    var request = scene.all
    request.includesPendingChanges = false
    #expect(try scene.context.fetch(request).map { try $0.numbers() } == [[1, 10, nil]])
    #expect(try scene.context.count(for: request) == 1)
    #expect(!entry.isForwarding && entry.isInserted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 what is saved after a fetch is found by the next`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind, .mergeByPropertyStoreTrump)
    _ = try insert(["key": 2, "a": 1], in: scene.context)
    #expect(try scene.context.fetch(scene.all).count == 2)
    try scene.other { _ = try insert(["key": 2, "a": 7], in: $0) }
    let found = try scene.context.fetch(scene.all.filter("key == 2"))
    #expect(try found.map { try $0.numbers() } == [[2, 7, nil]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a stored object that was given taken values goes, and comes back by a rollback`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    try scene.other { _ = try insert(["key": 2, "a": 5], in: $0) }
    let second = try scene.context.fetch(scene.all)[1]
    try second.set(["key": Int64(1)])
    #expect(try scene.context.fetch(scene.all).map { try $0.numbers() } == [[1, 10, nil]])
    #expect(second.isForwarding)
    scene.context.rollback()
    #expect(try !second.isForwarding && second.numbers() == [2, 5, nil])
    #expect(try scene.context.fetch(scene.all).count == 2)
    scene.context.mergePolicy = .mergeByPropertyStoreTrump
    try second.set(["key": Int64(1), "b": Int64(3)])
    // Under store trump the unique value is set back, and the rest stays.
    #expect(
      try scene.context.fetch(scene.all).map { try $0.numbers() } == [[1, 10, nil], [2, 5, 3]]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a survivor that gets another taken value is merged too`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind)
    try scene.other { _ = try insert(["key": 2, "code": 9], in: $0) }
    _ = try insert(["key": 1, "code": 9], in: scene.context)
    #expect(try scene.context.fetch(scene.all).count == 1)
    try scene.context.save()
    #expect(try scene.stored().count == 1)
  }
}
