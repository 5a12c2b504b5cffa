// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RandomTesting
import Testing

@testable import PerennialGraph

@Suite("SEMANTICS 1M: who is told of what a policy has done")
struct MergingNoticeTests {
  /// A stored listener, in the context that saves first and in the one that comes second.
  private struct Pair {
    let bench: Bench
    let first: ManagedObjectContext
    let second: ManagedObjectContext
    let theirs: Listener
    let ours: Listener

    init(_ kind: StoreKind) throws {
      bench = try Bench(kind, model: Listener.model(), classes: [Listener.self])
      (first, second) = (bench.context(), bench.context())
      theirs = Listener(context: first)
      theirs.text = "a"
      try first.save()
      ours = try second.object(Listener.self, with: theirs.objectID)
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1F.3 an object whose conflict is resolved by hand is told at once, and once`(
    _ kind: StoreKind,
    _ isDeleted: Bool
  ) throws {
    let pair = try Pair(kind)
    pair.ours.text = "c"
    if isDeleted { pair.first.delete(pair.theirs) } else { pair.theirs.text = "b" }
    try pair.first.save()
    let error = try failure { try pair.second.save() }
    #expect(pair.ours.heard.isEmpty)
    let policy: MergePolicy = isDeleted ? .mergeByPropertyObjectTrump : .mergeByPropertyStoreTrump
    try pair.second.resolve(error.conflicts, using: policy)
    #expect(pair.ours.heard == [.mergePolicy])
    try pair.second.processPendingChanges()
    try pair.second.save()
    #expect(pair.ours.heard == [.mergePolicy])
    #expect(pair.ours.text == (isDeleted ? "c" : "b"))
  }

  @Test(arguments: StoreKind.allCases, [MergePolicy.mergeByPropertyStoreTrump, .rollback])
  func `1F.3 an object that gets its unique value back is told, the one that has it is not`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let pair = try Pair(kind)
    pair.second.mergePolicy = policy
    let other = Listener(context: pair.second)
    other.text = "b"
    try pair.second.save()
    other.text = "a"
    try pair.second.save()
    #expect(other.text == "b" && other.heard == [.mergePolicy] && pair.ours.heard.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a watched object that takes a newer row is told`(_ kind: StoreKind) throws {
    let pair = try Pair(kind)
    pair.second.mergePolicy = .overwrite
    pair.second.detectConflicts(for: pair.ours)
    pair.theirs.text = "b"
    try pair.first.save()
    try pair.second.save()
    #expect(pair.ours.text == "b" && pair.ours.heard == [.mergePolicy])
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a child that is rolled back tells nothing of what it has merged before`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let parent = pair.second
    parent.mergePolicy = .mergeByPropertyObjectTrump
    let other = Listener(context: parent)
    other.text = "b"
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let below = try [pair.ours, other].map {
      try child.object(Listener.self, with: $0.objectID)
    }
    below[1].text = "c"
    other.text = "a"
    try parent.save()
    #expect(other.isForwarding && below[1].isForwarding && below[0].text == "c")
    child.rollback()
    #expect(below[0].text == "a")
    #expect(try child.fetch(Listener.all) == [below[0]])
    #expect(below[0].heard.contains(.rollback) && !below[0].heard.contains(.mergePolicy))
  }

  // MARK: Events and the report

  @Test(arguments: StoreKind.allCases, [MergePolicy.mergeByPropertyStoreTrump, .rollback])
  func `1M.2 the report and the event say that an object got its unique value back`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy)
    let context = office.second
    let other = try context.make("Employee", ["badge": "b", "name": "Bob"])
    try context.save()
    try other.set(["badge": "a", "name": "B"])
    try context.processPendingChanges()
    let log = EventLog(context)
    try context.save()
    try context.processPendingChanges()
    let isRollback = policy == .rollback
    #expect(log.events.flatMap(\.updated) == (isRollback ? [] : [other]))
    #expect(log.events.flatMap(\.refreshed) == (isRollback ? [other] : []))
    let entries = try #require(context.lastMergeReport?.entries)
    #expect(entries.map(\.objectID) == [other.objectID] && entries.map(\.outcome) == [.merged])
    #expect(entries.map(\.kind) == [.constraint(["badge"])] && entries.map(\.policy) == [policy])
    #expect(entries.map(\.absorbedID) == [nil])
    let choices = Set(entries.flatMap(\.choices).map(\.description))
    let expected: Set<String> =
      isRollback
      ? ["badge: stored (the policy decides)", "name: stored (the policy decides)"]
      : ["badge: stored (unique values are set back)"]
    #expect(choices == expected)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.1 a survivor that gets equal values is told as changed, an absorbed row as deleted`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    try scene.other { _ = try $0.make("Entry", ["key": Int64(2), "a": Int64(5)]) }
    let context = scene.context
    let found = try context.fetch(scene.all)
    try found[1].set(["key": Int64(1), "a": Int64(10)])
    try context.processPendingChanges()
    let id = found[1].objectID
    let log = EventLog(context)
    #expect(try context.fetch(scene.all) == [found[0]])
    #expect(found[1].isForwarding)
    #expect(log.events.flatMap(\.updated) == [found[0]])
    #expect(log.events.flatMap(\.deleted).map(\.objectID) == [id])
    #expect(log.events.flatMap(\.inserted).isEmpty)
  }

  // MARK: Watched objects

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: a watched object that takes a newer row is told as refreshed`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .overwrite)
    office.second.detectConflicts(for: office.ours)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    let log = EventLog(office.second)
    try office.second.save()
    try office.second.processPendingChanges()
    #expect(office.ours.fullName == "A" && !office.ours.hasChanges)
    #expect(log.events.flatMap(\.refreshed) == [office.ours])
    let entries = try #require(office.second.lastMergeReport?.entries)
    #expect(entries.map(\.objectID) == [office.ours.objectID])
    #expect(entries.map(\.kind) == [.version] && entries.map(\.outcome) == [.merged])
    #expect(entries.flatMap(\.choices).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: a watched object whose row is gone is not found any more`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .overwrite)
    let (context, id) = (office.second, office.ours.objectID)
    context.detectConflicts(for: office.ours)
    office.first.delete(office.theirs)
    try office.first.save()
    try context.save()
    #expect(office.ours.isGone && context.registeredObject(for: id) == nil)
    #expect(!context.registeredObjects.contains(office.ours))
    #expect(code { _ = try context.existingObject(with: id) } == .objectGone)
    #expect(context.lastMergeReport?.entries.map(\.outcome) == [.gone])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.13 detectConflicts: a watched object that was found gone counts as deleted`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    let office = try Office(kind, .error)
    let context = office.second
    context.detectConflicts(for: office.ours)
    office.first.delete(office.theirs)
    try office.first.save()
    let log = EventLog(context)
    context.refresh(office.ours, mergeChanges: merges)
    #expect(office.ours.fullName == nil)
    #expect(office.ours.isGone && office.ours.isDeleted)
    #expect(office.ours.managedObjectContext === context)
    try office.ours.set(["name": "new"])
    #expect(office.ours.fullName == nil && !context.hasChanges)
    try context.processPendingChanges()
    #expect(log.events.flatMap(\.deleted) == [office.ours])
    #expect(log.events.flatMap(\.refreshed).isEmpty)
  }
}

