// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// Copies and times of saves, where several contexts or an undo change what they follow.
@Suite("SEMANTICS 1A.9: derived attributes, conflicts and undo")
struct DerivationConflictTests {
  /// People whose names are unique in small letters, the copy of which lies before the name.
  private static func bench(_ kind: StoreKind) throws -> Bench {
    let person = EntityDescription(
      "Person",
      uniqueness: [["lower"]],
      properties: [
        .attribute("lower", .string, optional: true, derived: "lowercase:(name)"),
        .attribute("name", .string, default: ""), .attribute("note", .string, optional: true),
        .attribute("changed", .date, optional: true, derived: "now()"),
      ]
    )
    return try Bench(kind, model: try ManagedObjectModel(person), classes: [])
  }

  private static var all: FetchRequest<ManagedObject> { FetchRequest(entityName: "Person") }

  /// A stored person, as two contexts and no other have it.
  private struct Scene {
    let bench: Bench
    let first: ManagedObjectContext
    let second: ManagedObjectContext
    let theirs: ManagedObject
    let ours: ManagedObject

    init(_ kind: StoreKind, _ policy: MergePolicy = .error) throws {
      bench = try DerivationConflictTests.bench(kind)
      (first, second) = (bench.context(), bench.context())
      second.mergePolicy = policy
      theirs = try first.make("Person", ["name": "bob"])
      try first.save()
      ours = try second.existingObject(with: theirs.objectID)
    }

    /// What is stored: the name, the copy of it and the note.
    func stored() throws -> [String] {
      let reader = bench.context()
      return try reader.fetch(DerivationConflictTests.all).map { object in
        try ["name", "lower", "note"].map { try object.value(forKey: $0) as? String ?? "nil" }
          .joined(separator: " ")
      }
    }

    func storedTime() throws -> Date? {
      let reader = bench.context()
      return try reader.fetch(DerivationConflictTests.all).first?.value(forKey: "changed") as? Date
    }
  }

  /// So that two saves have two times.
  private func waitForAnotherTime() {
    let now = Date()
    while Date().timeIntervalSince(now) < 0.002 {}
  }

  @Test(arguments: StoreKind.allCases, [MergePolicy.mergeByPropertyObjectTrump, .overwrite])
  func `1A.9 a copy follows the value that a merge keeps, also where it has not changed itself`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let scene = try Scene(kind, policy)
    try scene.ours.set(["name": "Bob"])
    try scene.theirs.set(["name": "Alice"])
    try scene.first.save()
    try scene.second.save()
    #expect(try scene.stored() == ["Bob bob nil"])
    #expect(try scene.ours.value(forKey: "lower") as? String == "bob")
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 a copy of what others have saved is no change here`(_ kind: StoreKind) throws {
    let scene = try Scene(kind)
    scene.second.automaticallyMergesChangesFromParent = true
    try scene.ours.set(["note": "x"])
    for name in ["Alice", "Carol"] {
      try scene.theirs.set(["name": name])
      try scene.first.save()
      try scene.second.processPendingChanges()
      #expect(try scene.ours.value(forKey: "lower") as? String == name.lowercased())
      #expect(Set(scene.ours.changedValues().keys) == ["note"])
    }
    try scene.second.save()
    #expect(try scene.stored() == ["Carol carol x"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 a rollback of a conflict leaves no copy changed`(_ kind: StoreKind) throws {
    let scene = try Scene(kind, .rollback)
    try scene.ours.set(["name": "Bill", "note": "x"])
    try scene.theirs.set(["name": "Alice"])
    try scene.first.save()
    try scene.second.save()
    #expect(scene.ours.changedValues().isEmpty && !scene.second.hasChanges)
    #expect(try scene.stored() == ["Alice alice nil"])
  }

  @Test(arguments: StoreKind.allCases, [MergePolicy.mergeByPropertyStoreTrump, .rollback])
  func `1A.9 an object whose copy is taken gets back what the copy is made of`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let scene = try Scene(kind, policy)
    _ = try scene.first.make("Person", ["name": "Ann"])
    try scene.first.save()
    try scene.ours.set(["name": "ANN", "note": "x"])
    try scene.second.save()
    #expect(!scene.second.hasChanges)
    #expect(try scene.ours.value(forKey: "name") as? String == "bob")
    #expect(
      try Set(scene.stored()) == ["Ann ann nil", policy == .rollback ? "bob bob nil" : "bob bob x"]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 an undo of what copies are made of leaves nothing changed`(_ kind: StoreKind) throws {
    let bench = try writersBench(kind)
    let context = bench.context()
    let writer = Writer(context: context)
    writer.name = "Ann"
    try context.save()
    context.undoManager = ContextUndoManager()
    writer.name = "Bob"
    try context.processPendingChanges()
    context.undo()
    #expect(writer.lower == "ann" && writer.upper == "ANN" && writer.copy == "Ann")
    #expect(!writer.hasChanges && writer.changedValues().isEmpty)
    context.redo()
    #expect(writer.lower == "bob" && writer.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 now is the time of the save that follows a conflict`(_ kind: StoreKind) throws {
    let scene = try Scene(kind, .mergeByPropertyStoreTrump)
    try scene.ours.set(["note": "x"])
    waitForAnotherTime()
    try scene.theirs.set(["name": "Alice"])
    try scene.first.save()
    let theirs = try #require(try scene.storedTime())
    waitForAnotherTime()
    try scene.second.save()
    #expect(try #require(try scene.storedTime()) > theirs)
    #expect(try scene.ours.value(forKey: "changed") as? Date == scene.storedTime())
    #expect(try scene.stored() == ["Alice alice x"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 now is the time of the save that merges a new object`(_ kind: StoreKind) throws {
    let scene = try Scene(kind, .mergeByPropertyObjectTrump)
    let before = try #require(try scene.storedTime())
    waitForAnotherTime()
    _ = try scene.second.make("Person", ["name": "BOB", "note": "x"])
    try scene.second.save()
    #expect(try scene.stored() == ["BOB bob x"])
    #expect(try #require(try scene.storedTime()) > before)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 times of saves are no conflict between a child and its parent`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    let child = ManagedObjectContext(parent: scene.second)
    let grandchild = ManagedObjectContext(parent: child)
    let theirs = try grandchild.existingObject(with: scene.ours.objectID)
    try theirs.set(["name": "Alice"])
    try grandchild.save()
    waitForAnotherTime()
    try scene.ours.set(["note": "x"])
    try scene.second.save()
    try child.save()
    try scene.second.save()
    #expect(try scene.stored() == ["Alice alice x"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 the time of a save that failed is no conflict with what others save`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    scene.second.automaticallyMergesChangesFromParent = true
    try scene.ours.set(["note": "x"])
    let other = try scene.second.make("Person", ["name": "bob"])
    #expect(code { try scene.second.save() } == .managedObjectConstraintMerge)
    scene.second.delete(other)
    waitForAnotherTime()
    try scene.theirs.set(["name": "Alice"])
    try scene.first.save()
    try scene.second.processPendingChanges()
    try scene.second.save()
    #expect(try scene.stored() == ["Alice alice x"])
  }
}
