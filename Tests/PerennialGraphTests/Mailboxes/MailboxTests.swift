// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// Mailboxes: bounded, gone with their contexts, and what a save says of itself.
@Suite("SEMANTICS 1D.12, 1E.4: what a save tells other contexts")
struct MailboxTests {
  @Test(arguments: StoreKind.allCases)
  func `1E.4 a save names the objects that it inserted, updated and deleted`(
    _ kind: StoreKind
  ) async throws {
    let bench = try Bench(kind)
    let context = bench.context()
    var saves = bench.coordinator.saves().makeAsyncIterator()
    let (changed, gone) = (Badge(context: context), GoldBadge(context: context))
    let temporary = changed.objectID
    try context.save()
    let first = try #require(await saves.next())
    #expect(first.objects == ObjectChanges(inserted: [changed.objectID, gone.objectID]))
    #expect(!first.objects.inserted.contains(temporary))
    #expect(first.number == 1)
    #expect(first.author == nil)
    let added = GoldBadge(context: context)
    changed.text = "new"
    let goneID = gone.objectID
    context.delete(gone)
    try context.save()
    let second = try #require(await saves.next())
    let expected = ObjectChanges(
      inserted: [added.objectID],
      updated: [changed.objectID],
      deleted: [goneID]
    )
    #expect(second.objects == expected)
    #expect(second.number == 2)
    #expect(second.contextIdentifier == first.contextIdentifier)
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.4 a save that fails or writes nothing tells nobody`(_ kind: StoreKind) async throws {
    let bench = try Bench(kind)
    let context = bench.context()
    var saves = bench.coordinator.saves().makeAsyncIterator()
    try context.save()
    let commit = Commit(context: context)
    #expect(code { try context.save() } == .missingMandatoryProperty)
    commit.sha = "a"
    try context.save()
    let save = try #require(await saves.next())
    #expect(save.number == 1)
    #expect(save.objects.inserted == [commit.objectID])
  }

  @Test func `1D.12 author, name and user information belong to the context`() throws {
    let bench = try Bench(.inMemory)
    let context = bench.context()
    #expect(context.name == nil)
    #expect(context.transactionAuthor == nil)
    #expect(context.userInfo.isEmpty)
    context.name = "import"
    context.transactionAuthor = "importer"
    context.userInfo["started"] = 5
    #expect(context.name == "import")
    #expect(context.transactionAuthor == "importer")
    #expect(context.userInfo["started"] as? Int == 5)
    #expect(bench.context().userInfo.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.12 every save carries the author that the context has then`(
    _ kind: StoreKind
  ) async throws {
    let bench = try Bench(kind)
    let context = bench.context()
    var saves = bench.coordinator.saves().makeAsyncIterator()
    for author in ["one", "two", nil] {
      context.transactionAuthor = author
      context.name = author
      _ = Badge(context: context)
      try context.save()
      let save = try #require(await saves.next())
      #expect(save.author == author)
      #expect(save.contextName == author)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a mailbox that overflows makes its context read everything again`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let (here, there) = (bench.context(), bench.context())
    here.automaticallyMergesChangesFromParent = true
    var ours: [Badge] = []
    for number in 0..<600 {
      let badge = Badge(context: here)
      badge.text = "\(number)"
      ours.append(badge)
    }
    let (team, eve, joe) = (Team(context: here), Author(context: here), Author(context: here))
    (eve.name, joe.name) = ("Eve", "Joe")
    team.members.append(eve)
    try here.save()
    #expect(team.members.count == 1)
    let theirs = try ours.map { try there.object(Badge.self, with: $0.objectID) }
    ours[0].text = "mine"
    team.members.append(joe)
    there.delete(theirs[1])
    try there.object(Team.self, with: team.objectID).members
      .append(try there.object(Author.self, with: joe.objectID))
    for number in 0..<1_001 {
      theirs[0].text = "theirs \(number)"
      theirs[599].text = "theirs \(number)"
      try there.save()
    }
    try here.processPendingChanges()
    #expect(ours[0].text == "mine")
    #expect(ours[1].isDeleted)
    #expect(ours[2].text == "2")
    #expect(ours[599].text == "theirs 1000")
    #expect(team.members.map(\.name) == ["Eve", "Joe"])
    #expect(team.members.count == 2)
    try here.save()
    let reader = bench.context()
    #expect(try reader.object(Badge.self, with: ours[0].objectID).text == "mine")
    #expect(try reader.count(for: Badge.all) == 599)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 what is put off of more saves than a mailbox holds is merged at once`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let (here, there) = (bench.context(), bench.context())
    here.automaticallyMergesChangesFromParent = true
    let ours = GoldBadge(context: here)
    try here.save()
    let theirs = try there.object(GoldBadge.self, with: ours.objectID)
    ours.text = "mine"
    for number in 1...1_001 {
      (theirs.text, theirs.carats) = ("theirs \(number)", number)
      try there.save()
      _ = try here.fetch(Team.all)
    }
    #expect(ours.carats == 18)
    var merged: [ObjectChanges] = []
    let token = here.onDidMergeObjectIDs { merged.append($0) }
    try here.processPendingChanges()
    #expect(merged == [ObjectChanges(refreshed: [ours.objectID])])
    #expect(ours.text == "mine" && ours.carats == 1_001)
    try here.save()
    #expect(try bench.context().object(GoldBadge.self, with: ours.objectID).text == "mine")
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 what was saved before a context began to merge is not its mail`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let (here, there) = (bench.context(), bench.context())
    let ours = Badge(context: here)
    try here.save()
    let theirs = try there.object(Badge.self, with: ours.objectID)
    theirs.text = "first"
    try there.save()
    here.automaticallyMergesChangesFromParent = true
    try here.processPendingChanges()
    #expect(ours.text.isEmpty)
    theirs.text = "second"
    try there.save()
    here.automaticallyMergesChangesFromParent = false
    here.automaticallyMergesChangesFromParent = true
    try here.processPendingChanges()
    #expect(ours.text.isEmpty)
    theirs.text = "third"
    try there.save()
    #expect(try here.count(for: Badge.all) == 1)
    #expect(ours.text == "third")
  }

  @Test(arguments: StoreKind.allCases)
  func `a fetch that has overtaken the mail is not undone by it`(_ kind: StoreKind) async throws {
    let bench = try Bench(kind)
    let (here, there) = (bench.context(), bench.context())
    var saves = bench.coordinator.saves().makeAsyncIterator()
    let ours = Badge(context: here)
    try here.save()
    let theirs = try there.object(Badge.self, with: ours.objectID)
    var late: [CommittedChanges] = []
    for text in ["first", "second"] {
      theirs.text = text
      try there.save()
    }
    for _ in 0..<3 { late.append(try #require(await saves.next())) }
    _ = try here.fetch(Badge.all)
    #expect(ours.text == "second")
    for save in late { here.mergeChanges(fromContextDidSave: save) }
    #expect(ours.text == "second")
  }

  @Test(arguments: StoreKind.allCases)
  func `contexts, their objects and their mailboxes are freed`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let saver = bench.context()
    weak var context: ManagedObjectContext?
    weak var author: Author?
    weak var commit: Commit?
    do {
      let reader = bench.context()
      reader.automaticallyMergesChangesFromParent = true
      let joe = Author(context: reader)
      joe.name = "Joe"
      let first = Commit(context: reader)
      first.sha = "a"
      first.author = joe
      try reader.save()
      #expect(joe.commits.map(\.sha) == ["a"])
      #expect(first.author === joe)
      _ = Badge(context: saver)
      try saver.save()
      first.message = "edited"
      (context, author, commit) = (reader, joe, first)
      #expect(bench.coordinator.mailboxCount == 1)
    }
    #expect(context == nil)
    #expect(author == nil)
    #expect(commit == nil)
    #expect(bench.coordinator.mailboxCount == 0)
    _ = Badge(context: saver)
    try saver.save()
  }

  @Test func `a stream of saves ends with its reader`() async throws {
    let bench = try Bench(.inMemory)
    let context = bench.context()
    do {
      var saves = bench.coordinator.saves().makeAsyncIterator()
      _ = Badge(context: context)
      try context.save()
      #expect(await saves.next()?.number == 1)
      #expect(bench.coordinator.mailboxCount == 1)
    }
    #expect(bench.coordinator.mailboxCount == 0)
  }

  @Test func `a stream has a save of any size`() async throws {
    let bench = try Bench(.inMemory)
    let context = bench.context()
    var saves = bench.coordinator.saves().makeAsyncIterator()
    let text = String(repeating: "x", count: 1 << 20)
    for _ in 0..<65 { Badge(context: context).text = text }
    try context.save()
    _ = Badge(context: context)
    try context.save()
    #expect(await saves.next()?.number == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `user code that fetches while a merge is told finds everything merged`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(entities: [Watcher.entity]),
      classes: [Watcher.self]
    )
    let (here, there) = (bench.context(), bench.context())
    here.automaticallyMergesChangesFromParent = true
    let ours = [Watcher(context: here), Watcher(context: here)]
    try here.save()
    for watcher in ours {
      try there.object(Watcher.self, with: watcher.objectID).count = 1
      try there.save()
    }
    try here.processPendingChanges()
    #expect(ours.map(\.seen) == [[1, 1], [1, 1]])
  }
}

/// Fetches whenever it is told of new values.
private final class Watcher: ManagedObject, ManagedEntity {
  var count: Int {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  private(set) var seen: [Int] = []

  override func awake(fromSnapshotEvents events: SnapshotEvents) {
    guard events == .refresh else { return }
    let all = try? managedObjectContext?.fetch(Watcher.all)
    seen = (all ?? []).map(\.count)
  }

  override class var entity: EntityDescription {
    EntityDescription(
      managing: Watcher.self,
      named: "Watcher",
      superclass: ManagedObject.self,
      properties: [.of("count", Int.self, default: 0)]
    )
  }
  override class var slotCount: Int { 1 }
}
