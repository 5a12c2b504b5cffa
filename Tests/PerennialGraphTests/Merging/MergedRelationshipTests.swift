// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.2: relationships of merged objects")
struct MergedRelationshipTests {
  private static let objectTrumps: [MergePolicy] = [
    .mergeByPropertyObjectTrump, .mergeByPropertyObjectTrumpOverwritingUnset,
  ]

  /// A stored employee in a department, or in none, and a new one with the same badge.
  private func scene(
    _ kind: StoreKind,
    _ policy: MergePolicy,
    hasOld: Bool
  ) throws -> (office: Office, newcomer: ManagedObject) {
    let office = try Office(kind, policy) { employee in
      guard hasOld else { return }
      let context = try #require(employee.managedObjectContext)
      try employee.link("department", try context.make("Department", ["title": "old"]))
      try employee.link("desk", try context.make("Desk"))
    }
    return (office, try office.second.make("Employee", ["badge": "a"]))
  }

  /// The title of the stored department, after a look at both sides of both relationships.
  private func title(_ office: Office) throws -> String? {
    let stored = try #require(try office.stored)
    let department = try stored.target("department")
    for other in try office.all("Department") {
      let isTarget = other.objectID == department?.objectID
      #expect(try other.ids("staff") == (isTarget ? [stored.objectID] : []))
    }
    let desk = try stored.target("desk")?.objectID
    for other in try office.all("Desk") {
      let holder = try other.target("holder")?.objectID
      #expect(holder == (other.objectID == desk ? stored.objectID : nil))
    }
    return try department?.value(forKey: "title") as? String
  }

