// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// SEMANTICS 1E.2 to 1E.4: what a save tells, and when.
@Suite("Save notices")
struct SaveNoticesTests {
  @Test(arguments: StoreKind.allCases)
  func `1E.2 a save tells changes, then that it begins, then what it wrote`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    let log = EventLog(cast.context)

    cast.author.name = "Ann"
    try cast.context.save()

    #expect(log.order == ["change", "willSave", "didSave", "didSaveIDs"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.2 what is changed when a save begins is saved and told`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let cast = try Cast(bench)
    let log = EventLog(cast.context)
    let token = cast.context.onWillSave { cast.commit.message = "stamped" }

    cast.author.name = "Ann"
    try cast.context.save()

    #expect(log.order == ["change", "willSave", "change", "didSave", "didSaveIDs"])
    #expect(log.events.map(\.updated) == [[cast.author], [cast.commit]])
    #expect(log.saves.map(\.updated) == [[cast.author, cast.commit]])
    let commit = try bench.context().object(Commit.self, with: cast.commit.objectID)
    #expect(commit.message == "stamped")
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.2 an object deleted when a save begins is deleted with its dependants`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let cast = try Cast(bench)
    cast.team.members.remove(cast.author)
    let log = EventLog(cast.context)
    let token = cast.context.onWillSave { cast.context.delete(cast.author) }

    try cast.context.save()

    #expect(log.saves.map(\.deleted) == [[cast.author, cast.commit]])
    #expect(try bench.context().count(for: Commit.all) == 0)
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.3 a save tells the objects that it wrote`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let other = Team(context: cast.context)
    try cast.context.save()
    let log = EventLog(cast.context)
    let new = Author(context: cast.context)
    new.name = "New"
    cast.context.delete(Author(context: cast.context))
    cast.commit.message = "Edited"
    cast.context.delete(other)
    let otherID = other.objectID

    try cast.context.save()

    #expect(log.saves.count == 1)
    #expect(log.savedIDs.map(\.inserted) == [[new.objectID]])
    #expect(log.savedIDs.map(\.updated) == [[cast.commit.objectID]])
    #expect(log.savedIDs.map(\.deleted) == [[otherID]])
    #expect(log.saves.first?.inserted == [new])
    #expect(log.saves.first?.updated == [cast.commit])
    #expect(log.saves.first?.deleted == [other])
    #expect(other.managedObjectContext == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.3 owners of moved members and of pairs count as updated, and keep their rows`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let cast = try Cast(bench)
    let log = EventLog(cast.context)
    let other = bench.context()
    let author = try other.object(Author.self, with: cast.author.objectID)
    author.email = "joe@example.org"
    try other.save()

    cast.author.teams.remove(cast.team)
    cast.commit.author = nil
    try cast.context.save()

    #expect(log.saves.map(\.updated) == [[cast.author, cast.team, cast.commit]])
    let stored = try bench.context().object(Author.self, with: cast.author.objectID)
    #expect(stored.email == "joe@example.org")
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.3 a save that fails does not tell that it is done`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let log = EventLog(cast.context)
    let twin = Commit(context: cast.context)
    twin.sha = cast.commit.sha

    #expect(throws: PerennialError.self) { try cast.context.save() }
    #expect(log.order == ["change", "willSave"])
    twin.sha = "2"
    try cast.context.save()

    #expect(log.saves.map(\.inserted) == [[twin]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.3 what a didSave callback changes is pending afterwards`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let token = cast.context.onDidSave { _ in cast.author.email = "later" }

    cast.author.name = "Ann"
    try cast.context.save()

    #expect(cast.context.updatedObjects == [cast.author])
    #expect(cast.author.changedValues().keys.sorted() == ["email"])
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.4 saved IDs are permanent and name deleted rows`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let log = EventLog(cast.context)
    let new = Author(context: cast.context)
    new.name = "New"
    let temporary = new.objectID
    let commitID = cast.commit.objectID
    cast.context.delete(cast.commit)

    try cast.context.save()

    let ids = try #require(log.savedIDs.first)
    #expect(ids.inserted == [new.objectID])
    #expect(!ids.inserted.contains(temporary))
    #expect(ids.deleted == [commitID])
    #expect(ids.updated == [cast.author.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.4 events stream IDs to whoever waits, and end with the context`(
    _ kind: StoreKind
  ) async throws {
    let bench = try Bench(kind)
    let stream: AsyncStream<ContextEvent>
    let id: ManagedObjectID
    do {
      let context = bench.context()
      stream = context.events()
      let author = Author(context: context)
      author.name = "Joe"
      try context.save()
      id = author.objectID
    }

    let events = await Task.detached { await stream.reduce(into: []) { $0.append($1) } }.value

    #expect(events.count == 3)
    guard case .objectsDidChange(let changes) = try #require(events.first) else {
      Issue.record("the first event is \(events)")
      return
    }
    #expect(changes.inserted.count == 1)
    #expect(changes.inserted.first?.isTemporaryID == true)
    #expect(events[1] == .willSave)
    #expect(events[2] == .didSave(ObjectChanges(inserted: [id])))
  }
}
