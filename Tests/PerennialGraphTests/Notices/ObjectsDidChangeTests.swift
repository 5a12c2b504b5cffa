// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// SEMANTICS 1E.1: what the sets of an event hold.
@Suite("Objects did change")
struct ObjectsDidChangeTests {
  @Test(arguments: StoreKind.allCases)
  func `1E.1 an event tells inserted, updated and deleted objects`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let log = EventLog(cast.context)

    let new = Commit(context: cast.context)
    new.sha = "2"
    cast.author.name = "Ann"
    cast.context.delete(cast.team)
    #expect(log.events.isEmpty)
    try cast.context.processPendingChanges()

    let (changes, count) = log.takeEvent()
    #expect(count == 1)
    #expect(changes?.inserted == [new])
    #expect(changes?.updated == [cast.author])
    #expect(changes?.deleted == [cast.team])
    #expect(changes?.refreshed.isEmpty == true)
    #expect(changes?.invalidatedAll == false)
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 nothing changed is no event`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let log = EventLog(cast.context)

    cast.author.name = "Joe"
    try cast.context.processPendingChanges()
    _ = try cast.context.fetch(Commit.all)
    try cast.context.save()

    #expect(log.order.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 a fetch ends an event but adds nothing to it`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let cast = try Cast(bench)
    let other = bench.context()
    let log = EventLog(other)

    _ = try other.fetch(Author.all)
    #expect(log.events.isEmpty)
    _ = Author(context: other)
    _ = try other.fetch(Commit.all)

    #expect(log.events.count == 1)
    withExtendedLifetime(cast) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 inserted and deleted in one event is nothing`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let log = EventLog(context)

    context.delete(Author(context: context))
    try context.processPendingChanges()

    #expect(log.events.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 an inserted object is updated or deleted in later events`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let log = EventLog(context)

    let author = Author(context: context)
    try context.processPendingChanges()
    #expect(log.takeEvent().changes?.inserted == [author])
    author.name = "Ann"
    try context.processPendingChanges()
    let update = log.takeEvent()
    #expect(update.changes?.updated == [author])
    #expect(update.changes?.inserted.isEmpty == true)
    context.delete(author)
    try context.processPendingChanges()

    #expect(log.takeEvent().changes?.deleted == [author])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 a cascade deletes in the same event`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    cast.team.members.remove(cast.author)
    try cast.context.save()
    let log = EventLog(cast.context)

    cast.context.delete(cast.author)
    try cast.context.processPendingChanges()

    let (changes, count) = log.takeEvent()
    #expect(count == 1)
    #expect(changes?.deleted == [cast.author, cast.commit])
    #expect(changes?.updated.isEmpty == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 both owners count as updated when a member moves`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let other = Author(context: cast.context)
    other.name = "Ann"
    try cast.context.save()
    let log = EventLog(cast.context)

    cast.commit.author = other
    try cast.context.processPendingChanges()

    #expect(log.takeEvent().changes?.updated == [cast.commit, cast.author, other])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 both owners of a pair count as updated`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let log = EventLog(cast.context)

    cast.author.teams.remove(cast.team)
    try cast.context.processPendingChanges()
    #expect(log.takeEvent().changes?.updated == [cast.author, cast.team])
    cast.author.teams.insert(cast.team)
    try cast.context.processPendingChanges()

    #expect(log.takeEvent().changes?.updated == [cast.author, cast.team])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 a new order updates the owner`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let other = Author(context: cast.context)
    other.name = "Ann"
    cast.team.members.append(other)
    try cast.context.save()
    let log = EventLog(cast.context)

    cast.team.members.move(from: 1, to: 0)
    try cast.context.processPendingChanges()

    #expect(log.takeEvent().changes?.updated == [cast.team])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 what a callback changes belongs to the next event`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    var events: [ChangedObjects] = []
    let token = cast.context.onObjectsDidChange { changes in
      if events.isEmpty { cast.commit.message = "seen" }
      events.append(changes)
    }

