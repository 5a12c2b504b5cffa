// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.2: a parent that rolls a merge back takes its children along")
struct ChildPartingTests {
  /// Two stored employees, "a" and "b", of whom the parent gives the second the badge of the first; the
  /// second has a desk.
  private struct Scene {
    let bench: Bench
    let parent: ManagedObjectContext
    let child: ManagedObjectContext
    let ours: [ManagedObject]
    let theirs: [ManagedObject]
    let desk: ManagedObject

    init(_ kind: StoreKind) throws {
      bench = try Bench(kind, model: Office.model())
      let parent = bench.context()
      self.parent = parent
      parent.mergePolicy = .mergeByPropertyObjectTrump
      let parents = try ["a", "b"].map { try parent.make("Employee", ["badge": $0, "name": $0]) }
      theirs = parents
      let parentsDesk = try parent.make("Desk")
      try parentsDesk.link("holder", parents[1])
      try parent.save()
      let child = ManagedObjectContext(parent: parent)
      child.mergePolicy = .mergeByPropertyObjectTrump
      self.child = child
      ours = try parents.map { try child.existingObject(with: $0.objectID) }
      desk = try child.existingObject(with: parentsDesk.objectID)
    }

    func merge() throws {
      try theirs[1].set(["badge": "a"])
      try parent.processPendingChanges()
      _ = try parent.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
      #expect(theirs[1].isForwarding)
    }

    func names(_ context: ManagedObjectContext) throws -> Set<String?> {
      Set(
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).map(\.fullName)
      )
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an object that followed the merge comes back, and what refers to it`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    #expect(try scene.desk.target("holder") === scene.ours[1])
    try scene.merge()
    #expect(try scene.ours[1].isForwarding && scene.desk.target("holder") === scene.ours[0])
    scene.parent.rollback()
    #expect(!scene.theirs[1].isForwarding && !scene.ours[1].isForwarding)
    #expect(scene.ours[1].objectID == scene.theirs[1].objectID)
    #expect(scene.ours.map(\.fullName) == ["a", "b"])
    #expect(try scene.desk.target("holder") === scene.ours[1])
    #expect(!scene.child.hasChanges)
    #expect(try scene.names(scene.child) == ["a", "b"])
    try scene.ours[1].set(["name": "c"])
    try scene.child.save()
    try scene.parent.save()
    #expect(try scene.names(scene.bench.context()) == ["a", "c"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 changes that the merge moved in the child stay where they are`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    try scene.ours[1].set(["name": "mine"])
    try scene.merge()
    #expect(scene.ours[1].isForwarding && scene.ours[0].fullName == "mine")
    scene.parent.rollback()
    #expect(scene.ours[1].isForwarding && scene.ours[0].fullName == "mine")
    #expect(try scene.names(scene.child) == ["mine", "b"])
    try scene.child.save()
    try scene.parent.save()
    #expect(try scene.names(scene.bench.context()) == ["mine", "b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a new object of the parent stands for the saved one in both`(_ kind: StoreKind) throws
  {
    let scene = try Scene(kind)
    let new = try scene.parent.make("Employee", ["badge": "a", "name": "new"])
    let mine = try scene.child.existingObject(with: new.objectID)
    _ = try scene.parent.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
    #expect(new.isForwarding && mine.isForwarding)
    scene.parent.rollback()
    #expect(new.isForwarding && mine.isForwarding && mine.objectID == scene.theirs[0].objectID)
    scene.child.refresh(mine, mergeChanges: false)
    #expect(mine.fullName == "a" && new.fullName == "a")
    #expect(try scene.names(scene.child) == ["a", "b"])
  }
}
