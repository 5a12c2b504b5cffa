// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.2: uniqueness at every level of a family")
struct ChildConstraintTests {
  /// Whether the parent's commit is in the store, or unsaved.
  enum Holder: CaseIterable { case stored, pending }

  private func family(_ kind: StoreKind, _ holder: Holder, depth: Int) throws -> (Family, Commit) {
    let family = try Family(kind, depth: depth)
    let commit = family.top.insertCommit("abc", "first")
    commit.url = "first"
    commit.author = family.top.insertAuthor("Ada")
    if holder == .stored { try family.top.save() }
    return (family, commit)
  }

  @Test(arguments: StoreKind.allCases, Holder.allCases)
  func `1M.2 a twin of an object above is refused by default`(
    _ kind: StoreKind,
    _ holder: Holder
  ) throws {
    let (family, commit) = try family(kind, holder, depth: 2)
    let twin = family.child.insertCommit("abc", "twin")
    #expect(code { try family.child.save() } == .managedObjectConstraintMerge)
    #expect(commit.message == "first")
    #expect(try family.parent.count(for: Commit.all) == 1)
    #expect(twin.isInserted)
    twin.sha = "def"
    try family.saveAll()
    #expect(try family.stored(Commit.self).count == 2)
  }

  @Test(arguments: StoreKind.allCases, Holder.allCases)
  func `1M.2 a twin merges sparsely into the object above`(
    _ kind: StoreKind,
    _ holder: Holder
  ) throws {
    for depth in 1...3 { try mergeTwin(kind, holder, depth) }
  }

