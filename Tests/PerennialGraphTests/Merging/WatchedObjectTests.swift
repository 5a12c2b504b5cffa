// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D.13: detectConflicts and obtainPermanentIDs")
struct WatchedObjectTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: an unchanged object that changed elsewhere stops the save`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    office.second.detectConflicts(for: office.ours)
    let other = try office.second.make("Employee", ["badge": "b"])
    try office.theirs.set(["name": "A"])
    try office.first.save()
    let error = try failure { try office.second.save() }
    #expect(error.code == .managedObjectMerge)
    #expect(error.conflicts.map(\.objectID) == [office.ours.objectID])
    #expect(other.isInserted && !office.ours.hasChanges)
    office.second.mergePolicy = .mergeByPropertyObjectTrump
    try office.second.save()
    #expect(office.ours.fullName == "A" && !other.isInserted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: of two contexts that read an object only one saves`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    office.first.detectConflicts(for: office.theirs)
    office.second.detectConflicts(for: office.ours)
    try office.second.save()
    #expect(code { try office.first.save() } == .managedObjectMerge)
    office.first.rollback()
    try office.first.save()
    try office.second.save()
    #expect(try office.stored?.fullName == "Alice" && office.ours.salary == 10)
    try office.ours.set(["name": "B"])
    try office.second.save()
    #expect(try office.stored?.fullName == "B")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: a watched object that was deleted elsewhere`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    office.second.detectConflicts(for: office.ours)
    office.first.delete(office.theirs)
    try office.first.save()
    #expect(code { try office.second.save() } == .managedObjectMerge)
    office.second.mergePolicy = .overwrite
    try office.second.save()
    #expect(office.ours.managedObjectContext == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 obtainPermanentIDs: the ID is permanent and the object still new`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let context = office.second
    let employee = try context.make("Employee", ["badge": "b"])
    let department = try context.make("Department")
    try employee.link("department", department)
    let temporary = employee.objectID
    try context.obtainPermanentIDs(for: [employee, employee, department, office.ours])
    let id = employee.objectID
    #expect(temporary.isTemporaryID && !id.isTemporaryID && id != office.ours.objectID)
    #expect(employee.isInserted && context.registeredObject(for: id) === employee)
    #expect(context.registeredObject(for: temporary) === employee)
    #expect(employee.changedValues()["department"] == .objectID(department.objectID))
    #expect(try context.existingObject(with: id) === employee)
    #expect(try office.all("Employee").count == 1)
    try context.obtainPermanentIDs(for: [employee])
    #expect(employee.objectID == id)
    try context.save()
    #expect(employee.objectID == id && !employee.isInserted)
    #expect(try office.all("Employee").contains { $0.objectID == id })
    #expect(try office.all("Department").map(\.objectID) == [department.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 obtainPermanentIDs: the ID of an absorbed object leads to the survivor`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let newcomer = try office.second.make("Employee", ["badge": "a"])
    try office.second.obtainPermanentIDs(for: [newcomer])
    let id = newcomer.objectID
    try office.second.save()
    #expect(newcomer.objectID == office.ours.objectID)
    #expect(try office.second.existingObject(with: id) === office.ours)
    #expect(code { _ = try office.bench.context().existingObject(with: id) } == .objectGone)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 obtainPermanentIDs: a rollback makes the ID one of nothing`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let newcomer = try office.second.make("Employee")
    try office.second.obtainPermanentIDs(for: [newcomer])
    let id = newcomer.objectID
    office.second.rollback()
    #expect(office.second.registeredObject(for: id) == nil)
    #expect(code { _ = try office.second.existingObject(with: id) } == .objectGone)
  }
}
