// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Managed final class Employee: ManagedObject {
  @Unique var email: String
  var name: String
  var salary: Int = 0
  var room: String?
}

/// What the article UniquenessAndMerging says, over all stores.
@Suite("Guide: uniqueness and merging")
struct UniquenessGuideTests {
  private struct Office {
    let container: PersistentContainer
    private let folder: TemporaryFolder

    init(_ kind: StoreKind) throws {
      folder = try TemporaryFolder()
      container = try PersistentContainer(
        name: "Office",
        entities: Employee.self,
        store: kind.description(in: folder)
      )
    }

    /// Saves Alice, of room 1.
    func hireAlice() throws -> ManagedObjectID {
      let context = container.newBackgroundContext()
      let alice = Employee(context: context)
      (alice.email, alice.name, alice.salary, alice.room) = ("a@example.org", "Alice", 10, "1")
      try context.save()
      return alice.objectID
    }

    /// What is stored, as a row of the article's tables.
    func rows() throws -> [String] {
      try container.newBackgroundContext().fetch(Employee.sorted(by: \.email)).map {
        "\($0.name), \($0.salary), \($0.room ?? "-")"
      }
    }
  }

  /// A policy, and what the article's tables say of it.
  struct Outcome: Sendable, CustomTestStringConvertible {
    var policy: MergePolicy
    var row: String
    var testDescription: String { policy.description }

    init(_ policy: MergePolicy, _ row: String) { (self.policy, self.row) = (policy, row) }
  }

  static let versions = [
    Outcome(.mergeByPropertyObjectTrump, "B, 50, 2"),
    Outcome(.mergeByPropertyStoreTrump, "A, 50, 2"),
    Outcome(.overwrite, "B, 10, 2"),
    Outcome(.rollback, "A, 50, 1"),
  ]

  static let constraints = [
    Outcome(.mergeByPropertyObjectTrump, "B, 10, 1"),
    Outcome(.mergeByPropertyObjectTrumpOverwritingUnset, "B, 0, -"),
    Outcome(.mergeByPropertyStoreTrump, "Alice, 10, 1"),
    Outcome(.overwrite, "B, 0, -"),
    Outcome(.rollback, "Alice, 10, 1"),
  ]

  /// Changes Alice in two contexts; the second has not been saved.
  private func changeTwice(_ office: Office) throws -> ManagedObjectContext {
    let id = try office.hireAlice()
    let (there, here) = (
      office.container.newBackgroundContext(), office.container.newBackgroundContext()
    )
    let (theirs, ours) = (
      try there.object(Employee.self, with: id), try here.object(Employee.self, with: id)
    )
    #expect(theirs.name == "Alice" && ours.name == "Alice")
    (theirs.name, theirs.salary) = ("A", 50)
    try there.save()
    (ours.name, ours.room) = ("B", "2")
    return here
  }

  @Test(arguments: versions, StoreKind.allCases)
  func `the table of changes on both sides`(_ outcome: Outcome, _ kind: StoreKind) throws {
    let office = try Office(kind)
    let here = try changeTwice(office)
    here.mergePolicy = outcome.policy
    try here.save()
    #expect(try office.rows() == [outcome.row])
  }

  @Test(arguments: constraints, StoreKind.allCases)
  func `the table of taken unique values`(_ outcome: Outcome, _ kind: StoreKind) throws {
    let office = try Office(kind)
    _ = try office.hireAlice()
    let context = office.container.newBackgroundContext()
    context.mergePolicy = outcome.policy
    let newcomer = Employee(context: context)
    (newcomer.email, newcomer.name) = ("a@example.org", "B")
    try context.save()
    #expect(try office.rows() == [outcome.row])
    #expect(newcomer.isForwarding)
  }

  @Test(arguments: StoreKind.allCases)
  func `the policy error changes nothing`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let here = try changeTwice(office)
    #expect(here.mergePolicy == .error)
    #expect(try failure { try here.save() }.code == .managedObjectMerge)
    #expect(here.hasChanges)
    #expect(try office.rows() == ["A, 50, 1"])

    here.rollback()
    let newcomer = Employee(context: here)
    (newcomer.email, newcomer.name) = ("a@example.org", "B")
    #expect(try failure { try here.save() }.code == .managedObjectConstraintMerge)
    #expect(newcomer.isInserted)
  }

  @Test(arguments: StoreKind.allCases)
  func `unsaved objects are compared before a fetch`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let context = office.container.newBackgroundContext()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let first = Employee(context: context)
    first.email = "ada@example.org"
    let second = Employee(context: context)
    second.email = "ada@example.org"
    second.name = "Ada"
    let employees = try context.fetch(Employee.all)

    #expect(employees == [first])
    #expect(first.name == "Ada")
    #expect(second.isForwarding && second.objectID == first.objectID)
  }

  @Test(arguments: StoreKind.allCases)
  func `a stored object is found before a fetch, too`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let id = try office.hireAlice()
    let context = office.container.newBackgroundContext()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let newcomer = Employee(context: context)
    newcomer.email = "a@example.org"
    #expect(try context.fetch(Employee.all).map(\.objectID) == [id])
    #expect(newcomer.objectID == id && newcomer.name == "Alice")
  }

  @Test(arguments: StoreKind.allCases)
  func `conflicts are values that can be resolved`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let context = try changeTwice(office)
    do {
      try context.save()
    } catch let error where error.code == .managedObjectMerge {
      try context.resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
      try context.save()
    }
    #expect(try office.rows() == ["A, 50, 2"])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `what has been merged is no conflict, unless it was to be detected`(
    _ kind: StoreKind,
    isDetected: Bool
  ) throws {
    let office = try Office(kind)
    let id = try office.hireAlice()
    let (there, here) = (
      office.container.newBackgroundContext(), office.container.newBackgroundContext()
    )
    here.automaticallyMergesChangesFromParent = true
    let ours = try here.object(Employee.self, with: id)
    if isDetected { here.detectConflicts(for: ours) }
    ours.name = "B"
    try there.object(Employee.self, with: id).name = "A"
    try there.save()
    try here.processPendingChanges()
    if isDetected {
      #expect(try failure { try here.save() }.code == .managedObjectMerge)
      #expect(try office.rows() == ["A, 10, 1"])
    } else {
      try here.save()
      #expect(try office.rows() == ["B, 10, 1"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `conflicts tell the values of both sides`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let context = try changeTwice(office)
    let error = try failure { try context.save() }
    var lines: [String] = []
    for case .version(let conflict) in error.conflicts {
      let (here, stored) = (conflict.changedValues["name"], conflict.storedSnapshot?["name"])
      lines.append("'name' is \(here ?? .null) here, and \(stored ?? .null) in the store")
    }
    let (ours, theirs) = (PropertyValue.string("B"), PropertyValue.string("A"))
    #expect(lines == ["'name' is \(ours) here, and \(theirs) in the store"])
    try context.discard(error.conflicts)
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `a report tells whose value was taken`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let context = try changeTwice(office)
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    let report = try #require(context.lastMergeReport?.description)
    for line in [
      "name: ours (the policy decides)", "salary: stored (changed elsewhere only)",
      "room: ours (changed here only)",
    ] {
      #expect(report.contains(line), "\(report)")
    }
  }
}