  @Test(arguments: StoreKind.allCases, [MergePolicy.mergeByPropertyStoreTrump, .rollback])
  func `1M.2 the store wins: what the new one led to is left alone, on both sides`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, newcomer) = try scene(kind, policy, hasOld: true)
    let (desk, department) = (
      try office.second.make("Desk"), try office.second.make("Department", ["title": "new"])
    )
    try newcomer.link("desk", desk)
    try newcomer.link("department", department)
    try office.second.save()
    #expect(try title(office) == "old")
    #expect(try desk.target("holder") == nil && department.ids("staff").isEmpty)
    #expect(try !desk.hasChanges && office.all("Desk").count == 2)
  }

  @Test(arguments: StoreKind.allCases, objectTrumps)
  func `1M.2 old set, new never set: the old one stays`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, newcomer) = try scene(kind, policy, hasOld: true)
    try office.second.save()
    #expect(try title(office) == "old")
    #expect(try newcomer.target("department")?.value(forKey: "title") as? String == "old")
    #expect(try office.stored?.target("desk") != nil)
  }

  @Test(arguments: StoreKind.allCases, objectTrumps)
  func `1M.2 old set, new set to nil: nil`(_ kind: StoreKind, _ policy: MergePolicy) throws {
    let (office, newcomer) = try scene(kind, policy, hasOld: true)
    try newcomer.link("department", nil)
    try newcomer.link("desk", nil)
    try office.second.save()
    #expect(try title(office) == nil)
    #expect(try office.stored?.target("desk") == nil)
  }

  @Test(arguments: StoreKind.allCases, objectTrumps)
  func `1M.2 both set: the new one`(_ kind: StoreKind, _ policy: MergePolicy) throws {
    let (office, newcomer) = try scene(kind, policy, hasOld: true)
    try newcomer.link("department", try office.second.make("Department", ["title": "new"]))
    let desk = try office.second.make("Desk")
    try newcomer.link("desk", desk)
    try office.second.save()
    #expect(try title(office) == "new")
    #expect(try office.stored?.target("desk")?.objectID == desk.objectID)
    #expect(try desk.target("holder") === office.ours)
  }

  @Test(arguments: StoreKind.allCases, objectTrumps)
  func `1M.2 both set, the new target was merged into the old one: the old one`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, newcomer) = try scene(kind, policy, hasOld: true)
    let twin = try office.second.make("Department", ["title": "old"])
    try newcomer.link("department", twin)
    try office.second.save()
    #expect(twin.isForwarding)
    #expect(try title(office) == "old")
    #expect(try office.all("Department").count == 1)
  }

  @Test(arguments: StoreKind.allCases, objectTrumps)
  func `1M.2 both set, the new target was merged into a third: the third, for which it stands`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, newcomer) = try scene(kind, policy, hasOld: true)
    let third = try office.first.make("Department", ["title": "third"])
    try office.first.save()
    try newcomer.link("department", try office.second.make("Department", ["title": "third"]))
    try office.second.save()
    #expect(try title(office) == "third")
    #expect(try office.stored?.target("department")?.objectID == third.objectID)
  }

  @Test(arguments: StoreKind.allCases, objectTrumps)
  func `1M.2 old nil, new set: the new one`(_ kind: StoreKind, _ policy: MergePolicy) throws {
    let (office, newcomer) = try scene(kind, policy, hasOld: false)
    try newcomer.link("department", try office.second.make("Department", ["title": "new"]))
    try newcomer.link("desk", try office.second.make("Desk"))
    try office.second.save()
    #expect(try title(office) == "new")
    #expect(try office.stored?.target("desk") != nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 the other policies: store trump fills, overwrite empties, rollback keeps`(
    _ kind: StoreKind
  ) throws {
    func run(_ policy: MergePolicy, hasOld: Bool, hasNew: Bool) throws -> String? {
      let (office, newcomer) = try scene(kind, policy, hasOld: hasOld)
      if hasNew {
        try newcomer.link("department", try office.second.make("Department", ["title": "new"]))
        try newcomer.link("desk", try office.second.make("Desk"))
      }
      try office.second.save()
      return try title(office)
    }
    #expect(try run(.mergeByPropertyStoreTrump, hasOld: true, hasNew: true) == "old")
    #expect(try run(.mergeByPropertyStoreTrump, hasOld: true, hasNew: false) == "old")
    #expect(try run(.mergeByPropertyStoreTrump, hasOld: false, hasNew: true) == "new")
    #expect(try run(.overwrite, hasOld: true, hasNew: true) == "new")
    #expect(try run(.overwrite, hasOld: true, hasNew: false) == nil)
    #expect(try run(.overwrite, hasOld: false, hasNew: true) == "new")
    #expect(try run(.rollback, hasOld: true, hasNew: true) == "old")
    #expect(try run(.rollback, hasOld: false, hasNew: true) == nil)
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.2 to-many relationships are united`(_ kind: StoreKind, _ policy: MergePolicy) throws {
    let bench = try Bench(kind, model: Office.model())
    func fill(_ context: ManagedObjectContext) throws -> ManagedObject {
      let department = try context.make("Department", ["title": "d"])
      try department.objects(forKey: "staff").insert(try context.make("Employee"))
      let employee = try context.make("Employee", ["badge": "a"])
      try employee.objects(forKey: "skills").insert(try context.make("Skill"))
      return department
    }
    let first = bench.context()
    let stored = try fill(first)
    try first.save()
    let second = bench.context()
    second.mergePolicy = policy
    let newcomer = try fill(second)
    try second.save()
    #expect(newcomer.objectID == stored.objectID)
    #expect(try newcomer.ids("staff").count == 2)
    let reader = bench.context()
    let department = try reader.existingObject(with: stored.objectID)
    #expect(try department.ids("staff").count == 2)
    let employees = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
    #expect(employees.count == 3)
    #expect(try employees.reduce(0) { $0 + (try $1.ids("skills").count) } == 2)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.2 rollback sets relationships back, too, but to nothing that is deleted`(
    _ kind: StoreKind,
    _ isDeleted: Bool
  ) throws {
    let office = try Office(kind, .rollback)
    let other = try office.second.make("Employee", ["badge": "b"])
    let own = try office.second.make("Department", ["title": "own"])
    try other.link("department", own)
    try office.second.save()
    let new = try office.second.make("Department", ["title": "new"])
    try other.link("department", new)
    try other.set(["badge": "a"])
    if isDeleted { office.second.delete(own) }
    try office.second.save()
    #expect(try other.value(forKey: "badge") as? String == "b")
    #expect(try other.target("department") === (isDeleted ? nil : own))
    #expect(try new.ids("staff").isEmpty)
    let departments = try office.all("Department")
    #expect(departments.count == (isDeleted ? 1 : 2))
    for department in departments {
      let isOwn = department.objectID == own.objectID
      #expect(try department.ids("staff") == (isOwn ? [other.objectID] : []))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 what is deleted itself does not get the survivor as a member`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let other = try office.first.make("Employee", ["badge": "b"])
    let clubs = try (0..<2).map { _ in try office.first.make("Club") }
    for club in clubs { try club.objects(forKey: "members").insert(other) }
    try office.first.save()
    let loser = try office.second.existingObject(with: other.objectID)
    office.second.delete(try office.second.existingObject(with: clubs[0].objectID))
    try loser.set(["badge": "a"])
    try office.second.save()
    #expect(loser.isForwarding)
    let left = try office.all("Club")
    #expect(left.map(\.objectID) == [clubs[1].objectID])
    #expect(try left.first?.ids("members") == [office.ours.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 beside merged objects a refresh does not bring back what a delete rule has emptied`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let department = try office.second.make("Department", ["title": "d"])
    try office.ours.link("department", department)
    let twins = try ["b", "c"].map { try office.second.make("Employee", ["badge": $0]) }
    try office.second.save()
    office.second.delete(department)
    try twins[0].set(["badge": "c"])
    try twins[1].set(["grade": 2])
    try office.second.processPendingChanges()
    #expect(twins[0].isForwarding)
    #expect(try office.ours.target("department") == nil)
    office.second.refresh(office.ours, mergeChanges: false)
    try office.second.processPendingChanges()
    #expect(try office.ours.target("department") == nil)
    try office.second.save()
    #expect(try office.all("Department").isEmpty)
    let rows = try office.all("Employee")
    #expect(Set(rows.map(\.objectID)) == [office.ours.objectID, twins[1].objectID])
    for row in rows { #expect(try row.target("department") == nil) }
  }
}
