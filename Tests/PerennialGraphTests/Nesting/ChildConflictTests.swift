// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D.2, 1M.1: a child and its parent change the same object")
struct ChildConflictTests {
  /// A commit that both have changed.
  private struct Conflict {
    let family: Family
    let theirs: Commit
    let mine: Commit

    init(_ kind: StoreKind, depth: Int = 1, isStored: Bool = true) throws {
      family = try Family(kind, depth: depth)
      theirs = family.parent.insertCommit("abc", "old")
      if isStored { for context in family.line.dropFirst() { try context.save() } }
      mine = try family.child.object(Commit.self, with: theirs.objectID)
    }
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `1D.2 one property changed in both is an error by default`(
    _ kind: StoreKind,
    _ isStored: Bool
  ) throws {
    let conflict = try Conflict(kind, isStored: isStored)
    conflict.theirs.message = "above"
    conflict.mine.message = "below"
    conflict.mine.url = "below"
    #expect(code { try conflict.family.child.save() } == .managedObjectMerge)
    #expect(conflict.theirs.message == "above")
    #expect(conflict.theirs.url == "")
    #expect(conflict.mine.message == "below")
    #expect(conflict.family.child.hasChanges)
    conflict.family.child.rollback()
    _ = try conflict.family.child.fetch(Commit.all)
    #expect(conflict.mine.message == "above")
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 the child wins by property with object trump`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let conflict = try Conflict(kind, depth: depth)
    conflict.theirs.message = "above"
    conflict.theirs.url = "above"
    conflict.mine.message = "below"
    conflict.family.child.mergePolicy = .mergeByPropertyObjectTrump
    try conflict.family.child.save()
    for commit in [conflict.theirs, conflict.mine] {
      #expect(commit.message == "below")
      #expect(commit.url == "above")
    }
    try conflict.family.saveAll()
    let stored = try #require(try conflict.family.stored(Commit.self).first)
    #expect(stored.message == "below")
    #expect(stored.url == "above")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 the same value in both is no conflict`(_ kind: StoreKind) throws {
    let conflict = try Conflict(kind)
    conflict.theirs.message = "same"
    conflict.mine.message = "same"
    try conflict.family.child.save()
    #expect(conflict.theirs.message == "same")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a saved change of the parent conflicts as an unsaved one`(_ kind: StoreKind) throws {
    let conflict = try Conflict(kind)
    conflict.mine.message = "below"
    conflict.theirs.message = "above"
    try conflict.family.top.save()
    #expect(code { try conflict.family.child.save() } == .managedObjectMerge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 siblings conflict as contexts on a store do`(_ kind: StoreKind) throws {
    let conflict = try Conflict(kind)
    let sibling = ManagedObjectContext(parent: conflict.family.top)
    let other = try sibling.object(Commit.self, with: conflict.theirs.objectID)
    other.message = "sibling"
    conflict.mine.message = "below"
    try sibling.save()
    #expect(code { try conflict.family.child.save() } == .managedObjectMerge)
    conflict.family.child.mergePolicy = .mergeByPropertyObjectTrump
    try conflict.family.child.save()
    #expect(conflict.theirs.message == "below")
    _ = try sibling.fetch(Commit.all)
    #expect(other.message == "below")
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `1D.2 an object deleted above and changed below is an error, or comes back`(
    _ kind: StoreKind,
    _ isStored: Bool
  ) throws {
    let conflict = try Conflict(kind, isStored: isStored)
    let author = conflict.family.top.insertAuthor("Ada")
    conflict.mine.author = try conflict.family.child.object(with: author.objectID)
    conflict.mine.message = "below"
    conflict.family.top.delete(conflict.theirs)
    #expect(code { try conflict.family.child.save() } == .managedObjectMerge)
    conflict.family.child.mergePolicy = .mergeByPropertyObjectTrump
    try conflict.family.child.save()
    #expect(author.commits.map(\.message) == ["below"])
    try conflict.family.saveAll()
    #expect(try conflict.family.stored(Commit.self).map(\.message) == ["below"])
    #expect(try conflict.family.stored(Author.self).first?.commits.count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 an object that the store has lost is an error, or comes back`(
    _ kind: StoreKind
  ) throws {
    let conflict = try Conflict(kind)
    conflict.mine.message = "below"
    conflict.family.top.delete(conflict.theirs)
    try conflict.family.top.save()
    #expect(code { try conflict.family.child.save() } == .managedObjectMerge)
    conflict.family.child.mergePolicy = .mergeByPropertyObjectTrump
    try conflict.family.saveAll()
    #expect(try conflict.family.stored(Commit.self).map(\.message) == ["below"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 an object changed above and deleted below is an error, or goes`(
    _ kind: StoreKind
  ) throws {
    let conflict = try Conflict(kind)
    conflict.family.child.delete(conflict.mine)
    conflict.theirs.message = "above"
    #expect(code { try conflict.family.child.save() } == .managedObjectMerge)
    #expect(!conflict.theirs.isDeleted)
    conflict.family.child.mergePolicy = .mergeByPropertyObjectTrump
    try conflict.family.child.save()
    #expect(conflict.theirs.isDeleted)
    try conflict.family.top.save()
    #expect(try conflict.family.stored(Commit.self).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 an object deleted in both is no conflict`(_ kind: StoreKind) throws {
    let conflict = try Conflict(kind)
    conflict.family.child.delete(conflict.mine)
    conflict.family.top.delete(conflict.theirs)
    try conflict.family.saveAll()
    #expect(try conflict.family.stored(Commit.self).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a reference to an object that the parent has deleted becomes nil`(
    _ kind: StoreKind
  ) throws {
    let conflict = try Conflict(kind)
    let author = conflict.family.top.insertAuthor("Ada")
    conflict.mine.author = try conflict.family.child.object(with: author.objectID)
    conflict.family.top.delete(author)
    try conflict.family.saveAll()
    #expect(try conflict.family.stored(Commit.self).map(\.author) == [nil])
    #expect(try conflict.family.stored(Author.self).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a reference to an object that was made and deleted in the child becomes nil`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind, model: Office.model(), classes: [])
    let award = try family.top.make("Award")
    try family.top.save()
    let mine = try family.child.existingObject(with: award.objectID)
    let ghost = try family.child.make("Employee", ["badge": "g"])
    try mine.link("winner", ghost)
    family.child.delete(ghost)
    try family.saveAll()
    #expect(try award.target("winner") == nil)
    let reader = family.reader()
    let stored = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Award"))
    #expect(stored.count == 1)
    #expect(try stored.first?.target("winner") == nil)
    #expect(try reader.count(for: FetchRequest<ManagedObject>(entityName: "Employee")) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a reference to an object whose deletion the parent has saved becomes nil`(
    _ kind: StoreKind
  ) throws {
    let conflict = try Conflict(kind)
    let (top, child) = (conflict.family.top, conflict.family.child)
    let author = top.insertAuthor("Ada")
    try top.save()
    let writer = conflict.family.reader()
    let other = writer.insertAuthor("Eve")
    try writer.save()
    conflict.mine.author = try child.object(with: author.objectID)
    let commit = child.insertCommit("def")
    commit.author = try child.object(with: other.objectID)
    top.delete(author)
    try top.save()
    try child.save()
    #expect(conflict.theirs.author == nil)
    try top.save()
    let names = try conflict.family.stored(Commit.self).map { $0.author?.name }
    #expect(Set(names) == [nil, "Eve"])
  }

  /// How a parent loses a new object.
  enum Loss: CaseIterable { case rollback, undo, deletion }

  @Test(arguments: StoreKind.allCases, Loss.allCases)
  func `1D.2 a required reference to a new object that the parent has lost is missing`(
    _ kind: StoreKind,
    _ loss: Loss
  ) throws {
    let model = try ManagedObjectModel(
      EntityDescription("Owner", properties: [.attribute("name", .string, optional: true)]),
      EntityDescription("Item", properties: [.toOne("owner", "Owner", optional: false)])
    )
    let family = try Family(kind, model: model, classes: [])
    if loss == .undo { family.top.undoManager = ContextUndoManager() }
    let owner = try family.top.make("Owner")
    let item = try family.child.make("Item")
    try item.link("owner", family.child.existingObject(with: owner.objectID))
    switch loss {
    case .rollback: family.top.rollback()
    case .undo: family.top.undo()
    case .deletion:
      family.top.delete(owner)
      try family.top.save()
    }
    #expect(owner.managedObjectContext == nil)
    try family.child.save()
    let items = try family.top.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
    #expect(items.count == 1)
    #expect(try items.first?.target("owner") == nil)
    #expect(code { try family.top.save() } == .missingMandatoryProperty)
    try items.first?.link("owner", family.top.make("Owner"))
    try family.top.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.7 a conflict is over when the parent has deleted the object since`(
    _ kind: StoreKind
  ) throws {
    let conflict = try Conflict(kind)
    conflict.theirs.message = "above"
    conflict.mine.message = "below"
    let error = try failure { try conflict.family.child.save() }
    conflict.family.parent.delete(conflict.theirs)
    try conflict.family.child.resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
    try conflict.family.saveAll()
    #expect(try conflict.family.stored(Commit.self).isEmpty)
    #expect(conflict.mine.managedObjectContext == nil)
  }

  /// What a child does with a conflict; `nil` drops its change.
  static let cures: [MergePolicy?] = [
    nil, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite,
  ]

  @Test(arguments: StoreKind.allCases, cures)
  func `1M.7 a conflict of a child's deletion ends, though the row is gone`(
    _ kind: StoreKind,
    _ cure: MergePolicy?
  ) throws {
    for merges in [false, true] {
      let family = try Family(kind)
      family.top.automaticallyMergesChangesFromParent = merges
      let commit = family.top.insertCommit("abc", "old")
      try family.top.save()
      family.child.delete(try family.child.object(Commit.self, with: commit.objectID))
      commit.message = "above"
      try family.top.save()
      let other = family.reader()
      other.delete(try other.object(Commit.self, with: commit.objectID))
      try other.save()
      let error = try failure { try family.child.save() }
      #expect(error.code == .managedObjectMerge)
      if let cure {
        try family.child.resolve(error.conflicts, using: cure)
      } else {
        try family.child.discard(error.conflicts)
      }
      try family.saveAll()
      #expect(try family.stored(Commit.self).isEmpty)
    }
  }
}