@Suite("SEMANTICS 1M: what a context keeps about conflicts, and for how long")
struct MergingUpkeepTests {
  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.2 after a unit of work with new unique values a fetch has nothing to prepare`(
    _ kind: StoreKind,
    _ saves: Bool
  ) throws {
    let scene = try EntryScene(kind)
    #expect(scene.context.isAtRest)
    _ = try scene.context.make("Entry", ["key": Int64(2)])
    #expect(try scene.context.fetch(scene.all).count == 2)
    #expect(!scene.context.isAtRest)
    if saves { try scene.context.save() } else { scene.context.rollback() }
    #expect(scene.context.isAtRest)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 objects that were compared with each other are let go of with the save`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let context = office.second
    weak var earlier: ManagedObject?
    weak var later: ManagedObject?
    do {
      let one = try context.make("Employee", ["badge": "t"])
      try context.processPendingChanges()
      try one.set(["badge": "u"])
      // Its values are those that the other one had when they were noted.
      let two = try context.make("Employee", ["badge": "t"])
      try context.processPendingChanges()
      (earlier, later) = (one, two)
      try context.save()
    }
    context.refreshAllObjects()
    #expect(earlier == nil && later == nil)
    #expect(try office.all("Employee").count == 3)
  }

  @Test func `1M.1 a count is right when another process has deleted a member that moved here`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let layout = try Office.model().layout
    let contexts = try (0..<2).map { _ in
      let store = try StoreKind.sqlite.open(layout, in: folder)
      return ManagedObjectContext(coordinator: StoreCoordinator(store: store, classes: [:]))
    }
    defer { withExtendedLifetime(contexts) {} }
    let employee = try contexts[1].make("Employee", ["badge": "a"])
    let departments = try ["x", "y"].map { try contexts[1].make("Department", ["title": $0]) }
    try employee.link("department", departments[0])
    try contexts[1].save()
    try employee.link("department", departments[1])
    #expect(try departments.map { try $0.objects(forKey: "staff").count } == [0, 1])
    contexts[0].delete(try contexts[0].existingObject(with: employee.objectID))
    try contexts[0].save()
    let error = try failure { try contexts[1].save() }
    try contexts[1].resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
    #expect(employee.isGone)
    #expect(try departments.map { try $0.objects(forKey: "staff").count } == [0, 0])
  }

  // MARK: Versions that this process has saved

  @Test func `1M of a save of very many rows the first ones are known as saved here`() throws {
    let office = try Office(.inMemory, .error)
    let crowd = try (0..<4_200).map { try office.first.make("Employee", ["badge": "\($0)"]) }
    try office.first.save()
    for employee in [office.theirs] + crowd { try employee.set(["name": "A"]) }
    try office.first.save()
    try office.ours.set(["name": "B"])
    let error = try failure { try office.second.save() }
    guard case .version(let conflict)? = error.conflicts.first else {
      Issue.record("not a version conflict")
      return
    }
    #expect(conflict.cachedSnapshot?["name"] == .string("A"))
    #expect(conflict.persistedSnapshot == nil)
  }

  /// What is known after a save that has deleted rows, which come in several lists.
  private func noting(_ lists: [ClosedRange<Int64>]) throws -> SavedVersions {
    var changes = ChangeSet()
    changes.deletions = lists.map { keys in
      ChangeSet.Deletion(entity: 0, rows: keys.map { .init(key: $0, version: 1) })
    }
    var versions = SavedVersions()
    versions.note(changes, try Office.model().layout)
    return versions
  }

  @Test func `1M of a save with several lists of rows the first 4,096 are known`() throws {
    var versions = try noting([1...3_000, 3_001...5_000])
    let root = try Office.model().layout.entities[0].root
    let known = (1...Int64(5_000)).filter {
      versions.isLatest(root: root, key: $0, version: SavedVersions.deleted)
    }
    #expect(known == Array(1...4_096))
  }

  @Test func `1M who asks again and again for a version looks at no row twice`() throws {
    func time(_ count: Int64) throws -> Duration {
      var versions = try noting([1...count])
      _ = versions.isLatest(root: 0, key: 1, version: 1)
      return ThreadTime.of {
        for _ in 0..<1_000 { _ = versions.isLatest(root: 0, key: 1, version: 1) }
      }
    }
    let few = try time(8)
    let many = try time(4_096)
    #expect(many < few * 25, "512 times as many rows")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 a rolled back merge leaves the retained objects what the registered ones are`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let context = scene.context
    context.retainsRegisteredObjects = true
    weak var loser: ManagedObject?
    do {
      let object = try context.make("Entry", ["key": Int64(2), "a": Int64(20)])
      loser = object
      try context.save()
      try object.set(["key": Int64(1)])
      _ = try context.fetch(scene.all)
      #expect(object.isForwarding)
      context.rollback()
      #expect(!object.isForwarding)
    }
    #expect(loser != nil)
    #expect(context.retainedObjects == context.registeredObjects)
    #expect(context.registeredObjects.count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a save lets go of changes that were all taken back`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind)
    let context = scene.context
    weak var entry: ManagedObject?
    do {
      let object = try #require(try context.fetch(scene.all).first)
      entry = object
      try object.set(["key": Int64(7)])
      _ = try context.fetch(scene.all)
      context.refresh(object, mergeChanges: false)
      #expect(!context.hasChanges)
      try context.save()
    }
    #expect(entry == nil && context.isAtRest)
  }
}
