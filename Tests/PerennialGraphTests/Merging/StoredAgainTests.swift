// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M: an object whose row somebody has deleted and replaced")
struct StoredAgainTests {
  /// Ours is edited by `edit` and its row deleted; another row has the badge, with name and salary.
  private func replaced(
    _ kind: StoreKind,
    _ policy: MergePolicy,
    _ edit: (ManagedObject) throws -> Void
  ) throws -> (Office, ManagedObjectID) {
    let office = try Office(kind, policy)
    try edit(office.ours)
    office.first.delete(office.theirs)
    let heir = try office.first.make("Employee", ["badge": "a", "name": "Heir", "salary": 77])
    try office.first.save()
    return (office, heir.objectID)
  }

  private static let trumps: [MergePolicy] = [
    .mergeByPropertyObjectTrump, .mergeByPropertyObjectTrumpOverwritingUnset,
  ]

  @Test(arguments: StoreKind.allCases, trumps)
  func `1M.2 a row stored again gives its heir what was assigned to it, and blanks nothing`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, heir) = try replaced(kind, policy) { try $0.set(["name": "B"]) }
    try office.second.save()
    let rows = try office.all("Employee")
    #expect(rows.map(\.objectID) == [heir])
    #expect(rows.map(\.fullName) == ["B"] && rows.map(\.salary) == [77])
    #expect(office.ours.isForwarding && office.ours.objectID == heir)
  }

  @Test(arguments: StoreKind.allCases, trumps)
  func `1M.2 the heir survives also when it is changed here`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, id) = try replaced(kind, policy) { try $0.set(["name": "B"]) }
    let heir = try office.second.existingObject(with: id)
    try heir.set(["grade": 3])
    try office.second.processPendingChanges()
    #expect(!heir.isForwarding && !office.ours.isForwarding)
    try office.second.save()
    let rows = try office.all("Employee")
    #expect(rows.map(\.objectID) == [id])
    #expect(rows.map(\.fullName) == ["B"] && rows.map(\.grade) == [3])
    #expect(office.ours.isForwarding)
  }

  @Test(arguments: StoreKind.allCases, [MergePolicy.mergeByPropertyStoreTrump, .rollback])
  func `1M.1 where the store wins the object goes, and changes of its heir are saved`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, id) = try replaced(kind, policy) { try $0.set(["name": "B"]) }
    let heir = try office.second.existingObject(with: id)
    try heir.set(["salary": 3])
    try office.second.save()
    let rows = try office.all("Employee")
    #expect(rows.map(\.objectID) == [id])
    #expect(rows.map(\.fullName) == ["Heir"] && rows.map(\.salary) == [3])
    #expect(office.ours.isGone && !office.second.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 error: object and heir are a conflict of versions, not of constraints`(
    _ kind: StoreKind
  ) throws {
    let (office, id) = try replaced(kind, .error) { try $0.set(["name": "B"]) }
    try office.second.existingObject(with: id).set(["salary": 3])
    try office.second.processPendingChanges()
    let error = try failure { try office.second.save() }
    #expect(error.code == .managedObjectMerge)
  }

  @Test(arguments: StoreKind.allCases, trumps + [.overwrite])
  func `1M.2 of two rows with one badge that are stored again the older survives`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, id) = try replaced(kind, policy) { try $0.set(["name": "B"]) }
    let heir = try office.second.existingObject(with: id)
    try heir.set(["salary": 3])
    office.first.delete(try office.first.existingObject(with: id))
    try office.first.save()
    try office.second.save()
    let rows = try office.all("Employee")
    #expect(rows.map(\.objectID) == [office.ours.objectID])
    #expect(rows.map(\.salary) == [3])
    #expect(heir.isForwarding && !office.ours.isForwarding)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 whoever has read a row notices that a child has stored it again`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let child = ManagedObjectContext(parent: office.second)
    child.mergePolicy = .mergeByPropertyObjectTrump
    try child.existingObject(with: office.ours.objectID).set(["name": "B"])
    office.second.delete(office.ours)
    try office.second.save()
    try child.save()
    try office.second.save()
    #expect(try office.stored?.fullName == "B")
    try office.theirs.set(["salary": 1])
    #expect(code { try office.first.save() } == .managedObjectMerge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 of two contexts that are to store a row again the second conflicts with the first`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let third = office.bench.context()
    let other = try third.existingObject(with: office.ours.objectID)
    try other.set(["salary": 3])
    try office.ours.set(["name": "B"])
    let desk = try office.second.make("Desk")
    try office.ours.link("desk", desk)
    office.first.delete(office.theirs)
    try office.first.save()
    for context in [office.second, third] {
      let error = try failure { try context.save() }
      try context.resolve(error.conflicts, using: .mergeByPropertyObjectTrump)
    }
    try office.second.save()
    let error = try failure { try third.save() }
    guard case .version(let conflict)? = error.conflicts.first else {
      Issue.record("not a version conflict")
      return
    }
    // Nothing is stored that it was read from.
    #expect(conflict.objectSnapshot.isEmpty && conflict.oldVersionNumber == 0)
    #expect(conflict.storedSnapshot?["name"] == .string("B"))
    #expect(conflict.changedValues["salary"] == .integer(3))
    third.mergePolicy = .mergeByPropertyObjectTrump
    try third.save()
    let stored = try #require(try office.stored)
    #expect(stored.fullName == "B" && stored.salary == 3)
    #expect(try stored.target("desk")?.objectID == desk.objectID)
    #expect(try other.target("desk")?.target("holder") === other)
  }

  @Test(arguments: StoreKind.allCases, trumps)
  func `1M.1 a row stored again is not taken for a later one that was deleted`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy)
    try office.ours.set(["name": "B"])
    try office.theirs.set(["name": "Bob"])
    try office.first.save()
    let third = office.bench.context()
    third.mergePolicy = .error
    let read = try third.existingObject(with: office.ours.objectID)
    #expect(read.fullName == "Bob")
    office.first.delete(office.theirs)
    try office.first.save()
    try office.second.save()
    try read.set(["salary": 3])
    let error = try #require(throws: PerennialError.self) { try third.save() }
    #expect(error.code == .managedObjectMerge)
    third.mergePolicy = .mergeByPropertyObjectTrump
    try third.save()
    let stored = try #require(try office.stored)
    #expect(stored.fullName == "B" && stored.salary == 3)
  }

  // MARK: In families

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an object that was merged above and below is gone with its deletion`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let child = ManagedObjectContext(parent: office.second)
    child.mergePolicy = .mergeByPropertyObjectTrump
    let older = try office.second.make("Employee", ["badge": "t"])
    let newer = try office.second.make("Employee", ["badge": "u"])
    let ours = try [older, newer].map { try child.existingObject(with: $0.objectID) }
    // Below both become one with a third; above, with each other.
    let third = try child.existingObject(with: office.ours.objectID)
    try third.set(["salary": 5])
    for object in ours { try object.set(["badge": "a"]) }
    try child.processPendingChanges()
    #expect(ours.allSatisfy { $0.objectID == third.objectID })
    try newer.set(["badge": "t"])
    try office.second.save()
    #expect(newer.isForwarding)
    try child.save()
    try office.second.save()
    #expect(try office.all("Employee").map(\.objectID) == [third.objectID])
  }

  // MARK: Which of several

  @Test(arguments: StoreKind.allCases)
  func `1M.2 of two new objects the older survives, whichever got the value first`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let older = try office.second.make("Employee")
    let newer = try office.second.make("Employee", ["badge": "t"])
    try older.set(["badge": "t"])
    try office.second.processPendingChanges()
    #expect(newer.isForwarding && !older.isForwarding)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a value that was given back and taken meanwhile is found when it is given again`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let one = try office.second.make("Employee", ["badge": "t"])
    try office.second.processPendingChanges()
    try one.set(["badge": "u"])
    let other = try office.second.make("Employee", ["badge": "t"])
    try office.second.processPendingChanges()
    #expect(!one.isForwarding && !other.isForwarding)
    try one.set(["badge": "t"])
    try office.second.processPendingChanges()
    #expect(other.isForwarding && !one.isForwarding)
  }
}
