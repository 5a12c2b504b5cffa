// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// What becomes of an object whose row was deleted and stored again by somebody who knew an old version of it: the new
/// row has a greater version than the deleted one, the same, or a smaller.
@Suite("SEMANTICS 1D.11: merging objects that were stored again")
struct MergedAgainTests {
  /// A commit of version 1 that three contexts have.
  private struct Trio {
    let bench: Bench
    let here: ManagedObjectContext
    let there: ManagedObjectContext
    let stale: ManagedObjectContext
    let ours: Commit
    let theirs: Commit
    let old: Commit

    init(_ kind: StoreKind, isMerging: Bool = true) throws {
      bench = try Bench(kind)
      (here, there, stale) = (bench.context(), bench.context(), bench.context())
      here.automaticallyMergesChangesFromParent = isMerging
      ours = Commit(context: here)
      (ours.sha, ours.message) = ("a", "old")
      try here.save()
      theirs = try there.object(Commit.self, with: ours.objectID)
      old = try stale.object(Commit.self, with: ours.objectID)
    }

    func delete(afterUpdates count: Int) throws {
      for number in 0..<count {
        theirs.message = "theirs \(number)"
        try there.save()
      }
      there.delete(theirs)
      try there.save()
    }

    /// Stores version 2.
    func storeAgain() throws {
      stale.mergePolicy = .mergeByPropertyObjectTrump
      old.url = "again"
      try stale.save()
    }

