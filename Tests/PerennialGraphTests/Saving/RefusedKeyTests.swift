// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@Suite("SEMANTICS 1M: what a store refuses though nobody here has done it")
struct RefusedKeyTests {
  /// A new object that has got a permanent ID, whose key another program has given to a row meanwhile.
  private func taken(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws -> (office: Office, newcomer: ManagedObject, id: ManagedObjectID) {
    let office = try Office(kind, policy)
    let newcomer = try office.second.make("Award")
    try newcomer.link("winner", office.ours)
    try office.second.obtainPermanentIDs(for: [newcomer])
    let id = newcomer.objectID
    let store = office.bench.coordinator.store
    try store.save(store.model.insertion([("Award", [Row(id.key, version: 5)])]))
    return (office, newcomer, id)
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 a new object whose key somebody has taken is stored under another one`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let (office, newcomer, id) = try taken(kind, policy)
    let other = try office.second.make("Award")
    try office.second.save()
    #expect(!newcomer.isInserted && newcomer.objectID != id)
    let stored = try office.all("Award")
    #expect(Set(stored.map(\.objectID)) == [id, newcomer.objectID, other.objectID])
    for award in stored {
      let winner = try award.target("winner")?.objectID
      #expect(winner == (award.objectID == newcomer.objectID ? office.ours.objectID : nil))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 error: a taken key is a conflict of versions, and nothing is written`(
    _ kind: StoreKind
  ) throws {
    let (office, newcomer, id) = try taken(kind, .error)
    #expect(code { try office.second.save() } == .managedObjectMerge)
    #expect(newcomer.isInserted && newcomer.objectID == id)
    #expect(try office.all("Award").map(\.objectID) == [id])
    office.second.rollback()
    try office.second.save()
  }

  @Test(arguments: mergingPolicies + [.error])
  func `1M.2 a store that finds values taken which nobody else has fails the save`(
    _ policy: MergePolicy
  ) throws {
    let refusal = PerennialError(
      .managedObjectConstraintMerge,
      "The badge is taken.",
      recovery: "take another"
    )
    let model = try Office.model()
    let store = ShelfStore([], refusing: refusal)
    let coordinator = StoreCoordinator(
      store: try StoreAdapter(store, model: model.layout),
      classes: [:]
    )
    let context = ManagedObjectContext(coordinator: coordinator)
    context.mergePolicy = policy
    let employee = try context.make("Employee", ["badge": "a"])
    let error = try failure { try context.save() }
    #expect(error.code == .managedObjectConstraintMerge && error.conflicts.isEmpty)
    #expect(employee.isInserted && context.hasChanges)
  }
}
