// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// A `deinit` runs wherever the last reference goes, also inside the library.
@Suite("SEMANTICS 1F: objects whose deinit uses their context")
struct DeathTests {
  /// Makes objects that only the context holds.
  private func populate(_ context: ManagedObjectContext, _ names: ClosedRange<Int> = 1...3) {
    for number in names {
      let object = Mourner(context: context)
      object.name = "\(number)"
    }
  }

  /// What the dying have changed is in the context, and can be saved.
  private func expectSaved(
    _ context: ManagedObjectContext,
    _ grief: Grief,
    atLeast deaths: Int
  ) throws {
    #expect(grief.errors.isEmpty)
    #expect(grief.deaths >= deaths)
    grief.isSilent = true
    try context.save()
    #expect(!context.hasChanges)
    #expect(context.lastFaultError == nil)
    let fresh = ManagedObjectContext(coordinator: context.coordinator)
    let witness = try #require(grief.witness)
    #expect(try fresh.object(Mourner.self, with: witness.objectID).count == witness.count)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a save lets new and deleted objects go`(_ kind: StoreKind, _ hears: Bool) throws {
    try withGrief(kind) { context, grief in
      let token = hears ? context.onObjectsDidChange { _ in } : nil
      populate(context)
      try context.save()
      for object in try context.fetch(Mourner.all) where object !== grief.witness {
        context.delete(object)
      }
      try context.save()
      try expectSaved(context, grief, atLeast: 3)
      withExtendedLifetime(token) {}
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a rollback lets new and changed objects go`(_ kind: StoreKind, _ hears: Bool) throws {
    try withGrief(kind) { context, grief in
      let token = hears ? context.onObjectsDidChange { _ in } : nil
      populate(context)
      try context.save()
      let count = grief.deaths
      for object in try context.fetch(Mourner.all) where object !== grief.witness {
        object.count += 1
      }
      populate(context, 4...6)
      context.rollback()
      #expect(grief.deaths > count)
      #expect(grief.errors.isEmpty)
      try context.save()
      withExtendedLifetime(token) {}
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a reset lets everything go`(_ kind: StoreKind, _ hears: Bool) throws {
    try withGrief(kind) { context, grief in
      let token = hears ? context.onObjectsDidChange { _ in } : nil
      context.undoManager = ContextUndoManager()
      populate(context)
      try context.processPendingChanges()
      populate(context, 4...6)
      let deaths = grief.deaths
      context.reset()
      #expect(grief.deaths > deaths)
      #expect(grief.errors.isEmpty)
      grief.isSilent = true
      context.rollback()
      #expect(try context.fetch(Mourner.all).map(\.name) == ["witness"])
      #expect(!context.hasChanges)
      withExtendedLifetime(token) {}
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `refreshing all objects lets go of those that were kept`(_ kind: StoreKind) throws {
    try withGrief(kind) { context, grief in
      try chain(context, 3)
      context.refreshAllObjects()
      grief.isSilent = false
      let heirs = try heirs(context)
      #expect(heirs == 3)
      context.refreshAllObjects()
      try expectSaved(context, grief, atLeast: 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the ring of kept objects lets the oldest go`(_ kind: StoreKind) throws {
    try withGrief(kind) { context, grief in
      try chain(context, 4_300)
      context.refreshAllObjects()
      grief.isSilent = false
      #expect(try heirs(context) == 4_300)
      try expectSaved(context, grief, atLeast: 100)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the undo log lets objects go that it cannot bring back`(_ kind: StoreKind) throws {
    try withGrief(kind) { context, grief in
      let manager = ContextUndoManager()
      context.undoManager = manager
      manager.levelsOfUndo = 1
      for number in 1...3 {
        populate(context, number...number)
        try context.save()
      }
      try context.processPendingChanges()
      #expect(grief.deaths >= 1)
      populate(context, 4...4)
      context.undo()
      populate(context, 5...5)
      try context.save()
      context.undo()
      manager.removeAllActions()
      populate(context, 6...6)
      try context.save()
      context.undoManager = nil
      try context.save()
      try expectSaved(context, grief, atLeast: 4)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a new object that is undone dies with the event that tells nothing of it`(
    _ kind: StoreKind
  ) throws {
    try withGrief(kind) { context, grief in
      let token = context.onObjectsDidChange { _ in }
      let manager = ContextUndoManager()
      context.undoManager = manager
      populate(context)
      context.undo()
      manager.removeAllActions()
      try context.processPendingChanges()
      try expectSaved(context, grief, atLeast: 3)
      token.cancel()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `objects that a context retained go when it retains them no more`(
    _ kind: StoreKind
  ) throws {
    try withGrief(kind) { context, grief in
      context.retainsRegisteredObjects = true
      populate(context)
      try context.save()
      context.retainsRegisteredObjects = false
      try expectSaved(context, grief, atLeast: 3)
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `objects that are merged into others go`(_ kind: StoreKind, _ rollsBack: Bool) throws {
    try withGrief(kind) { context, grief in
      let token = context.onObjectsDidChange { _ in }
      context.mergePolicy = .mergeByPropertyObjectTrump
      populate(context)
      try context.save()
      populate(context)
      populate(context)
      try context.processPendingChanges()
      for object in try context.fetch(Mourner.all) where object.name == "2" { object.name = "1" }
      try context.processPendingChanges()
      if rollsBack { context.rollback() } else { try context.save() }
      #expect(grief.deaths >= 3)
      #expect(grief.errors.isEmpty)
      try context.save()
      context.refreshAllObjects()
      try context.save()
      token.cancel()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the pairs of dead objects let them go`(_ kind: StoreKind) throws {
    try withGrief(kind) { context, grief in
      populate(context)
      try context.save()
      let objects = try context.fetch(Mourner.all).filter { $0 !== grief.witness }
      for object in objects { grief.witness?.friends.append(object) }
      try pairs(context, grief)
      try expectSaved(context, grief, atLeast: 1)
    }
  }

  private func pairs(_ context: ManagedObjectContext, _ grief: Grief) throws {
    try context.save()
    for object in try context.fetch(Mourner.all) where object !== grief.witness {
      grief.witness?.friends.remove(object)
    }
    context.rollback()
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a dying fault reads its row`(_ kind: StoreKind, _ onlyReads: Bool) throws {
    try withGrief(kind) { context, grief in
      grief.onlyReads = onlyReads
      try chain(context, 3)
      context.refreshAllObjects()
      grief.isSilent = false
      for object in try owners(context) { _ = object.heir?.objectID }
      #expect(grief.names.contains("1 heir"))
      context.refreshAllObjects()
      try expectSaved(context, grief, atLeast: 3)
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a dying fault whose row is gone reads as empty`(
    _ kind: StoreKind,
    _ onlyReads: Bool
  ) throws {
    try withGrief(kind) { context, grief in
      grief.onlyReads = onlyReads
      let token = context.onObjectsDidChange { _ in }
      try chain(context, 1)
      context.refreshAllObjects()
      let other = ManagedObjectContext(coordinator: context.coordinator)
      for object in try other.fetch(Mourner.all) where object.name == "1 heir" {
        other.delete(object)
      }
      let owner = try #require(try context.fetch(Mourner.all).first { $0.name == "1" })
      let id = try #require(owner.heir?.objectID)
      try other.save()
      grief.isSilent = false
      _ = try context.fault(for: id)
      #expect(grief.names == [""])
      try context.processPendingChanges()
      token.cancel()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a callback takes others with it when its token ends`(_ kind: StoreKind) throws {
    final class Owner {
      let token: NoticeToken
      init(_ token: NoticeToken) { self.token = token }
    }
    try withGrief(kind) { context, _ in
      weak var taken: Owner?
      func listen() -> NoticeToken {
        let owner = Owner(context.onWillSave {})
        taken = owner
        return context.onDidSave { _ in withExtendedLifetime(owner) {} }
      }
      let token = listen()
      #expect(taken != nil)
      token.cancel()
      #expect(taken == nil)
      try context.save()
    }
  }

  /// Saves objects and an heir of each.
  private func chain(_ context: ManagedObjectContext, _ count: Int) throws {
    Mourner.box.grief?.isSilent = true
    for number in 1...count {
      let (object, heir) = (Mourner(context: context), Mourner(context: context))
      object.name = "\(number)"
      heir.name = "\(number) heir"
      object.heir = heir
    }
    try context.save()
  }

  /// Counts the objects that have an heir, holding no heir.
  private func heirs(_ context: ManagedObjectContext) throws -> Int {
    try owners(context).count { $0.heir?.name.isEmpty == false }
  }

  private func owners(_ context: ManagedObjectContext) throws -> [Mourner] {
    var request = Mourner.all
    request.predicate = "heir != NIL"
    return try context.fetch(request)
  }
}
