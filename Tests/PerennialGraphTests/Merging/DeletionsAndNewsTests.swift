// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// Deletions in one context, and what another stores before they are saved.
@Suite("SEMANTICS 1C.1: delete rules, and what others store meanwhile")
struct DeletionsAndNewsTests {
  /// A stored owner and its item, in the context that saves first and in the one that comes second.
  private struct Scene {
    let bench: Bench
    let first: ManagedObjectContext
    let second: ManagedObjectContext
    let theirs: (owner: ManagedObject, item: ManagedObject)
    let ours: (owner: ManagedObject, item: ManagedObject)

    init(
      _ kind: StoreKind,
      _ rule: DeleteRule,
      _ policy: MergePolicy = .mergeByPropertyObjectTrump,
      merges: Bool,
      isOwned: Bool
    ) throws {
      let items = RelationshipDescription(
        "items",
        to: "Item",
        inverse: "owner",
        isToMany: true,
        deleteRule: rule
      )
      let model = try ManagedObjectModel(
        EntityDescription("Owner", properties: [.relationship(items)]),
        EntityDescription(
          "Item",
          properties: [
            .attribute("name", .string, optional: true),
            .toOne("owner", "Owner", inverse: "items"),
          ]
        )
      )
      bench = try Bench(kind, model: model, classes: [])
      first = bench.context()
      theirs = (
        try first.insert(entityNamed: "Owner"), try first.insert(entityNamed: "Item")
      )
      if isOwned { try theirs.item.setObject(theirs.owner, forKey: "owner") }
      try first.save()
      second = bench.context()
      second.mergePolicy = policy
      second.automaticallyMergesChangesFromParent = merges
      ours = (
        try second.existingObject(with: theirs.owner.objectID),
        try second.existingObject(with: theirs.item.objectID)
      )
    }

    /// Which of the stored items have an owner.
    func storedItems() throws -> [Bool] {
      let reader = bench.context()
      return try reader.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
        .map { try $0.object(forKey: "owner") != nil }
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1C.1 a rule reaches a new item that others have stored since it was applied`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      let scene = try Scene(kind, rule, merges: merges, isOwned: false)
      scene.second.delete(scene.ours.owner)
      try scene.second.processPendingChanges()
      let item = try scene.first.insert(entityNamed: "Item")
      try item.setObject(scene.theirs.owner, forKey: "owner")
      try scene.first.save()
      try scene.second.save()
      #expect(try scene.storedItems() == (rule == .cascade ? [false] : [false, false]))
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1C.1 a rule reaches an item that others have moved to the deleted owner`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      let scene = try Scene(kind, rule, merges: merges, isOwned: false)
      #expect(try scene.ours.item.object(forKey: "owner") == nil)
      scene.second.delete(scene.ours.owner)
      try scene.second.processPendingChanges()
      try scene.theirs.item.setObject(scene.theirs.owner, forKey: "owner")
      try scene.first.save()
      try scene.second.processPendingChanges()
      let refers = try scene.ours.item.object(forKey: "owner") != nil
      #expect(!refers || scene.ours.item.isDeleted)
      try scene.second.save()
      #expect(try scene.storedItems() == (rule == .cascade ? [] : [false]))
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1C.1 an edited item whose row is gone is stored again without its deleted owner`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
      let scene = try Scene(kind, .nullify, policy, merges: merges, isOwned: true)
      try scene.ours.item.setValue("edited", forKey: "name")
      scene.first.delete(scene.theirs.item)
      try scene.first.save()
      try scene.second.processPendingChanges()
      scene.second.delete(scene.ours.owner)
      try scene.second.processPendingChanges()
      #expect(try scene.ours.item.object(forKey: "owner") == nil)
      try scene.second.save()
      #expect(try scene.storedItems() == [false])
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.1 an edited item that others have deleted with its owner is stored again without it`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    let scene = try Scene(kind, .cascade, merges: merges, isOwned: true)
    try scene.ours.item.setValue("edited", forKey: "name")
    scene.first.delete(scene.theirs.owner)
    try scene.first.save()
    try scene.second.save()
    #expect(try scene.ours.item.object(forKey: "owner") == nil)
    #expect(try scene.storedItems() == [false])
  }
}