  private func mergeTwin(_ kind: StoreKind, _ holder: Holder, _ depth: Int) throws {
    let (family, commit) = try family(kind, holder, depth: depth)
    let twin = family.child.insertCommit("abc")
    twin.url = "twin"
    let temporary = twin.objectID
    family.child.mergePolicy = .mergeByPropertyObjectTrump
    try family.child.save()
    #expect(twin.isForwarding)
    #expect(twin.objectID == commit.objectID)
    #expect(twin.message == "first")
    #expect(twin.url == "twin")
    #expect(twin.author?.name == "Ada")
    #expect(try family.child.count(for: Commit.all) == 1)
    #expect(try family.child.existingObject(with: temporary).objectID == commit.objectID)
    try family.saveAll()
    #expect(twin.objectID == commit.objectID)
    #expect(commit.url == "twin")
    let stored = try family.stored(Commit.self)
    #expect(stored.map(\.message) == ["first"])
    #expect(stored.map(\.url) == ["twin"])
    #expect(stored.first?.author?.name == "Ada")
    #expect(try family.reader().existingObject(with: temporary).objectID == commit.objectID)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 twins in a child are found by its save`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let first = family.child.insertCommit("abc", "first")
    let second = family.child.insertCommit("abc")
    second.url = "second"
    #expect(code { try family.child.save() } == .managedObjectConstraintMerge)
    #expect(!family.top.hasChanges)
    family.child.mergePolicy = .mergeByPropertyObjectTrump
    try family.saveAll()
    #expect(second.objectID == first.objectID)
    let stored = try family.stored(Commit.self)
    #expect(stored.map(\.message) == ["first"])
    #expect(stored.map(\.url) == ["second"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a value that the child itself frees is free`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let (a, b) = (family.top.insertCommit("a"), family.top.insertCommit("b"))
    _ = family.top.insertCommit("c")
    try family.top.save()
    let mine = try family.child.fetch(Commit.sorted(by: \.sha))
    mine[0].sha = "b"
    mine[1].sha = "a"
    family.child.delete(mine[2])
    let new = family.child.insertCommit("c", "new")
    try family.child.save()
    #expect(a.sha == "b")
    #expect(b.sha == "a")
    #expect(new.message == "new")
    #expect(try family.top.count(for: Commit.all) == 3)
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1M.2 an object that its parent merges stands for the survivor below too`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let twin = family.top.insertCommit("abc")
    twin.url = "twin"
    let unchanged = try family.parent.object(Commit.self, with: twin.objectID)
    let mine = try family.child.object(Commit.self, with: twin.objectID)
    mine.kind = .merge
    let author = family.child.insertAuthor("Ada")
    mine.author = author
    let other = family.reader()
    let first = other.insertCommit("abc", "first")
    try other.save()
    family.top.mergePolicy = .mergeByPropertyObjectTrump
    try family.top.save()
    #expect(mine.objectID == first.objectID)
    #expect(unchanged.objectID == first.objectID)
    #expect(mine.message == "first")
    #expect(mine.kind == .merge)
    #expect(mine.author === author)
    #expect(author.commits.map(\.objectID) == [first.objectID])
    try family.saveAll()
    let stored = try family.stored(Commit.self)
    #expect(stored.count == 1)
    #expect(stored.first?.url == "twin")
    #expect(stored.first?.kind == .merge)
    #expect(stored.first?.author?.name == "Ada")
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a deletion that is taken back meets the new object that has its unique value`(
    _ kind: StoreKind
  ) throws {
    let (family, commit) = try family(kind, .stored, depth: 1)
    family.child.mergePolicy = .mergeByPropertyStoreTrump
    let mine = try #require(try family.child.fetch(Commit.all).first)
    mine.url = "mine"
    family.child.delete(mine)
    let twin = family.child.insertCommit("abc", "twin")
    commit.message = "changed"
    try family.child.save()
    #expect(!mine.isDeleted && mine.url == "mine" && mine.message == "changed")
    #expect(twin.isForwarding && twin.objectID == commit.objectID)
    try family.top.save()
    #expect(try family.stored(Commit.self).map(\.message) == ["changed"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 objects that the parent merges the other way round have the parent's values`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    // Both rows have the same version.
    try scene.other {
      _ = try $0.make("Entry", ["key": Int64(2), "code": Int64(2)])
      _ = try $0.make("Entry", ["key": Int64(3), "code": Int64(3)])
    }
    let (parent, child) = (scene.context, ManagedObjectContext(parent: scene.context))
    child.mergePolicy = .mergeByPropertyObjectTrump
    // In the child the first of them gets the second one's code, and so is merged into that one.
    _ = try child.make("Entry", ["key": Int64(2), "code": Int64(3)])
    #expect(try child.fetch(scene.all).count == 2)
    // In the parent the second one gets the first one's code.
    let theirs = try parent.fetch(scene.all)
    try theirs[2].set(["code": Int64(2)])
    #expect(try parent.fetch(scene.all) == [theirs[0], theirs[1]])
    _ = try child.make("Entry", ["key": Int64(2), "a": Int64(11)])
    try child.save()
    #expect(try child.fetch(scene.all).map { try $0.numbers() } == [[1, 10, nil], [2, 11, nil]])
    try parent.save()
    #expect(try scene.stored() == [[1, 10, nil], [2, 11, nil]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 unsaved members of both objects that the parent merges are the survivor's below`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind, model: Office.model(), classes: [])
    family.top.mergePolicy = .mergeByPropertyObjectTrump
    let survivor = try family.top.make("Department", ["title": "t"])
    try family.top.save()
    let twin = try family.top.make("Department")
    let mine = try [survivor, twin].map { try family.child.existingObject(with: $0.objectID) }
    let staff = try ["x", "y"].map { try family.child.make("Employee", ["badge": $0]) }
    #expect(try mine[0].ids("staff").isEmpty)
    for (employee, department) in zip(staff, mine) { try employee.link("department", department) }
    try twin.set(["title": "t"])
    try family.top.save()
    #expect(mine[1].isForwarding)
    #expect(try mine[0].ids("staff") == Set(staff.map(\.objectID)))
    try family.saveAll()
    let stored = try family.reader().existingObject(with: survivor.objectID)
    #expect(try stored.ids("staff") == Set(staff.map(\.objectID)))
  }

  /// Two entities with a many-to-many relationship between them.
  private func pairsModel() throws -> ManagedObjectModel {
    let code = PropertyDescription.attribute("code", .string, optional: true)
    return try ManagedObjectModel(
      EntityDescription(
        "Left",
        uniqueness: [["code"]],
        properties: [code, .toMany("others", "Right", inverse: "others")]
      ),
      EntityDescription(
        "Right",
        uniqueness: [["code"]],
        properties: [code, .toMany("others", "Left", inverse: "others")]
      )
    )
  }

  @Test(arguments: StoreKind.allCases, ["Left", "Right"])
  func `1M.2 unsaved pairs of both objects that the parent merges are the survivor's below`(
    _ kind: StoreKind,
    _ entity: String
  ) throws {
    let family = try Family(kind, model: pairsModel(), classes: [])
    family.top.mergePolicy = .mergeByPropertyObjectTrump
    let survivor = try family.top.make(entity, ["code": "t"])
    try family.top.save()
    let twin = try family.top.make(entity)
    let mine = try [survivor, twin].map { try family.child.existingObject(with: $0.objectID) }
    let other = entity == "Left" ? "Right" : "Left"
    let others = try ["x", "y"].map { try family.child.make(other, ["code": $0]) }
    for (one, other) in zip(mine, others) { try one.objects(forKey: "others").insert(other) }
    try twin.set(["code": "t"])
    try family.top.save()
    #expect(mine[1].isForwarding)
    #expect(try mine[0].ids("others") == Set(others.map(\.objectID)))
    for other in others { #expect(try other.ids("others") == [survivor.objectID]) }
    try family.saveAll()
    let stored = try family.reader().existingObject(with: survivor.objectID)
    #expect(try stored.ids("others") == Set(others.map(\.objectID)))
  }

  @Test(arguments: StoreKind.allCases, ["Left", "Right"])
  func `1M.2 an unsaved pair that the survivor of the parent's merge has already counts once below`(
    _ kind: StoreKind,
    _ entity: String
  ) throws {
    let family = try Family(kind, model: pairsModel(), classes: [])
    family.top.mergePolicy = .mergeByPropertyObjectTrump
    let survivor = try family.top.make(entity, ["code": "t"])
    let member = try family.top.make(entity == "Left" ? "Right" : "Left", ["code": "m"])
    try survivor.objects(forKey: "others").insert(member)
    try family.top.save()
    let twin = try family.top.make(entity)
    let mine = try [survivor, twin, member].map {
      try family.child.existingObject(with: $0.objectID)
    }
    try mine[1].objects(forKey: "others").insert(mine[2])
    try twin.set(["code": "t"])
    try family.top.save()
    #expect(mine[1].isForwarding)
    for (one, other) in [(mine[0], mine[2]), (mine[2], mine[0])] {
      let others = try one.objects(forKey: "others")
      #expect(others.count == 1)
      #expect(others.map(\.objectID) == [other.objectID])
    }
    try family.saveAll()
    let stored = try family.reader().existingObject(with: survivor.objectID)
    #expect(try stored.objects(forKey: "others").count == 1)
  }
}
