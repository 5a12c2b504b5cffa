// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialSQLite
import PerennialStore
import Testing

@Suite("SEMANTICS 1M: after a save that failed, and the report")
struct ConflictHandlingTests {
  /// An office whose second context cannot be saved: one object was changed elsewhere, a new one has
  /// a taken badge, two new ones have the same, and a fourth is in nobody's way.
  private func conflicted(_ kind: StoreKind) throws -> (Office, [String: ManagedObject]) {
    let office = try Office(kind, .error)
    try office.theirs.set(["name": "A"])
    let stored = try office.first.make("Employee", ["badge": "s", "name": "Sam", "salary": 7])
    try office.first.save()
    try office.ours.set(["name": "B"])
    return (
      office,
      [
        "stored": stored,
        "newcomer": try office.second.make("Employee", ["badge": "s", "name": "New"]),
        "innocent": try office.second.make("Employee", ["badge": "i"]),
      ]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a failed save lists all conflicts and leaves every change pending`(
    _ kind: StoreKind
  ) throws {
    let (office, objects) = try conflicted(kind)
    for _ in 0..<2 {
      let error = try failure { try office.second.save() }
      #expect(error.code == .managedObjectMerge)
      #expect(error.conflicts.count == 2 && error.problems.count == 2)
      #expect(error.problems.map(\.code) == [.managedObjectMerge, .managedObjectConstraintMerge])
      #expect(error.problems.map { $0.conflicts.first } == error.conflicts)
      #expect(office.second.conflicts == error.conflicts)
    }
    #expect(office.ours.fullName == "B")
    #expect(objects.values.filter(\.isInserted).count == 2)
    #expect(try office.all("Employee").count == 2)
    office.second.rollback()
    #expect(office.second.conflicts.isEmpty)
  }

  /// Somebody's own store may report what concerns no object of the save.
  @Test(arguments: [MergePolicy.error, .mergeByPropertyObjectTrump], [[], [SaveConflict.unknown]])
  func `1M a save fails whose conflicts name no object of it, and may go again`(
    _ policy: MergePolicy,
    _ conflicts: [SaveConflict]
  ) throws {
    let bench = try FaultBench(.sqlite, authors: 0)
    let context = bench.context()
    context.mergePolicy = policy
    let commit = Commit(context: context)
    commit.sha = "a"
    bench.store.refuses = .conflicts(conflicts)
    let error = try failure { try context.save() }
    #expect(error.code == .managedObjectConstraintMerge && error.conflicts.isEmpty)
    #expect(error.recovery == "roll back and do it again")
    #expect(commit.isInserted && commit.sha == "a")
    bench.store.refuses = nil
    try context.save()
    #expect(try bench.context().count(for: Commit.all) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M discard drops what is in the way, and the save succeeds`(_ kind: StoreKind) throws {
    let (office, objects) = try conflicted(kind)
    let error = try failure { try office.second.save() }
    try office.second.discard(error.conflicts)
    #expect(office.second.conflicts.isEmpty)
    #expect(office.ours.fullName == "A" && !office.ours.isUpdated)
    #expect(objects["newcomer"]?.isForwarding == true)
    #expect(objects["newcomer"]?.objectID == objects["stored"]?.objectID)
    #expect(objects["innocent"]?.isInserted == true)
    #expect(office.second.mergePolicy == .error)
    try office.second.save()
    #expect(try office.all("Employee").compactMap(\.fullName).sorted() == ["A", "Sam"])
    #expect(try office.all("Employee").count == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M resolve does what a policy says, and the save succeeds`(_ kind: StoreKind) throws {
    let (office, objects) = try conflicted(kind)
    let error = try failure { try office.second.save() }
    try office.second.resolve(error.conflicts, using: .mergeByPropertyObjectTrump)
    try office.second.save()
    #expect(office.ours.fullName == "B")
    #expect(objects["newcomer"]?.fullName == "New" && objects["newcomer"]?.salary == 7)
    #expect(try office.all("Employee").compactMap(\.fullName).sorted() == ["B", "New"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M each conflict may be resolved in its own way`(_ kind: StoreKind) throws {
    let (office, objects) = try conflicted(kind)
    let error = try failure { try office.second.save() }
    try office.second.resolve([error.conflicts[0]], using: .overwrite)
    #expect(office.second.conflicts == [error.conflicts[1]])
    #expect(code { try office.second.save() } == .managedObjectConstraintMerge)
    try objects["newcomer"]?.set(["badge": "free"])
    try office.second.resolve(error.conflicts, using: .rollback)
    #expect(objects["newcomer"]?.isForwarding == false)
    try office.second.save()
    #expect(try office.all("Employee").compactMap(\.fullName).sorted() == ["B", "New", "Sam"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M resolve takes back a deletion whose rules are still to be applied, and no other`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error) { employee in
      let context = try #require(employee.managedObjectContext)
      try employee.link("desk", try context.make("Desk"))
    }
    let department = try office.second.make("Department", ["title": "d"])
    let member = try office.second.make("Employee", ["badge": "m"])
    try member.link("department", department)
    try office.second.save()
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.ours.set(["name": "B"])
    let error = try failure { try office.second.save() }
    office.second.delete(office.ours)
    office.second.delete(department)
    try office.second.resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
    #expect(!office.ours.isDeleted && office.ours.fullName == "A" && department.isDeleted)
    try office.second.save()
    let stored = try #require(try office.stored)
    #expect(stored.fullName == "A")
    #expect(try stored.target("desk") != nil)
    #expect(try office.all("Department").isEmpty)
    #expect(try member.target("department") == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M twins are resolved by their conflict, too`(_ kind: StoreKind) throws {
    let office = try Office(kind, .error)
    let one = try office.second.make("Employee", ["badge": "t", "name": "1"])
    let two = try office.second.make("Employee", ["badge": "t", "salary": 2])
    let error = try failure { try office.second.save() }
    #expect(code { try office.second.resolve(error.conflicts, using: .error) } == error.code)
    try office.second.resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
    try office.second.save()
    #expect(two.isForwarding && one.fullName == "1" && one.salary == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a custom policy chooses for each conflict`(_ kind: StoreKind) throws {
    let (office, objects) = try conflicted(kind)
    office.second.mergePolicy = .custom { conflict in
      if case .version(let conflict) = conflict, conflict.storedSnapshot?["name"] == .string("A") {
        return .rollback
      }
      return .overwrite
    }
    try office.second.save()
    #expect(office.ours.fullName == "A")
    #expect(objects["newcomer"]?.fullName == "New" && objects["newcomer"]?.salary == nil)
    try office.theirs.set(["name": "C"])
    try office.first.save()
    try office.ours.set(["name": "D"])
    office.second.mergePolicy = .custom { _ in .error }
    #expect(code { try office.second.save() } == .managedObjectMerge)
  }

  // MARK: The report

  @Test(arguments: StoreKind.allCases)
  func `1M the report says whose value was taken and why`(_ kind: StoreKind) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    try office.theirs.set(["name": "A", "grade": 3])
    try office.first.save()
    try office.ours.set(["name": "B", "salary": 11])
    let newcomer = try office.second.make("Employee", ["badge": "a", "grade": 4])
    let temporary = newcomer.objectID
    try office.second.save()
    let report = try #require(office.second.lastMergeReport)
    let lock = try #require(report.entries.first { $0.kind == .version })
    #expect(lock.objectID == office.ours.objectID && lock.absorbedID == nil)
    #expect(lock.policy == .mergeByPropertyObjectTrump && lock.outcome == .merged)
    #expect(lock.choice(for: "name")?.source == .ours)
    #expect(lock.choice(for: "name")?.reason == .policy)
    #expect(lock.choice(for: "salary")?.reason == .changedHereOnly)
    let twins = try #require(report.entries.first { $0.kind == .constraint(["badge"]) })
    #expect(twins.objectID == office.ours.objectID && twins.absorbedID == temporary)
    #expect(twins.outcome == .absorbed)
    #expect(twins.choice(for: "grade")?.source == .ours)
    #expect(twins.choice(for: "salary")?.reason == .neverAssigned)
    #expect(twins.choice(for: "skills")?.reason == .united)
    let text = report.description
    #expect(text.contains("name: ours (the policy decides)"))
    #expect(text.contains("unique badge, mergeByPropertyObjectTrump: absorbed another"))
    #expect(!text.contains("11"))
    try office.ours.set(["name": "quiet"])
    try office.second.save()
    #expect(office.second.lastMergeReport == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 objects that a policy changed are told`(_ kind: StoreKind) throws {
    let bench = try Bench(kind, model: Listener.model(), classes: [Listener.self])
    let first = bench.context()
    let theirs = Listener(context: first)
    theirs.text = "a"
    try first.save()
    let second = bench.context()
    second.mergePolicy = .mergeByPropertyStoreTrump
    let ours = try second.object(Listener.self, with: theirs.objectID)
    theirs.text = "b"
    try first.save()
    ours.text = "c"
    try second.save()
    #expect(ours.heard == [.mergePolicy] && ours.text == "b")
    let twin = Listener(context: second)
    twin.text = "b"
    try second.save()
    #expect(ours.heard == [.mergePolicy, .mergePolicy] && twin.heard.isEmpty)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1F.3 objects that are merged among the changes are told, by the save or by resolve`(
    _ kind: StoreKind,
    _ isByHand: Bool
  ) throws {
    let bench = try Bench(kind, model: Listener.model(), classes: [Listener.self])
    let context = bench.context()
    let pair = [Listener(context: context), Listener(context: context)]
    for object in pair { object.text = "a" }
    if isByHand {
      let error = try failure { try context.save() }
      #expect(pair.flatMap(\.heard).isEmpty)
      try context.resolve(error.conflicts, using: .mergeByPropertyObjectTrump)
    } else {
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
    }
    #expect(pair.filter(\.isForwarding).count == 1)
    #expect(pair.first { !$0.isForwarding }?.heard == [.mergePolicy])
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 an object that is merged is told though the save fails for another one`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, model: Listener.model(), classes: [Listener.self])
    let context = bench.context()
    let objects = ["a", "a", "b", "b"].map { text in
      let object = Listener(context: context)
      object.text = text
      return object
    }
    context.mergePolicy = .custom { conflict in
      guard case .constraint(let conflict) = conflict,
        conflict.constraintValues["text"] == .string("a")
      else { return .error }
      return .mergeByPropertyObjectTrump
    }
    #expect(try failure { try context.save() }.code == .managedObjectConstraintMerge)
    let survivor = try #require(objects[..<2].first { !$0.isForwarding })
    #expect(survivor.heard == [.mergePolicy] && objects[2...].flatMap(\.heard).isEmpty)
  }

  // MARK: Other processes

  @Test func `1M a row that another process saved: cached and persisted snapshots`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let layout = try Office.model().layout
    func process() throws -> ManagedObjectContext {
      ManagedObjectContext(
        coordinator: StoreCoordinator(
          store: try StoreKind.sqlite.open(layout, in: folder),
          classes: [:]
        )
      )
    }
    let (first, second) = (try process(), try process())
    let theirs = try first.make("Employee", ["name": "Alice", "badge": "a"])
    try first.save()
    let ours = try second.existingObject(with: theirs.objectID)
    try theirs.set(["name": "A"])
    try first.save()
    try ours.set(["name": "B"])
    let error = try failure { try second.save() }
    guard case .version(let conflict)? = error.conflicts.first else {
      Issue.record("not a version conflict")
      return
    }
    #expect(conflict.objectSnapshot["name"] == .string("Alice"))
    #expect(conflict.cachedSnapshot?["name"] == .string("Alice"))
    #expect(conflict.persistedSnapshot?["name"] == .string("A"))
    #expect(conflict.storedSnapshot?["name"] == .string("A"))
    try second.resolve(error.conflicts, using: .mergeByPropertyObjectTrump)
    try second.save()
    first.delete(theirs)
    first.mergePolicy = .overwrite
    try first.save()
    try ours.set(["name": "C"])
    #expect(try failure { try second.save() }.code == .managedObjectMerge)
    second.mergePolicy = .rollback
    try second.save()
    #expect(ours.managedObjectContext == nil)
  }
}

/// An object that notes what it is told of.
final class Listener: ManagedObject, ManagedEntity {
  var heard: [SnapshotEvents] = []

  var text: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override func awake(fromSnapshotEvents events: SnapshotEvents) { heard.append(events) }

  override class var entity: EntityDescription {
    EntityDescription(
      "Listener",
      uniqueness: [["text"]],
      properties: [.attribute("text", .string, default: "")]
    )
  }
  override class var slotCount: Int { 1 }

  static func model() throws -> ManagedObjectModel { try ManagedObjectModel(entity) }
}

extension SaveConflict {
  /// Of a row that nobody has.
  fileprivate static let unknown = SaveConflict.version(root: 0, key: 1_000_000, stored: nil)
}
