// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1D.2: what a child's save does to its parent")
struct ChildSaveTests {
  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 only the changed properties reach the parent`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let commit = family.parent.insertCommit("abc", "one")
    for context in family.line.dropFirst() { try context.save() }
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    mine.message = "below"
    commit.url = "above"
    try family.child.save()
    #expect(commit.message == "below")
    #expect(commit.url == "above")
    #expect(Set(commit.changedValues().keys) == ["message", "url"])
    #expect(mine.url == "above")
    try family.saveAll()
    let stored = try #require(try family.stored(Commit.self).first)
    #expect(stored.message == "below")
    #expect(stored.url == "above")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 only what a child assigned counts as assigned to a new object`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let commit = family.child.insertCommit("abc")
    commit.url = "new"
    try family.child.save()
    let other = family.reader()
    let first = other.insertCommit("abc", "first")
    first.url = "first"
    try other.save()
    family.top.mergePolicy = .mergeByPropertyObjectTrump
    try family.top.save()
    let stored = try #require(try family.stored(Commit.self).first)
    #expect(stored.message == "first")
    #expect(stored.url == "new")
    #expect(commit.objectID == first.objectID)
    #expect(commit.url == "new")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a child deletes what is a fault above, and whose row is gone`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc")
    try family.top.save()
    family.child.delete(try family.child.object(Commit.self, with: commit.objectID))
    family.top.refresh(commit, mergeChanges: false)
    let other = family.reader()
    other.delete(try other.object(Commit.self, with: commit.objectID))
    try other.save()
    try family.saveAll()
    #expect(try family.stored(Commit.self).isEmpty && !family.top.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 an equal value that a child assigned is a change, and told`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let commit = family.parent.insertCommit("abc", "one")
    try family.parent.save()
    let log = EventLog(family.parent)
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    mine.message = "two"
    mine.message = "one"
    try family.child.save()
    try family.parent.processPendingChanges()
    #expect(log.takeEvent().changes?.updated == [commit])
    #expect(commit.isUpdated && commit.message == "one")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a symmetric pair that a child takes back is one change above`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let (red, blue) = (Team(context: family.top), Team(context: family.top))
    try family.top.save()
    red.allies.insert(blue)
    let mine = try family.child.object(Team.self, with: red.objectID)
    mine.allies.removeAll()
    try family.child.save()
    #expect(red.allies.count == 0 && red.allies.isEmpty)
    #expect(blue.allies.count == 0 && blue.allies.isEmpty)
    red.allies.insert(blue)
    #expect(red.allies.count == 1 && blue.allies.count == 1)
    try family.top.save()
    #expect(try family.stored(Team.self).map(\.allies.count) == [1, 1])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a symmetric pair that a child puts back is there once`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let (red, blue) = (Team(context: family.top), Team(context: family.top))
    red.allies.insert(blue)
    try family.top.save()
    red.allies.remove(blue)
    let mine = try family.child.object(Team.self, with: red.objectID)
    mine.allies.insert(try family.child.object(Team.self, with: blue.objectID))
    try family.child.save()
    #expect(red.allies.count == 1 && blue.allies.count == 1)
    #expect(Array(red.allies) == [blue])
    #expect(Array(blue.allies) == [red])
    family.child.delete(mine)
    try family.child.save()
    #expect(blue.allies.count == 0 && blue.allies.isEmpty)
    try family.top.save()
    #expect(try family.stored(Team.self).map(\.allies.count) == [0])
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 a deletion goes down to the store, with its rules`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let ada = family.top.insertAuthor("Ada")
    family.top.insertCommit("1").author = ada
    family.top.insertCommit("2").author = family.top.insertAuthor("Bob")
    let team = Team(context: family.top)
    team.members = [ada]
    try family.top.save()

    let mine = try family.child.object(Author.self, with: ada.objectID)
    family.child.delete(mine)
    try family.child.save()
    #expect(mine.managedObjectContext == nil)
    #expect(try family.child.fetch(Commit.all).map(\.sha) == ["2"])
    #expect(try family.parent.fetch(Commit.all).map(\.sha) == ["2"])
    #expect(try family.stored(Commit.self).count == 2)
    if depth == 1 { #expect(ada.isDeleted) }
    try family.saveAll()
    #expect(try family.stored(Commit.self).map(\.sha) == ["2"])
    #expect(try family.stored(Author.self).map(\.name) == ["Bob"])
    #expect(try family.stored(Team.self).first?.members.isEmpty == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 an object inserted above and deleted below is never stored`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc")
    family.child.delete(try family.child.existingObject(with: commit.objectID))
    try family.child.save()
    #expect(commit.isDeleted)
    try family.top.save()
    #expect(try family.stored(Commit.self).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a deletion that a rule denies is refused in the child`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let team = Team(context: family.top)
    team.members = [family.top.insertAuthor("Ada")]
    let mine = try family.child.object(Team.self, with: team.objectID)
    family.child.delete(mine)
    #expect(code { try family.child.save() } == .relationshipDeniedDelete)
    #expect(!team.isDeleted)
    mine.managedObjectContext?.rollback()
    #expect(!mine.isDeleted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a child is validated, and a failed save changes nothing above`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc", "one")
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    mine.message = "two"
    let bad = family.child.insertCommit("def")
    bad.setValueToNil("sha")
    #expect(code { try family.child.save() } == .missingMandatoryProperty)
    #expect(commit.message == "one")
    #expect(try family.top.count(for: Commit.all) == 1)
    bad.sha = "def"
    try family.child.save()
    #expect(commit.message == "two")
    #expect(try family.top.count(for: Commit.all) == 2)
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 relationships of every kind go down to the store`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let child = family.child
    let authors = ["Ada", "Bob", "Cid"].map(child.insertAuthor)
    let (team, ally) = (Team(context: child), Team(context: child))
    team.title = "team"
    team.members = OrderedToMany(authors)
    team.allies.insert(ally)
    let badge = GoldBadge(context: child)
    badge.team = team
    try family.saveAll()
    team.members.move(from: 0, to: 2)
    team.members.remove(authors[1])
    ally.badge = badge
    team.allies.remove(ally)
    try child.save()
    #expect(team.members.map(\.name) == ["Cid", "Ada"])
    let above = try family.parent.object(Team.self, with: team.objectID)
    #expect(above.members.map(\.name) == ["Cid", "Ada"])
    #expect(above.badge == nil)
    #expect(above.allies.isEmpty)
    try family.saveAll()
    let stored = try #require(
      try family.reader().first(Team.filter("title == 'team'"))
    )
    #expect(stored.members.map(\.name) == ["Cid", "Ada"])
    #expect(stored.badge == nil)
    #expect(stored.allies.isEmpty)
    #expect(try family.stored(GoldBadge.self).first?.team?.title == "")
    #expect(try family.stored(Author.self).first { $0.name == "Bob" }?.teams.isEmpty == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 one-to-one partners that the parent has changed are let go`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let team = Team(context: family.top)
    try family.top.save()
    let mine = try family.child.object(Team.self, with: team.objectID)
    mine.badge = Badge(context: family.child)
    let above = Badge(context: family.top)
    above.team = team
    family.child.mergePolicy = .mergeByPropertyObjectTrump
    try family.child.save()
    #expect(above.team == nil)
    #expect(team.badge?.objectID == mine.badge?.objectID)
    try family.top.save()
    #expect(try family.stored(Badge.self).count { $0.team != nil } == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 awakeFromInsert is called in the child alone`(_ kind: StoreKind) throws {
    let family = try Family(
      kind,
      model: try ManagedObjectModel(entities: [CountingEntry.entity]),
      classes: [CountingEntry.self]
    )
    let entry = CountingEntry(context: family.child)
    #expect(entry.awakened == 1)
    try family.child.save()
    let above = try family.top.object(CountingEntry.self, with: entry.objectID)
    try family.top.save()
    #expect(entry.willSaves == 1)
    #expect(entry.awakened == 1)
    #expect(above.awakened == 1)
    #expect(above.events == ["willSave", "didSave"])
    #expect(entry.events == ["awakeFromInsert", "willSave", "willSave", "didSave"])
  }
}

/// Notes what is called on it.
private final class CountingEntry: ManagedObject, ManagedEntity {
  var events: [String] = []

  var awakened: Int {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var willSaves: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override func awakeFromInsert() {
    events.append("awakeFromInsert")
    awakened += 1
  }
  override func willSave() {
    events.append("willSave")
    if willSaves == 0 { willSaves = 1 }
  }
  override func didSave() { events.append("didSave") }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: CountingEntry.self,
        named: "CountingEntry",
        superclass: ManagedObject.self,
        properties: [
          .of("awakened", Int.self, default: 0), .of("willSaves", Int.self, default: 0),
        ]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 2 }
}

extension ManagedObject {
  fileprivate func setValueToNil(_ key: String) { try? setValue(nil, forKey: key) }
}
