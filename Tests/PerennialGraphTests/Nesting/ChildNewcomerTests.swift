// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1M.2: a fetch in a child compares with what the parent has")
struct ChildNewcomerTests {
  private func child(of scene: EntryScene, _ policy: MergePolicy) -> ManagedObjectContext {
    let child = ManagedObjectContext(parent: scene.context)
    child.mergePolicy = policy
    return child
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 in a child the parent's unsaved objects count`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind)
    let child = child(of: scene, .mergeByPropertyObjectTrump)
    _ = try scene.context.make("Entry", ["key": Int64(5), "a": Int64(50)])
    _ = try child.make("Entry", ["key": Int64(5), "b": Int64(51)])
    _ = try child.make("Entry", ["key": Int64(1), "b": Int64(11)])
    #expect(try child.fetch(scene.all).map { try $0.numbers() } == [[1, 10, 11], [5, 50, 51]])
    // A child keeps its changes to itself until it saves.
    #expect(
      try scene.context.fetch(scene.all).map { try $0.numbers() } == [[1, 10, nil], [5, 50, nil]]
    )
    try child.save()
    try scene.context.save()
    #expect(try scene.stored() == [[1, 10, 11], [5, 50, 51]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 what the parent changes after a fetch of the child is found by the next`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let child = child(of: scene, .mergeByPropertyObjectTrump)
    let entry = try child.make("Entry", ["key": Int64(5), "b": Int64(51)])
    #expect(try child.fetch(scene.all).count == 2)
    _ = try scene.context.make("Entry", ["key": Int64(5), "a": Int64(50)])
    #expect(try child.fetch(scene.all).map { try $0.numbers() } == [[1, 10, nil], [5, 50, 51]])
    #expect(entry.isForwarding)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 with the policy error a child shows both, and its save reports them`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let child = child(of: scene, .error)
    let entry = try child.make("Entry", ["key": Int64(1)])
    #expect(try child.fetch(scene.all).count == 2)
    #expect(!entry.isForwarding)
    #expect(code { try child.save() } == .managedObjectConstraintMerge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an equal value that a child assigned counts when the parent saves`(
    _ kind: StoreKind
  ) throws {
    for fetches in [true, false] {
      let scene = try EntryScene(kind)
      let child = child(of: scene, .mergeByPropertyObjectTrump)
      _ = try scene.context.fetch(scene.all)
      _ = try child.make("Entry", ["key": Int64(1), "a": Int64(10)])
      if fetches { #expect(try child.fetch(scene.all).count == 1) }
      try child.save()
      #expect(scene.context.hasChanges)
      try scene.change(["a": 7, "b": 7])
      try scene.context.save()
      #expect(try scene.stored() == [[1, 10, 7]], "fetched: \(fetches)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a parent that merges the other way round has its way`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind, .overwrite)
    let (parent, child) = (scene.context, child(of: scene, .overwrite))
    func make(_ key: Int64, _ code: Int64, _ context: ManagedObjectContext) throws -> ManagedObject
    {
      try context.make("Entry", ["key": key, "code": code])
    }
    let first = try make(3, 2, parent)
    let new = try make(5, 2, child)
    let others = try [make(3, 2, parent), make(5, 2, parent)]
    // The child merges its object into one of the parent's, and all on into the second.
    let found = try child.fetch(scene.all.filter("key > 1"))
    #expect(found.count == 1 && found[0].objectID == others[0].objectID && new.isForwarding)
    // The parent merges all into the first.
    #expect(try parent.fetch(scene.all.filter("key > 1")) == [first])
    #expect(child.registeredObject(for: first.objectID) === found[0])
    #expect(found[0].objectID == first.objectID && new.objectID == first.objectID)
    try parent.save()
    #expect(child.registeredObject(for: first.objectID) === found[0])
    try new.set(["b": Int64(8)])
    try child.save()
    try parent.save()
    #expect(try scene.stored() == [[1, 10, nil], [5, nil, 8]])
  }
}