    func check() throws {
      #expect(!ours.isDeleted)
      #expect(ours.url == "again" && ours.message == "old")
      ours.message = "mine"
      try here.save()
      let stored = try bench.context().object(Commit.self, with: ours.objectID)
      #expect(stored.message == "mine" && stored.url == "again")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a transient change alone keeps no object whose row is gone`(
    _ kind: StoreKind
  ) throws {
    let trio = try Trio(kind)
    var deletions = 0
    let token = trio.here.onObjectsDidChange { deletions += $0.deleted.count }
    trio.ours.scratch = 7
    try trio.here.processPendingChanges()
    try trio.delete(afterUpdates: 0)
    try trio.here.processPendingChanges()
    #expect(trio.ours.isDeleted && trio.ours.isGone && !trio.here.hasChanges)
    #expect(deletions == 1)
    #expect(try trio.here.count(for: Commit.all) == 0)
    try trio.here.save()
    #expect(trio.ours.isDeleted)
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases, [0, 1, 2])
  func `1D.11 saves that are merged again leave what was stored again`(
    _ kind: StoreKind,
    _ updates: Int
  ) async throws {
    let trio = try Trio(kind)
    let child = ManagedObjectContext(parent: trio.here)
    let copy = try child.object(Commit.self, with: trio.ours.objectID)
    var saves = trio.bench.coordinator.saves().makeAsyncIterator()
    try trio.delete(afterUpdates: updates)
    try trio.storeAgain()
    try trio.here.processPendingChanges()
    var merged: [CommittedChanges] = []
    for _ in 0..<updates + 2 { merged.append(try #require(await saves.next())) }
    for save in merged {
      trio.here.mergeChanges(fromContextDidSave: save)
      child.mergeChanges(fromContextDidSave: save)
      #expect(!trio.ours.isDeleted && !copy.isDeleted)
      #expect(trio.ours.url == "again")
    }
    trio.here.refresh(trio.ours, mergeChanges: false)
    for save in merged {
      trio.here.mergeChanges(fromContextDidSave: save)
      #expect(!trio.ours.isDeleted)
    }
    try trio.check()
  }

  @Test(arguments: StoreKind.allCases, [0, 1, 2])
  func `1D.11 a later save that is merged by hand does not overtake the mail`(
    _ kind: StoreKind,
    _ updates: Int
  ) async throws {
    let trio = try Trio(kind)
    try trio.delete(afterUpdates: updates)
    try trio.storeAgain()
    var saves = trio.bench.coordinator.saves().makeAsyncIterator()
    Commit(context: trio.there).sha = "b"
    try trio.there.save()
    trio.here.mergeChanges(fromContextDidSave: try #require(await saves.next()))
    #expect(!trio.ours.isDeleted)
    try trio.here.processPendingChanges()
    try trio.check()
  }

  @Test(arguments: StoreKind.allCases, [0, 1, 2])
  func `1D.11 saves that are merged in the wrong order give what is stored`(
    _ kind: StoreKind,
    _ updates: Int
  ) async throws {
    let trio = try Trio(kind, isMerging: false)
    var saves = trio.bench.coordinator.saves().makeAsyncIterator()
    try trio.delete(afterUpdates: updates)
    try trio.storeAgain()
    var merged: [CommittedChanges] = []
    for _ in 0..<updates + 2 { merged.append(try #require(await saves.next())) }
    for save in merged.reversed() {
      trio.here.mergeChanges(fromContextDidSave: save)
      #expect(!trio.ours.isDeleted)
    }
    try trio.check()
  }

  @Test(arguments: StoreKind.allCases, [0, 1, 2])
  func `1D.11 what others saved before an object was stored again here does not delete it`(
    _ kind: StoreKind,
    _ updates: Int
  ) async throws {
    let trio = try Trio(kind, isMerging: false)
    var saves = trio.bench.coordinator.saves().makeAsyncIterator()
    try trio.delete(afterUpdates: updates)
    trio.here.mergePolicy = .mergeByPropertyObjectTrump
    trio.ours.url = "again"
    try trio.here.save()
    for _ in 0..<updates + 1 {
      trio.here.mergeChanges(fromContextDidSave: try #require(await saves.next()))
      #expect(!trio.ours.isDeleted)
    }
    try trio.check()
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.11 of an insertion that was put off, what is stored in the end is merged`(
    _ kind: StoreKind,
    _ isDeletedAgain: Bool
  ) throws {
    let trio = try Trio(kind)
    trio.ours.message = "mine"
    trio.there.undoManager = ContextUndoManager()
    trio.theirs.message = "theirs"
    try trio.there.save()
    trio.there.delete(trio.theirs)
    try trio.there.save()
    trio.there.undo()
    try trio.there.save()
    if isDeletedAgain {
      trio.there.delete(trio.theirs)
      try trio.there.save()
    }
    _ = try trio.here.fetch(Team.all)
    trio.here.rollback()
    #expect(trio.ours.isDeleted == isDeletedAgain)
    #expect(trio.ours.message == (isDeletedAgain ? "old" : "theirs"))
    #expect(!trio.here.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 an update that was put off does not come before what was stored again`(
    _ kind: StoreKind
  ) throws {
    let trio = try Trio(kind)
    for number in 1...3 {
      trio.theirs.message = "theirs \(number)"
      try trio.there.save()
    }
    try trio.here.processPendingChanges()
    trio.ours.message = "mine"
    try trio.delete(afterUpdates: 1)
    try trio.storeAgain()
    _ = try trio.here.fetch(Team.all)
    trio.here.rollback()
    try trio.check()
  }

  @Test(arguments: StoreKind.allCases, [0, 2])
  func `1D.11 a save finds that an object with edits was deleted and stored again`(
    _ kind: StoreKind,
    _ updates: Int
  ) throws {
    let trio = try Trio(kind)
    for number in 0..<updates {
      trio.theirs.message = "theirs \(number)"
      try trio.there.save()
    }
    try trio.here.processPendingChanges()
    trio.ours.message = "mine"
    try trio.delete(afterUpdates: 0)
    try trio.storeAgain()
    #expect(code { try trio.here.save() } == .managedObjectMerge)
    #expect(!trio.ours.isDeleted && trio.ours.url.isEmpty)
    try trio.here.processPendingChanges()
    #expect(trio.ours.message == "mine" && trio.ours.url == "again")
    try trio.here.save()
    let stored = try trio.bench.context().object(Commit.self, with: trio.ours.objectID)
    #expect(stored.message == "mine" && stored.url == "again")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a save does not overwrite what an undone deletion has stored again`(
    _ kind: StoreKind
  ) throws {
    let trio = try Trio(kind)
    trio.ours.message = "mine"
    trio.there.undoManager = ContextUndoManager()
    trio.there.delete(trio.theirs)
    try trio.there.save()
    trio.there.undo()
    trio.theirs.message = "theirs"
    try trio.there.save()
    #expect(code { try trio.here.save() } == .managedObjectMerge)
    let stored = try trio.bench.context().object(Commit.self, with: trio.ours.objectID)
    #expect(stored.message == "theirs")
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.11 an old save does not bring back what is gone since, as a later reading has found`(
    _ kind: StoreKind,
    _ isMerging: Bool
  ) async throws {
    let trio = try Trio(kind, isMerging: isMerging)
    var saves = trio.bench.coordinator.saves().makeAsyncIterator()
    trio.there.undoManager = ContextUndoManager()
    trio.there.delete(trio.theirs)
    try trio.there.save()
    trio.there.undo()
    try trio.there.save()
    trio.there.delete(trio.theirs)
    try trio.there.save()
    if isMerging {
      var request = BatchUpdateRequest(Author.self)
      request.propertiesToUpdate = ["email": "new"]
      _ = try trio.stale.execute(request)
      try trio.here.processPendingChanges()
    } else {
      try trio.here.mergeChanges(
        fromRemoteContextSave: ObjectChanges(deleted: [trio.ours.objectID])
      )
    }
    #expect(trio.ours.isDeleted)
    for _ in 0..<2 {
      trio.here.mergeChanges(fromContextDidSave: try #require(await saves.next()))
      #expect(trio.ours.isDeleted)
    }
  }
}
