// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// What becomes of a context's objects when another context saves.
@Suite("SEMANTICS 1D.11: merging another context's save")
struct SaveMergingTests {
  /// A context that merges by itself, and one that does not.
  private struct Pair {
    let bench: Bench
    let here: ManagedObjectContext
    let there: ManagedObjectContext

    init(_ kind: StoreKind) throws {
      bench = try Bench(kind)
      here = bench.context()
      there = bench.context()
      here.automaticallyMergesChangesFromParent = true
    }

    /// A saved commit, as both contexts have it.
    func commit(_ sha: String = "a", message: String = "old") throws -> (Commit, Commit) {
      let ours = Commit(context: here)
      ours.sha = sha
      ours.message = message
      try here.save()
      return (ours, try there.object(Commit.self, with: ours.objectID))
    }

    func author(_ name: String) throws -> (Author, Author) {
      let ours = Author(context: here)
      ours.name = name
      try here.save()
      return (ours, try there.object(Author.self, with: ours.objectID))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a context does not merge by itself unless told to`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    #expect(!pair.there.automaticallyMergesChangesFromParent)
    ours.message = "new"
    try pair.here.save()
    try pair.there.processPendingChanges()
    #expect(theirs.message == "old")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 an updated object takes the new values`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    theirs.message = "new"
    theirs.size = 4
    try pair.there.save()
    #expect(ours.message == "old")
    try pair.here.processPendingChanges()
    #expect(ours.message == "new")
    #expect(ours.size == 4)
    #expect(!ours.hasChanges)
    #expect(!pair.here.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 saves are merged in their order`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    for number in 1...20 {
      theirs.message = "\(number)"
      try pair.there.save()
    }
    try pair.here.processPendingChanges()
    #expect(ours.message == "20")
    ours.message = "mine"
    try pair.here.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 pending edits stay on top of the merged values and save without conflict`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    ours.message = "mine"
    ours.url = "mine"
    theirs.message = "theirs"
    theirs.size = 9
    try pair.there.save()
    try pair.here.processPendingChanges()
    #expect(ours.message == "mine")
    #expect(ours.url == "mine")
    #expect(ours.size == 9)
    try pair.here.save()
    let fresh = try pair.bench.context().object(Commit.self, with: ours.objectID)
    #expect(fresh.message == "mine")
    #expect(fresh.size == 9)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 rollback after a merge gives the merged values`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    ours.message = "mine"
    theirs.message = "theirs"
    try pair.there.save()
    try pair.here.processPendingChanges()
    pair.here.rollback()
    #expect(ours.message == "theirs")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 an object deleted elsewhere stays registered, readable and deleted`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    let id = ours.objectID
    pair.there.delete(theirs)
    try pair.there.save()
    try pair.here.processPendingChanges()
    #expect(ours.isDeleted)
    #expect(!ours.isFault)
    #expect(ours.message == "old")
    #expect(ours.managedObjectContext === pair.here)
    #expect(pair.here.registeredObject(for: id) === ours)
    #expect(!pair.here.hasChanges)
    ours.message = "ignored"
    #expect(ours.message == "old")
    #expect(!pair.here.hasChanges)
    pair.here.delete(ours)
    try pair.here.save()
    #expect(try pair.here.fetch(Commit.all).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a fault deleted elsewhere reads as empty and says why`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let (_, theirs) = try pair.commit()
    let joe = Author(context: pair.there)
    joe.name = "Joe"
    theirs.author = joe
    try pair.there.save()
    let reader = pair.bench.context()
    reader.automaticallyMergesChangesFromParent = true
    let commit = try reader.object(Commit.self, with: theirs.objectID)
    let author = try #require(commit.author)
    #expect(author.isFault)
    theirs.author = nil
    pair.there.delete(joe)
    try pair.there.save()
    try reader.processPendingChanges()
    #expect(commit.author == nil)
    #expect(author.name.isEmpty)
    #expect(reader.lastFaultError?.code == .objectGone)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 an edited object deleted elsewhere keeps its edits; the save reports the conflict`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    ours.message = "mine"
    pair.there.delete(theirs)
    try pair.there.save()
    try pair.here.processPendingChanges()
    #expect(ours.message == "mine")
    #expect(!ours.isDeleted)
    #expect(code { try pair.here.save() } == .managedObjectMerge)
    #expect(ours.message == "mine")
    pair.here.mergePolicy = .mergeByPropertyObjectTrump
    try pair.here.save()
    #expect(!ours.isDeleted)
    let fresh = try pair.bench.context().object(Commit.self, with: ours.objectID)
    #expect(fresh.message == "mine")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 rolling back an edited object that was deleted elsewhere leaves a deleted one`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    ours.message = "mine"
    pair.there.delete(theirs)
    try pair.there.save()
    try pair.here.processPendingChanges()
    pair.here.rollback()
    #expect(ours.isDeleted)
    #expect(ours.message == "old")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 objects that both contexts delete are deleted once`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    pair.here.delete(ours)
    pair.there.delete(theirs)
    try pair.there.save()
    try pair.here.processPendingChanges()
    #expect(ours.isDeleted)
    try pair.here.save()
    #expect(try pair.bench.context().count(for: Commit.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 an inserted object is not loaded until it is asked for`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let commit = Commit(context: pair.there)
    commit.sha = "new"
    try pair.there.save()
    try pair.here.processPendingChanges()
    #expect(pair.here.registeredObject(for: commit.objectID) == nil)
    #expect(try pair.here.fetch(Commit.all).map(\.sha) == ["new"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a value given by hand is merged like one that came in`(_ kind: StoreKind) async throws
  {
    let pair = try Pair(kind)
    var saves = pair.bench.coordinator.saves().makeAsyncIterator()
    let (ours, theirs) = try pair.commit()
    _ = await saves.next()
    ours.message = "new"
    pair.here.transactionAuthor = "importer"
    pair.here.name = "here"
    try pair.here.save()
    theirs.url = "mine"
    let save = try #require(await saves.next())
    pair.there.mergeChanges(fromContextDidSave: save)
    #expect(theirs.message == "new")
    #expect(theirs.url == "mine")
    pair.there.mergeChanges(fromContextDidSave: save)
    pair.here.mergeChanges(fromContextDidSave: save)
    try pair.there.save()
    #expect(save.number == 2)
    #expect(save.author == "importer")
    #expect(save.contextName == "here")
    #expect(save.objects == ObjectChanges(updated: [ours.objectID]))
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 IDs of a remote save are read again`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let (changed, theirs) = try pair.commit("a")
    let (gone, theirGone) = try pair.commit("b")
    let (edited, theirEdited) = try pair.commit("c")
    pair.here.automaticallyMergesChangesFromParent = false
    theirs.message = "new"
    theirEdited.message = "new"
    pair.there.delete(theirGone)
    try pair.there.save()
    edited.url = "mine"
    try pair.here.mergeChanges(
      fromRemoteContextSave: ObjectChanges(
        updated: [changed.objectID, edited.objectID],
        deleted: [gone.objectID]
      )
    )
    #expect(changed.message == "new")
    #expect(gone.isDeleted)
    #expect(edited.message == "new")
    #expect(edited.url == "mine")
    try pair.here.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 transient values stay with their context`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    ours.scratch = 1
    try pair.here.save()
    theirs.scratch = 2
    theirs.message = "new"
    try pair.there.save()
    try pair.here.processPendingChanges()
    #expect(ours.message == "new")
    #expect(ours.scratch == 1)
    ours.scratch = 3
    theirs.message = "newer"
    try pair.there.save()
    try pair.here.processPendingChanges()
    #expect(ours.message == "newer" && ours.scratch == 3)
    pair.here.rollback()
    #expect(ours.message == "newer" && ours.scratch == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a fetch and a save hide no conflict, and nothing is lost by that`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (counter, theirs) = try pair.commit("a")
    let (edited, theirEdited) = try pair.commit("b")
    counter.size = 1
    edited.url = "mine"
    theirs.size = 1
    theirs.message = "theirs"
    theirEdited.message = "theirs"
    try pair.there.save()
    theirs.message = "theirs again"
    try pair.there.save()
    _ = try pair.here.fetch(Author.all)
    #expect(edited.message == "theirs")
    #expect(counter.message == "old")
    #expect(code { try pair.here.save() } == .managedObjectMerge)
    #expect(counter.size == 1)
    pair.here.rollback()
    #expect(counter.message == "theirs again")
    #expect(edited.url.isEmpty)
    counter.size = 2
    theirs.size = 3
    try pair.there.save()
    _ = try pair.here.fetch(Author.all)
    try pair.here.processPendingChanges()
    try pair.here.save()
    let fresh = try pair.bench.context().object(Commit.self, with: counter.objectID)
    #expect(fresh.size == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 what was put off of a save undoes no later save`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    let (edited, theirEdited) = try pair.commit("a")
    let (joe, theirJoe) = try pair.author("Joe")
    let commit = Commit(context: pair.here)
    (commit.sha, commit.author) = ("b", joe)
    edited.message = "mine"
    pair.there.undoManager = ContextUndoManager()
    theirEdited.message = "theirs"
    theirEdited.size = 3
    try pair.there.processPendingChanges()
    pair.there.delete(theirJoe)
    try pair.there.save()
    pair.there.undo()
    try pair.there.save()
    _ = try pair.here.fetch(Team.all)
    #expect(edited.size == nil)
    #expect(!joe.isDeleted)
    try pair.here.processPendingChanges()
    #expect(edited.size == 3 && edited.message == "mine")
    #expect(!joe.isDeleted)
    #expect(commit.author === joe)
    joe.name = "new"
    try pair.here.save()
    let other = pair.bench.context()
    #expect(try other.object(Commit.self, with: commit.objectID).author?.name == "new")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 an update that was put off brings nothing back that was deleted since`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (ours, theirs) = try pair.commit()
    ours.message = "mine"
    theirs.message = "theirs"
    try pair.there.save()
    pair.there.delete(theirs)
    try pair.there.save()
    _ = try pair.here.fetch(Team.all)
    pair.here.rollback()
    #expect(ours.isDeleted)
    #expect(!pair.here.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 merging a save again undoes no later one`(_ kind: StoreKind) async throws {
    let pair = try Pair(kind)
    pair.here.automaticallyMergesChangesFromParent = false
    let (joe, theirJoe) = try pair.author("Joe")
    var saves = pair.bench.coordinator.saves().makeAsyncIterator()
    pair.there.undoManager = ContextUndoManager()
    pair.there.delete(theirJoe)
    try pair.there.save()
    pair.there.undo()
    try pair.there.save()
    let deletion = try #require(await saves.next())
    let insertion = try #require(await saves.next())
    pair.here.mergeChanges(fromContextDidSave: deletion)
    #expect(joe.isDeleted)
    pair.here.mergeChanges(fromContextDidSave: insertion)
    #expect(!joe.isDeleted)
    pair.here.mergeChanges(fromContextDidSave: deletion)
    #expect(!joe.isDeleted)
    pair.there.delete(theirJoe)
    try pair.there.save()
    let secondDeletion = try #require(await saves.next())
    pair.here.mergeChanges(fromContextDidSave: secondDeletion)
    pair.here.mergeChanges(fromContextDidSave: insertion)
    #expect(joe.isDeleted)
  }
}