    cast.author.name = "Ann"
    try cast.context.processPendingChanges()
    #expect(events.map(\.updated) == [[cast.author]])
    try cast.context.processPendingChanges()

    #expect(events.map(\.updated) == [[cast.author], [cast.commit]])
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 a rollback refreshes, brings deleted objects back and takes new ones back`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    let log = EventLog(cast.context)
    let new = Author(context: cast.context)
    cast.author.name = "Ann"
    cast.context.delete(cast.commit)
    cast.author.teams.remove(cast.team)
    try cast.context.processPendingChanges()
    _ = log.takeEvent()
    let newest = Author(context: cast.context)

    cast.context.rollback()

    let (changes, count) = log.takeEvent()
    #expect(count == 1)
    #expect(changes?.deleted == [new])
    #expect(changes?.inserted == [cast.commit])
    #expect(changes?.refreshed == [cast.author, cast.team])
    #expect(changes?.updated.isEmpty == true)
    withExtendedLifetime(newest) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 a deleted object that comes back, is refreshed and goes again is nothing`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    cast.context.undoManager = ContextUndoManager()
    let log = EventLog(cast.context)
    cast.context.delete(cast.team)
    try cast.context.processPendingChanges()
    #expect(log.takeEvent().0?.deleted == [cast.team])

    cast.context.undo()
    cast.context.refresh(cast.team, mergeChanges: true)
    cast.context.redo()
    try cast.context.processPendingChanges()

    #expect(cast.team.isDeleted)
    if let changes = log.takeEvent().changes {
      let told = [changes.inserted, changes.updated, changes.deleted, changes.refreshed]
      #expect(!told.joined().contains(cast.team))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 a row that a fetch finds newer refreshes its object`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let cast = try Cast(bench)
    let other = bench.context()
    let author = try other.object(Author.self, with: cast.author.objectID)
    author.name = "Ann"
    try other.save()
    let log = EventLog(cast.context)

    _ = try cast.context.fetch(Author.all)
    try cast.context.processPendingChanges()

    #expect(log.takeEvent().changes?.refreshed == [cast.author])
    #expect(cast.author.name == "Ann")
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 a deleted object is not refreshed, though it was while it was back`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    cast.context.undoManager = ContextUndoManager()
    cast.context.delete(cast.commit)
    try cast.context.processPendingChanges()
    let log = EventLog(cast.context)

    cast.context.undo()
    cast.context.refresh(cast.commit, mergeChanges: true)
    cast.context.delete(cast.commit)
    try cast.context.processPendingChanges()

    let changes = try #require(log.takeEvent().changes)
    #expect(!changes.refreshed.contains(cast.commit))
    #expect(!changes.inserted.contains(cast.commit))
    #expect(!changes.deleted.contains(cast.commit))
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 twins that merge are told by the survivor`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let first = Commit(context: context)
    first.sha = "1"
    let log = EventLog(context)
    let second = Commit(context: context)
    second.sha = "1"
    second.message = "Twin"

    try context.processPendingChanges()

    let changes = log.takeEvent().changes
    #expect(second.isForwarding)
    #expect(changes?.inserted.isEmpty == true)
    #expect(changes?.updated == [first])
    #expect(changes?.deleted.isEmpty == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 callbacks end with their token`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    var count = 0
    var token: NoticeToken? = context.onObjectsDidChange { _ in count += 1 }
    #expect(token != nil)

    _ = Author(context: context)
    try context.processPendingChanges()
    token = nil
    _ = Author(context: context)
    try context.processPendingChanges()

    #expect(count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 listening keeps neither the context nor an object`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    weak var weakContext: ManagedObjectContext?
    weak var weakAuthor: Author?
    var token: NoticeToken?
    do {
      let context = bench.context()
      weakContext = context
      token = context.onObjectsDidChange { _ in }
      let author = Author(context: context)
      author.name = "Joe"
      weakAuthor = author
      try context.save()
    }

    #expect(weakContext == nil)
    #expect(weakAuthor == nil)
    token?.cancel()
  }
}
