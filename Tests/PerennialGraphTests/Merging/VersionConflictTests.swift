// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.1: optimistic-lock results")
struct VersionConflictTests {
  // MARK: The table

  @Test(arguments: StoreKind.allCases)
  func `1M.1 error: the save throws 133020 with one conflict and its snapshots`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.ours.set(["name": "B"])
    let error = try failure { try office.second.save() }
    #expect(error.code == .managedObjectMerge)
    #expect(error.conflicts.count == 1)
    guard case .version(let conflict)? = error.conflicts.first else {
      Issue.record("not a version conflict")
      return
    }
    #expect(conflict.objectID == office.ours.objectID)
    #expect(conflict.objectSnapshot["name"] == .string("Alice"))
    #expect(conflict.cachedSnapshot?["name"] == .string("A"))
    #expect(conflict.persistedSnapshot == nil)
    #expect(conflict.changedValues == ["name": .string("B")])
    #expect(conflict.oldVersionNumber == 1)
    #expect(conflict.newVersionNumber == 2)
    #expect(office.ours.fullName == "B")
    #expect(office.second.hasChanges)
    #expect(office.second.conflicts == error.conflicts)
    #expect(try office.stored?.fullName == "A")
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 store trump: a local change that does not conflict is kept`(_ kind: StoreKind) throws {
    let office = try Office(kind, .mergeByPropertyStoreTrump)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.ours.set(["name": "B", "salary": 99])
    try office.second.save()
    #expect(office.ours.fullName == "A" && office.ours.salary == 99)
    #expect(!office.second.hasChanges)
    let stored = try #require(try office.stored)
    #expect(stored.fullName == "A" && stored.salary == 99)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 object trump: a stored change that does not conflict is kept`(
    _ kind: StoreKind
  ) throws {
    let policies: [MergePolicy] = [
      .mergeByPropertyObjectTrump, .mergeByPropertyObjectTrumpOverwritingUnset,
    ]
    for policy in policies {
      let office = try Office(kind, policy)
      try office.theirs.set(["name": "A", "salary": 50])
      try office.first.save()
      try office.ours.set(["name": "B"])
      try office.second.save()
      #expect(office.ours.fullName == "B" && office.ours.salary == 50)
      let stored = try #require(try office.stored)
      #expect(stored.fullName == "B" && stored.salary == 50)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 overwrite: the whole stale snapshot is written`(_ kind: StoreKind) throws {
    let office = try Office(kind, .overwrite)
    try office.theirs.set(["name": "A", "salary": 77])
    try office.first.save()
    try office.ours.set(["name": "B"])
    try office.second.save()
    #expect(office.ours.fullName == "B" && office.ours.salary == 10)
    let stored = try #require(try office.stored)
    #expect(stored.fullName == "B" && stored.salary == 10)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 rollback: the save succeeds and changedValues is empty`(_ kind: StoreKind) throws {
    let office = try Office(kind, .rollback)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.ours.set(["name": "B", "salary": 99])
    try office.second.save()
    #expect(office.ours.fullName == "A" && office.ours.salary == 10)
    #expect(office.ours.changedValues().isEmpty)
    #expect(!office.second.hasChanges && !office.ours.isUpdated)
    let stored = try #require(try office.stored)
    #expect(stored.fullName == "A" && stored.salary == 10)
    try office.ours.set(["name": "C"])
    try office.second.save()
    #expect(try office.stored?.fullName == "C")
  }

  // MARK: Rows that were deleted elsewhere

  @Test(arguments: StoreKind.allCases)
  func `1M.1 deleted elsewhere, error: 133020 with new version 0`(_ kind: StoreKind) throws {
    let office = try Office(kind, .error)
    office.first.delete(office.theirs)
    try office.first.save()
    try office.ours.set(["name": "B"])
    let error = try failure { try office.second.save() }
    #expect(error.code == .managedObjectMerge)
    guard case .version(let conflict)? = error.conflicts.first else {
      Issue.record("not a version conflict")
      return
    }
    #expect(conflict.newVersionNumber == 0 && conflict.isDeletedElsewhere)
    #expect(conflict.storedSnapshot == nil)
    #expect(conflict.cachedSnapshot == nil && conflict.persistedSnapshot == nil)
    #expect(office.ours.fullName == "B")
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 deleted elsewhere: ours is stored again under its ID, or is gone`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy)
    let award = try office.second.make("Award")
    try award.link("winner", office.ours)
    let skill = try office.second.make("Skill")
    try office.ours.objects(forKey: "skills").insert(skill)
    let id = office.ours.objectID
    office.first.delete(office.theirs)
    try office.first.save()
    try office.ours.set(["name": "B"])
    try office.second.save()
    let isGone = policy == .rollback || policy == .mergeByPropertyStoreTrump
    #expect(!office.second.hasChanges)
    let entries = try #require(office.second.lastMergeReport?.entries)
    #expect(entries.map(\.outcome) == [isGone ? .gone : .storedAgain])
    #expect(entries.map(\.objectID) == [id])
    if isGone {
      #expect(office.ours.managedObjectContext == nil)
      let read: String? = office.ours._get(0)
      #expect(read == "Alice")
      #expect(try office.all("Employee").isEmpty)
      #expect(try office.all("Award").map { try $0.target("winner") } == [nil])
      #expect(try office.all("Skill").first?.ids("owners").isEmpty == true)
    } else {
      let stored = try #require(try office.all("Employee").first)
      #expect(stored.objectID == id)
      #expect(stored.fullName == "B" && stored.salary == 10)
      #expect(try office.all("Award").first?.target("winner")?.objectID == id)
      #expect(try stored.ids("skills") == [skill.objectID])
    }
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 deleted here, changed elsewhere: it stays deleted or comes back`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy) { employee in
      let context = try #require(employee.managedObjectContext)
      try employee.link("department", try context.make("Department", ["title": "d"]))
      try employee.link("desk", try context.make("Desk"))
      try employee.objects(forKey: "skills").insert(try context.make("Skill"))
    }
    try office.theirs.set(["name": "A"])
    try office.first.save()
    let desk = try #require(try office.ours.target("desk"))
    office.second.delete(office.ours)
    try office.second.save()
    let comesBack = policy == .rollback || policy == .mergeByPropertyStoreTrump
    #expect(!office.second.hasChanges)
    let entries = try #require(office.second.lastMergeReport?.entries)
    #expect(entries.map(\.outcome) == [comesBack ? .cameBack : .staysDeleted])
    let stored = try office.stored
    #expect((stored != nil) == comesBack)
    if comesBack {
      #expect(office.ours.fullName == "A" && !office.ours.isDeleted)
      #expect(try desk.target("holder") === office.ours)
      #expect(stored?.fullName == "A")
      #expect(try stored?.target("department") != nil)
      #expect(try stored?.target("desk")?.target("holder") === stored)
      #expect(try stored?.ids("skills").count == 1)
      #expect(try office.all("Department").first?.ids("staff") == [office.ours.objectID])
    } else {
      #expect(try office.all("Desk").map { try $0.target("holder") } == [nil])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 deleted on both sides is no conflict`(_ kind: StoreKind) throws {
    let office = try Office(kind, .error)
    office.first.delete(office.theirs)
    office.second.delete(office.ours)
    try office.first.save()
    try office.second.save()
    #expect(try office.all("Employee").isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 two contexts store a row again that a third has deleted`(_ kind: StoreKind) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let third = office.bench.context()
    third.mergePolicy = .mergeByPropertyObjectTrump
    let other = try third.existingObject(with: office.ours.objectID)
    try other.set(["salary": 3])
    try office.ours.set(["name": "B"])
    office.first.delete(office.theirs)
    try office.first.save()
    try office.second.save()
    try third.save()
    #expect(try office.all("Employee").count == 1)
    #expect(try office.stored?.salary == 3)
    #expect(try office.stored?.fullName == "B")
  }

  // MARK: To-one slots, pairs, the store's answer

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 a to-one relationship counts as a property`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy)
    let there = try office.first.make("Department", ["title": "theirs"])
    try office.theirs.link("department", there)
    try office.first.save()
    let here = try office.second.make("Department", ["title": "ours"])
    try office.ours.link("department", here)
    #expect(try here.ids("staff") == [office.ours.objectID])
    try office.second.save()
    let isTheirs = policy == .rollback || policy == .mergeByPropertyStoreTrump
    let expected = isTheirs ? there.objectID : here.objectID
    #expect(try office.ours.target("department")?.objectID == expected)
    #expect(try here.ids("staff").isEmpty == isTheirs)
    let departments = try office.all("Department")
    #expect(departments.count == 2)
    for department in departments {
      let staff = try department.ids("staff")
      #expect(staff == (department.objectID == expected ? [office.ours.objectID] : []))
    }
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 both sides of a one-to-one relationship agree afterwards`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy) { employee in
      try employee.link("desk", try #require(employee.managedObjectContext).make("Desk"))
    }
    let there = try office.first.make("Desk")
    try office.theirs.link("desk", there)
    try office.first.save()
    let here = try office.second.make("Desk")
    try office.ours.link("desk", here)
    try office.second.save()
    let isTheirs = policy == .rollback || policy == .mergeByPropertyStoreTrump
    let expected = isTheirs ? there.objectID : here.objectID
    #expect(try office.ours.target("desk")?.objectID == expected)
    #expect(try office.ours.target("desk")?.target("holder") === office.ours)
    #expect(try here.target("holder") === (isTheirs ? nil : office.ours))
    let desks = try office.all("Desk")
    #expect(desks.count == 3)
    for desk in desks {
      let holder = try desk.target("holder")?.objectID
      #expect(holder == (desk.objectID == expected ? office.ours.objectID : nil))
    }
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 pairs are merged one by one, but rollback drops ours`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy) { employee in
      let context = try #require(employee.managedObjectContext)
      try employee.objects(forKey: "skills").insert(try context.make("Skill"))
    }
    let old = try #require(try Array(office.ours.objects(forKey: "skills")).first)
    let there = try office.first.make("Skill")
    try office.theirs.objects(forKey: "skills").insert(there)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    let here = try office.second.make("Skill")
    try office.ours.objects(forKey: "skills").insert(here)
    try office.ours.objects(forKey: "skills").remove(old)
    try office.ours.set(["name": "B"])
    try office.second.save()
    let expected =
      policy == .rollback ? [old.objectID, there.objectID] : [here.objectID, there.objectID]
    #expect(try office.ours.ids("skills") == Set(expected))
    #expect(try office.stored?.ids("skills") == Set(expected))
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 a change to the same value is no quarrel`(_ kind: StoreKind) throws {
    let office = try Office(kind, .mergeByPropertyStoreTrump)
    try office.theirs.set(["name": "same", "salary": 1])
    try office.first.save()
    try office.ours.set(["name": "same"])
    try office.second.save()
    let entry = try #require(office.second.lastMergeReport?.entries.first)
    #expect(entry.choice(for: "name")?.source == .both)
    #expect(!office.second.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 long texts survive a merge`(_ kind: StoreKind) throws {
    for policy in mergingPolicies {
      let office = try Office(kind, policy)
      let long = String(repeating: "x", count: 5_000)
      try office.theirs.set(["name": long, "salary": 1])
      try office.first.save()
      try office.ours.set(["badge": String(repeating: "b", count: 900)])
      try office.second.save()
      #expect(office.ours.fullName == (policy == .overwrite ? "Alice" : long))
      let badge = try office.stored?.value(forKey: "badge") as? String
      #expect(badge?.count == (policy == .rollback ? 1 : 900))
    }
  }
}
