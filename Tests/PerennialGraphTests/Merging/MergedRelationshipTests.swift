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
}
