// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1D: what the end of a unit of work leaves behind")
struct RollbackDetailTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.4 a rollback gives a merged object the key that its parent has saved it under`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let parent = scene.context
    let child = ManagedObjectContext(parent: parent)
    child.mergePolicy = .mergeByPropertyObjectTrump
    let theirs = try parent.make("Entry", ["key": Int64(2), "a": Int64(20)])
    _ = try parent.make("Entry", ["key": Int64(3)])
    let object = try #require(try child.fetch(scene.all.filter("key == 2")).first)
    try object.set(["key": Int64(3)])
    _ = try child.fetch(scene.all)
    #expect(object.isForwarding)
    try parent.save()
    child.rollback()
    #expect(!object.isForwarding && !object.isGone)
    #expect(object.objectID == theirs.objectID && !object.objectID.isTemporaryID)
    let found = try child.fetch(scene.all)
    let keys = try found.map { try $0.numbers()[0] }
    #expect(keys == [1, 2, 3] && found[1] === object)
    #expect(try object.numbers() == [2, 20, nil])
    try object.set(["a": Int64(21)])
    try child.save()
    try parent.save()
    #expect(try scene.stored() == [[1, 10, nil], [2, 21, nil], [3, nil, nil]])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.4 the ID of an object that a child has merged is its own when the parent saves it`(
    _ kind: StoreKind,
    _ isPermanent: Bool
  ) throws {
    let scene = try EntryScene(kind)
    let (parent, reader) = (scene.context, scene.bench.context())
    let child = ManagedObjectContext(parent: parent)
    child.mergePolicy = .mergeByPropertyObjectTrump
    let theirs = try parent.make("Entry", ["key": Int64(2), "a": Int64(20)])
    _ = try parent.make("Entry", ["key": Int64(3)])
    if isPermanent { try parent.obtainPermanentIDs(for: [theirs]) }
    let id = theirs.objectID
    let object = try #require(try child.fetch(scene.all.filter("key == 2")).first)
    try object.set(["key": Int64(3)])
    _ = try child.fetch(scene.all)
    #expect(object.isForwarding)
    try parent.save()
    #expect(try parent.existingObject(with: id) === theirs)
    #expect(try reader.existingObject(with: id).numbers() == [2, 20, nil])
    child.rollback()
    #expect(try child.existingObject(with: id) === object)
    #expect(try parent.existingObject(with: id) === theirs)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 an object that a context below has merged stays itself while others are saved`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let top = scene.context
    let middle = ManagedObjectContext(parent: top)
    let child = ManagedObjectContext(parent: middle)
    child.mergePolicy = .mergeByPropertyObjectTrump
    let theirs = try middle.make("Entry", ["key": Int64(2), "a": Int64(20)])
    let id = theirs.objectID
    let object = try #require(try child.fetch(scene.all.filter("key == 2")).first)
    try object.set(["key": Int64(1)])
    _ = try child.fetch(scene.all)
    #expect(object.isForwarding)
    for key in [3, 4] as [Int64] {
      _ = try top.make("Entry", ["key": key])
      try top.save()
      #expect(theirs.objectID == id)
      #expect(try middle.existingObject(with: id) === theirs)
    }
    child.rollback()
    try middle.save()
    try top.save()
    #expect(
      try scene.stored() == [[1, 10, nil], [2, 20, nil], [3, nil, nil], [4, nil, nil]]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 a merged object that a rollback brought back is itself, also as a fault`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let context = scene.context
    let loser = try context.make("Entry", ["key": Int64(2), "a": Int64(20)])
    try context.save()
    let id = loser.objectID
    weak var survivor: ManagedObject?
    do {
      let other = try #require(try context.fetch(scene.all).first)
      survivor = other
      try loser.set(["key": Int64(1)])
      _ = try context.fetch(scene.all)
      #expect(loser.isForwarding && loser.objectID == other.objectID)
      context.rollback()
    }
    #expect(!loser.isForwarding && loser.objectID == id)
    // It holds the object no longer that it stood for.
    #expect(survivor == nil)
    context.refresh(loser, mergeChanges: false)
    #expect(loser.isFault && !loser.isForwarding && loser.objectID == id)
    #expect(try loser.numbers() == [2, 20, nil])
    #expect(try scene.stored() == [[1, 10, nil], [2, 20, nil]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 a rollback parts no objects whose merge was saved`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind)
    let context = scene.context
    let survivor = try #require(try context.fetch(scene.all).first)
    let loser = try context.make("Entry", ["key": Int64(2), "a": Int64(20)])
    try context.save()
    try loser.set(["key": Int64(1)])
    _ = try context.fetch(scene.all)
    try context.save()
    #expect(loser.isForwarding && loser.objectID == survivor.objectID)
    try survivor.set(["b": Int64(7)])
    context.rollback()
    #expect(loser.isForwarding && loser.objectID == survivor.objectID)
    #expect(try loser.numbers() == [1, 10, nil])
    #expect(try context.count(for: scene.all) == 1)
    try context.save()
    #expect(try scene.stored() == [[1, 10, nil]])
  }

  /// What becomes of an object into which another was merged.
  enum End: CaseIterable {
    case deletion, rollback, reset
  }

  @Test(arguments: StoreKind.allCases, End.allCases)
  func `1D.4 the ID of a merged object holds no survivor that is gone`(
    _ kind: StoreKind,
    _ end: End
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    weak var survivor: Commit?
    do {
      let (first, second) = (context.insertCommit("a"), context.insertCommit("a"))
      survivor = first
      try context.processPendingChanges()
      #expect(second.isForwarding && second.objectID == first.objectID)
      switch end {
      case .deletion:
        context.delete(first)
        try context.save()
      case .rollback: context.rollback()
      case .reset: context.reset()
      }
      #expect(first.managedObjectContext == nil)
    }
    #expect(survivor == nil)
    #expect(try context.count(for: Commit.all) == 0)
  }

  @Test(
    arguments: StoreKind.allCases,
    [(false, false), (false, true), (true, false), (true, true)] as [(Bool, Bool)]
  )
  func `1D.3 what was noted of unique values holds no object after a save or a rollback`(
    _ kind: StoreKind,
    _ example: (fetches: Bool, rollsBack: Bool)
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    weak var object: Commit?
    do {
      let commit = context.insertCommit("a")
      object = commit
      // Compares the unique values of what has changed.
      if example.fetches { _ = try context.fetch(Commit.all) }
      if example.rollsBack { context.rollback() } else { try context.save() }
    }
    #expect(object == nil)
    #expect(try context.count(for: Commit.all) == (example.rollsBack ? 0 : 1))
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 a deletion that is rolled back holds its object no longer`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    do { _ = context.insertCommit("a") }
    try context.save()
    weak var object: Commit?
    do {
      let commit = try #require(try context.fetch(Commit.all).first)
      object = commit
      context.delete(commit)
      context.rollback()
      #expect(!commit.isDeleted)
    }
    #expect(object == nil)
    #expect(try context.count(for: Commit.all) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 an object whose deletion was rolled back can be deleted again`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = context.insertCommit("a")
    try context.save()
    let id = commit.objectID
    for _ in 0..<2 {
      context.delete(commit)
      #expect(commit.isDeleted && context.deletedObjects == [commit])
      context.rollback()
      #expect(!commit.isDeleted && context.deletedObjects.isEmpty)
    }
    context.delete(commit)
    try context.save()
    #expect(commit.isGone && commit.managedObjectContext == nil && commit.objectID == id)
    #expect(context.registeredObject(for: id) == nil && context.registeredObjects.isEmpty)
    #expect(try bench.context().count(for: Commit.all) == 0)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.4 a rollback and a reset forget wrong uses, which are told once otherwise`(
    _ kind: StoreKind,
    _ resets: Bool
  ) throws {
    let bench = try Bench(kind)
    let (context, other) = (bench.context(), bench.context())
    let foreign = other.insertAuthor("Joe")
    context.delete(foreign)
    #expect(code { try context.save() } == .foreignObject)
    try context.save()
    context.delete(foreign)
    if resets { context.reset() } else { context.rollback() }
    try context.processPendingChanges()
    try context.save()
    #expect(foreign.isInserted && !foreign.isDeleted && foreign.managedObjectContext === other)
  }
}
