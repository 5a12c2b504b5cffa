// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
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

    /// Stores another item of the owner.
    func storeItem() throws {
      let item = try first.insert(entityNamed: "Item")
      try item.setObject(theirs.owner, forKey: "owner")
      try first.save()
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

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1C.1 an item that is stored again keeps the deleted owner whose rule is none`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    let owners = try [false, true].map { isDeletedElsewhere in
      let scene = try Scene(kind, .noAction, merges: merges, isOwned: true)
      try scene.ours.item.setValue("edited", forKey: "name")
      scene.second.delete(scene.ours.owner)
      if isDeletedElsewhere { scene.first.delete(scene.theirs.item) }
      try scene.first.save()
      try scene.second.save()
      let reader = scene.bench.context()
      let item = try #require(
        try reader.fetch(FetchRequest<ManagedObject>(entityName: "Item")).first
      )
      return try item.objectIDs(forRelationshipNamed: "owner").map {
        $0 == scene.theirs.owner.objectID
      }
    }
    #expect(owners == [[true], [true]])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1C.1 a rule reaches what others have stored since the members were read`(
    _ kind: StoreKind,
    _ isProcessed: Bool
  ) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      let scene = try Scene(kind, rule, merges: false, isOwned: true)
      let known = try Array(scene.ours.owner.objects(forKey: "items"))
      #expect(known == [scene.ours.item])
      try scene.storeItem()
      scene.second.delete(scene.ours.owner)
      if isProcessed { try scene.second.processPendingChanges() }
      try scene.second.save()
      #expect(try scene.storedItems() == (rule == .cascade ? [] : [false, false]))
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1C.1 an item that others have stored denies a deletion though the members were read before`(
    _ kind: StoreKind,
    _ isProcessed: Bool
  ) throws {
    let scene = try Scene(kind, .deny, merges: false, isOwned: false)
    let known = try Array(scene.ours.owner.objects(forKey: "items"))
    #expect(known.isEmpty)
    try scene.storeItem()
    scene.second.delete(scene.ours.owner)
    if isProcessed { try scene.second.processPendingChanges() }
    #expect(code { try scene.second.save() } == .relationshipDeniedDelete)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1C.1 an edited item that others have moved away stays where they have put it`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      let scene = try Scene(kind, rule, merges: merges, isOwned: true)
      try scene.ours.item.setValue("edited", forKey: "name")
      let other = try scene.first.insert(entityNamed: "Owner")
      try scene.theirs.item.setObject(other, forKey: "owner")
      try scene.first.save()
      scene.second.delete(scene.ours.owner)
      try scene.second.save()
      #expect(try scene.storedItems() == [true])
      let reader = scene.bench.context()
      let stored = try reader.existingObject(with: scene.theirs.item.objectID)
      #expect(try stored.value(forKey: "name") as? String == "edited")
      #expect(try stored.object(forKey: "owner")?.objectID == other.objectID)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 an undo of a deletion takes back what its rule has reached later`(
    _ kind: StoreKind
  ) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      let scene = try Scene(kind, rule, merges: true, isOwned: false)
      let undoManager = ContextUndoManager()
      scene.second.undoManager = undoManager
      scene.second.delete(scene.ours.owner)
      try scene.second.processPendingChanges()
      try scene.theirs.item.setObject(scene.theirs.owner, forKey: "owner")
      try scene.first.save()
      try scene.second.processPendingChanges()
      #expect(undoManager.undoCount == 1)
      scene.second.undo()
      #expect(!scene.ours.owner.isDeleted && !scene.ours.item.isDeleted)
      #expect(try scene.ours.item.object(forKey: "owner") === scene.ours.owner)
      try scene.second.save()
      #expect(try scene.storedItems() == [true])
      scene.second.redo()
      try scene.second.save()
      #expect(try scene.storedItems() == (rule == .cascade ? [] : [false]))
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.7 an undo after the save takes back what the save's rules have reached`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    let scene = try Scene(kind, .cascade, merges: merges, isOwned: true)
    scene.second.undoManager = ContextUndoManager()
    scene.second.delete(scene.ours.owner)
    try scene.second.processPendingChanges()
    try scene.storeItem()
    try scene.second.save()
    #expect(try scene.storedItems().isEmpty)
    scene.second.undo()
    try scene.second.save()
    #expect(try scene.storedItems() == [true, true])
    #expect(scene.second.undoManager?.canUndo == false)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 an undo of a deletion takes back what a listener's fetch made its rule reach`(
    _ kind: StoreKind
  ) throws {
    for rule in [DeleteRule.nullify, .cascade] {
      let scene = try Scene(kind, rule, merges: true, isOwned: false)
      let second = scene.second
      second.undoManager = ContextUndoManager()
      var reached: [Bool] = []
      let token = second.onDidMergeObjectIDs { _ in
        _ = try? second.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
        reached.append(scene.ours.item.isDeleted)
      }
      second.delete(scene.ours.owner)
      try second.processPendingChanges()
      try scene.theirs.item.setObject(scene.theirs.owner, forKey: "owner")
      try scene.first.save()
      try second.processPendingChanges()
      #expect(reached == [rule == .cascade])
      second.undo()
      #expect(!scene.ours.item.isDeleted)
      #expect(try scene.ours.item.object(forKey: "owner") === scene.ours.owner)
      try second.save()
      #expect(try scene.storedItems() == [true])
      token.cancel()
    }
  }

  @Test(arguments: StoreKind.allCases, [MergePolicy.mergeByPropertyStoreTrump, .rollback])
  func `1C.1 an object that comes back denies the deletion of its owner`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let scene = try Scene(kind, .deny, policy, merges: false, isOwned: true)
    scene.second.delete(scene.ours.item)
    scene.second.delete(scene.ours.owner)
    try scene.second.processPendingChanges()
    try scene.theirs.item.setValue("edited", forKey: "name")
    try scene.first.save()
    #expect(code { try scene.second.save() } == .relationshipDeniedDelete)
    #expect(try scene.storedItems() == [true])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1C.1 an object that is stored again denies the deletion of its owner`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    let scene = try Scene(kind, .deny, merges: merges, isOwned: true)
    try scene.ours.item.setValue("edited", forKey: "name")
    scene.second.delete(scene.ours.owner)
    scene.first.delete(scene.theirs.item)
    try scene.first.save()
    #expect(code { try scene.second.save() } == .relationshipDeniedDelete)
    #expect(try scene.storedItems().isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 a new pair of an object that is deleted without a rule is not stored`(
    _ kind: StoreKind
  ) throws {
    let posts = RelationshipDescription(
      "posts",
      to: "Post",
      inverse: "tags",
      isToMany: true,
      deleteRule: .noAction
    )
    let model = try ManagedObjectModel(
      EntityDescription("Tag", properties: [.relationship(posts)]),
      EntityDescription("Post", properties: [.toMany("tags", "Tag", inverse: "posts")])
    )
    let bench = try Bench(kind, model: model, classes: [])
    let context = bench.context()
    let (tag, post) = (
      try context.insert(entityNamed: "Tag"), try context.insert(entityNamed: "Post")
    )
    try context.save()
    try tag.objects(forKey: "posts").insert(post)
    context.delete(tag)
    try context.save()
    let reader = bench.context()
    let stored = try reader.existingObject(with: post.objectID)
    #expect(try stored.objects(forKey: "tags").isEmpty)
    #expect(!context.hasChanges)
  }

  /// What others save between the deletion of tags and its save.
  enum News: CaseIterable {
    case none, postWithoutTags, postOfOneTag
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 rules are applied again only to what others have given members`(
    _ kind: StoreKind
  ) throws {
    let costs = try News.allCases.map { try statementsOfSave(kind, after: $0) }
    #expect(costs[0] == costs[1])
    #expect(costs[1] < costs[2] && costs[2] < costs[1] + 10)
  }

  /// The statements that the save of 100 deleted tags takes.
  private func statementsOfSave(_ kind: StoreKind, after news: News) throws -> Int {
    let model = try ManagedObjectModel(
      EntityDescription("Tag", properties: [.toMany("posts", "Post", inverse: "tags")]),
      EntityDescription("Post", properties: [.toMany("tags", "Tag", inverse: "posts")])
    )
    let bench = try Bench(kind, model: model, classes: [])
    let (first, second) = (bench.context(), bench.context())
    for _ in 0..<100 { _ = try first.insert(entityNamed: "Tag") }
    try first.save()
    let tags = try second.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))
    for tag in tags { second.delete(tag) }
    try second.processPendingChanges()
    if news != .none {
      let post = try first.insert(entityNamed: "Post")
      if news == .postOfOneTag {
        let tag = try first.existingObject(with: tags[50].objectID)
        try post.objects(forKey: "tags").insert(tag)
      }
      try first.save()
    }
    let before = bench.coordinator.counters.statements
    try second.save()
    let cost = bench.coordinator.counters.statements - before
    let reader = bench.context()
    let posts = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Post"))
    let counts = try posts.map { try $0.objects(forKey: "tags").count }
    #expect(counts == (news == .none ? [] : [0]))
    return cost
  }
}
