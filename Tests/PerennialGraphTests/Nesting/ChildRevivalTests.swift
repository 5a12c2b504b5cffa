// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.2: unique values of objects that a child brings back in its parent")
struct ChildRevivalTests {
  @Test(
    arguments: StoreKind.allCases,
    [
      (MergePolicy.mergeByPropertyObjectTrump, 13), (.overwrite, 13),
      (.mergeByPropertyStoreTrump, 12), (.rollback, 12),
    ] as [(MergePolicy, Int64)]
  )
  func
    `1M.2 an object that was to be stored again, but is deleted, meets the one that others stored`(
      _ kind: StoreKind,
      _ expected: (policy: MergePolicy, a: Int64)
    ) throws
  {
    let scene = try EntryScene(kind, expected.policy)
    let (parent, child) = (scene.context, ManagedObjectContext(parent: scene.context))
    let late = scene.bench.context()
    for context in [child, late] { context.mergePolicy = .mergeByPropertyObjectTrump }
    let mine = try child.fetch(scene.all)[0]
    try mine.set(["a": Int64(11)])
    try late.fetch(scene.all)[0].set(["a": Int64(12)])
    try scene.other { $0.delete(try $0.fetch(scene.all)[0]) }
    try child.save()
    try late.save()
    parent.delete(try parent.existingObject(with: mine.objectID))
    _ = try parent.make("Entry", ["key": Int64(1), "a": Int64(13)])
    try parent.save()
    #expect(try scene.stored() == [[1, expected.a, nil]])
    #expect(!parent.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an object that came back unchanged is read again when others gave it unique values`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let (parent, child) = (scene.context, ManagedObjectContext(parent: scene.context))
    child.mergePolicy = .mergeByPropertyObjectTrump
    let theirs = try parent.fetch(scene.all)[0]
    let mine = try child.fetch(scene.all)[0]
    for value in [11, 10] as [Int64] { try mine.set(["a": value]) }
    parent.delete(theirs)
    try child.save()
    #expect(!theirs.isDeleted)
    try scene.change(["key": 5])
    _ = try parent.make("Entry", ["key": Int64(5), "b": Int64(1)])
    try parent.save()
    #expect(try scene.stored() == [[5, 10, 1]])
    #expect(try theirs.numbers() == [5, 10, 1])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.2 an object whose deletion by others was merged above comes back with edits from below`(
    _ kind: StoreKind,
    _ isFault: Bool
  ) throws {
    let family = try Family(kind)
    family.top.automaticallyMergesChangesFromParent = true
    let theirs = family.top.insertCommit("abc", "old")
    try family.top.save()
    let mine = try family.child.object(Commit.self, with: theirs.objectID)
    mine.message = "below"
    if isFault { family.top.refresh(theirs, mergeChanges: false) }
    let other = family.reader()
    other.delete(try other.object(Commit.self, with: theirs.objectID))
    try other.save()
    let log = EventLog(family.top)
    try family.top.processPendingChanges()
    #expect(theirs.isGone && theirs.isDeleted)
    family.child.mergePolicy = .mergeByPropertyObjectTrump
    try family.child.save()
    try family.top.processPendingChanges()
    let known = try family.top.object(Commit.self, with: mine.objectID)
    #expect(known.isInserted && !known.isGone && known.message == "below")
    #expect(log.events.last?.inserted == [known])
    try family.top.save()
    #expect(try family.stored(Commit.self).map(\.message) == ["below"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 an object that is deleted above while its deletion below is told is deleted once`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let theirs = family.top.insertCommit("abc", "old")
    try family.top.save()
    family.child.delete(try family.child.object(Commit.self, with: theirs.objectID))
    let log = EventLog(family.top)
    var count = 0
    family.top.endsEvents { [weak top = family.top] in
      count += 1
      if count == 1 { top?.delete(theirs) }
    }
    try family.child.save()
    #expect(theirs.isDeleted && count > 0)
    try family.top.save()
    #expect(log.saves.map(\.deleted) == [[theirs]])
    #expect(try family.stored(Commit.self).isEmpty)
  }
}
