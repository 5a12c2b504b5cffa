// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M: conflicts that are resolved by hand, and those that are over by then")
struct SettledConflictTests {
  /// A version conflict, and a newcomer with the badge of a stored employee.
  private func conflicted(
    _ kind: StoreKind
  ) throws -> (office: Office, holder: ManagedObject, newcomer: ManagedObject, [SavingConflict]) {
    let office = try Office(kind, .error)
    let holder = try office.first.make("Employee", ["badge": "s", "name": "Sam"])
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.ours.set(["name": "B"])
    let newcomer = try office.second.make("Employee", ["badge": "s", "name": "New"])
    let error = try failure { try office.second.save() }
    #expect(error.conflicts.count == 2)
    return (office, holder, newcomer, error.conflicts)
  }

  /// Three new employees with one badge, and what their save says.
  private func triplets(
    _ kind: StoreKind
  ) throws -> (office: Office, objects: [ManagedObject], conflicts: [SavingConflict]) {
    let office = try Office(kind, .error)
    let objects = try (0..<3).map {
      try office.second.make("Employee", ["badge": "t", "name": "\($0)"])
    }
    let error = try failure { try office.second.save() }
    #expect(error.code == .managedObjectConstraintMerge && error.conflicts.count == 2)
    return (office, objects, error.conflicts)
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies + [.error])
  func `1M after a rollback there is nothing to resolve`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, holder, _, conflicts) = try conflicted(kind)
    office.second.rollback()
    try office.second.resolve(conflicts, using: policy)
    #expect(!office.second.hasChanges && office.second.lastMergeReport == nil)
    try office.second.save()
    #expect(try office.stored?.fullName == "A")
    #expect(holder.fullName == "Sam")
  }

  @Test(arguments: StoreKind.allCases)
  func `1M what was deleted on both sides since is no conflict any more`(_ kind: StoreKind) throws {
    let (office, _, newcomer, conflicts) = try conflicted(kind)
    office.first.delete(office.theirs)
    try office.first.save()
    office.second.delete(office.ours)
    office.second.delete(newcomer)
    try office.second.resolve(conflicts, using: .error)
    try office.second.save()
    #expect(try office.all("Employee").map(\.fullName) == ["Sam"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M an object that has other values since is in nobody's way any more`(
    _ kind: StoreKind
  ) throws {
    let (office, _, newcomer, conflicts) = try conflicted(kind)
    try newcomer.set(["badge": "free"])
    office.second.refresh(office.ours, mergeChanges: false)
    try office.second.resolve(conflicts, using: .error)
    #expect(!newcomer.isForwarding)
    try office.second.save()
    #expect(try office.all("Employee").compactMap(\.fullName).sorted() == ["A", "New", "Sam"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a row that went since has no unique values that were in the way`(
    _ kind: StoreKind
  ) throws {
    let (office, holder, newcomer, conflicts) = try conflicted(kind)
    office.first.delete(holder)
    try office.first.save()
    try office.second.resolve(conflicts, using: .rollback)
    #expect(newcomer.isInserted && !newcomer.isForwarding)
    try office.second.save()
    #expect(try office.all("Employee").compactMap(\.fullName).sorted() == ["A", "New"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a new object that was deleted since has no twin any more`(_ kind: StoreKind) throws {
    let (office, objects, conflicts) = try triplets(kind)
    office.second.delete(objects[1])
    office.second.delete(objects[2])
    try office.second.resolve(conflicts, using: .error)
    try office.second.save()
    #expect(try office.all("Employee").compactMap(\.fullName).sorted() == ["0", "Alice"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M all new objects with the values of a stored one are listed, and discarded at once`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let newcomers = try (0..<3).map {
      try office.second.make("Employee", ["badge": "a", "name": "\($0)"])
    }
    let error = try failure { try office.second.save() }
    let named = error.conflicts.compactMap { conflict -> ManagedObjectID? in
      guard case .constraint(let conflict) = conflict, conflict.databaseObjectID != nil else {
        return nil
      }
      return conflict.conflictingObjectIDs.first
    }
    #expect(Set(named) == Set(newcomers.map(\.objectID)) && named.count == 3)
    try office.second.discard(error.conflicts)
    try office.second.save()
    #expect(newcomers.map(\.isForwarding) == [true, true, true])
    #expect(try office.all("Employee").map(\.fullName) == ["Alice"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a closure may choose what becomes of twins, also of those that are named twice`(
    _ kind: StoreKind
  ) throws {
    let (office, objects, conflicts) = try triplets(kind)
    let policy = MergePolicy.custom { conflict in
      guard case .constraint(let conflict) = conflict,
        conflict.conflictingSnapshots.first?["name"] == .string("1")
      else { return .mergeByPropertyObjectTrump }
      return .rollback
    }
    try office.second.resolve(conflicts + conflicts, using: policy)
    #expect(objects.map(\.isForwarding) == [false, true, true])
    try office.second.save()
    // Of the second nothing was taken, and what was assigned to the third wins.
    #expect(try office.all("Employee").compactMap(\.fullName).sorted() == ["2", "Alice"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a closure may choose what a save does with twins`(_ kind: StoreKind) throws {
    let office = try Office(kind, .custom { _ in .mergeByPropertyStoreTrump })
    let older = try office.second.make("Employee", ["badge": "t", "name": "1"])
    let newer = try office.second.make("Employee", ["badge": "t", "name": "2", "salary": 2])
    try office.second.processPendingChanges()
    #expect(newer.isForwarding)
    #expect(older.fullName == "1" && older.salary == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a closure that gives a policy with a closure gives an error`(_ kind: StoreKind) throws {
    let office = try Office(kind, .custom { _ in .custom { _ in .overwrite } })
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.ours.set(["name": "B"])
    #expect(code { try office.second.save() } == .managedObjectMerge)
    #expect(try office.stored?.fullName == "A")
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 error: of several equal objects that which was changed first is named`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let one = try office.second.make("Employee", ["badge": "t"])
    try office.second.processPendingChanges()
    try one.set(["badge": "u"])
    let two = try office.second.make("Employee", ["badge": "t"])
    try office.second.processPendingChanges()
    try one.set(["badge": "t"])
    #expect(code { try office.second.processPendingChanges() } == .managedObjectConstraintMerge)
    let three = try office.second.make("Employee", ["badge": "t"])
    let error = try failure { try office.second.processPendingChanges() }
    let pairs = error.conflicts.map { conflict -> Set<ManagedObjectID> in
      guard case .constraint(let conflict) = conflict else { return [] }
      return Set(conflict.conflictingObjectIDs)
    }
    #expect(pairs == [[one.objectID, two.objectID], [one.objectID, three.objectID]])
  }

  // MARK: Values

  @Test func `1M policies are told apart, and a closure is equal to itself alone`() {
    let custom = MergePolicy.custom { _ in .error }
    let copy = custom
    let other = MergePolicy.custom { _ in .error }
    #expect(custom == copy && custom != other && custom != .error)
    let policies: Set<MergePolicy> = [.error, custom, copy, other]
    #expect(policies.count == 3)
    #expect(Set(mergingPolicies + mergingPolicies).count == mergingPolicies.count)
  }

  @Test func `1M a policy is described by its name`() {
    let policies = [.error] + mergingPolicies + [.custom { _ in .error }]
    #expect(
      policies.map(\.description) == [
        "error", "mergeByPropertyObjectTrump", "mergeByPropertyObjectTrumpOverwritingUnset",
        "mergeByPropertyStoreTrump", "overwrite", "rollback", "custom",
      ]
    )
  }

  @Test func `1M a report has 10,000 entries, and the number of those that it leaves out`() throws {
    let bench = try Bench(.inMemory, model: Listener.model(), classes: [Listener.self])
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    for _ in 0...10_003 { Listener(context: context).text = "one" }
    try context.save()
    let report = try #require(context.lastMergeReport)
    #expect(report.entries.count == 10_000 && report.omittedCount == 3)
    #expect(report.description.hasSuffix("\nand 3 more"))
    #expect(try bench.context().count(for: Listener.all) == 1)
  }

  @Test func `1M a row whose save was too long ago to be known counts as saved by others`() throws {
    let office = try Office(.inMemory, .error)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    let crowd = try (0..<4_096).map { try office.first.make("Employee", ["badge": "\($0)"]) }
    try office.first.save()
    for (number, employee) in crowd.enumerated() { try employee.set(["salary": number]) }
    try office.first.save()
    try office.ours.set(["name": "B"])
    let error = try failure { try office.second.save() }
    guard case .version(let conflict)? = error.conflicts.first else {
      Issue.record("not a version conflict")
      return
    }
    #expect(conflict.cachedSnapshot?["name"] == .string("Alice"))
    #expect(conflict.persistedSnapshot?["name"] == .string("A"))
  }
}
