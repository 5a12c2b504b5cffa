// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// Saves of others that the merging before a save must not hide.
@Suite("SEMANTICS 1D.11, 1M: a context that merges by itself hides no conflict")
struct HiddenConflictTests {
  /// An office whose second context merges by itself.
  private func mergingOffice(_ kind: StoreKind, _ policy: MergePolicy) throws -> Office {
    let office = try Office(kind, policy)
    office.second.automaticallyMergesChangesFromParent = true
    return office
  }

  @Test(arguments: StoreKind.allCases)
  func `1M an object that is deleted here and was changed elsewhere stops the save`(
    _ kind: StoreKind
  ) throws {
    let office = try mergingOffice(kind, .error)
    office.second.delete(office.ours)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    #expect(code { try office.second.save() } == .managedObjectMerge)
    #expect(office.ours.isDeleted)
    #expect(try office.stored?.fullName == "A")
    office.second.rollback()
    #expect(!office.ours.isDeleted && office.ours.fullName == "A")
    office.second.delete(office.ours)
    try office.second.save()
    #expect(try office.stored == nil)
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M a deletion meets a change elsewhere as the policy says`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try mergingOffice(kind, policy)
    office.second.delete(office.ours)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.second.save()
    let comesBack = [.mergeByPropertyStoreTrump, .rollback].contains(policy)
    #expect(try office.stored?.fullName == (comesBack ? "A" : nil))
    #expect((office.ours.managedObjectContext == nil) == !comesBack)
    #expect(!office.second.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a deletion that was asked to be merged is no conflict`(_ kind: StoreKind) throws {
    let office = try mergingOffice(kind, .error)
    office.second.delete(office.ours)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.second.processPendingChanges()
    try office.second.save()
    #expect(try office.stored == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: a watched object that changed elsewhere stops the save`(
    _ kind: StoreKind
  ) throws {
    let office = try mergingOffice(kind, .error)
    office.second.detectConflicts(for: office.ours)
    let other = try office.second.make("Employee", ["badge": "b"])
    try office.theirs.set(["name": "A"])
    try office.first.save()
    let error = try failure { try office.second.save() }
    #expect(error.code == .managedObjectMerge)
    #expect(error.conflicts.map(\.objectID) == [office.ours.objectID])
    #expect(other.isInserted && office.ours.fullName == "A")
    office.second.mergePolicy = .mergeByPropertyObjectTrump
    try office.second.save()
    #expect(!other.isInserted && office.ours.fullName == "A")
  }
}
