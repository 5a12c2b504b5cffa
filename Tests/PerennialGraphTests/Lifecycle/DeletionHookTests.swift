// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Observation
import PerennialGraph
import PerennialModel
import Synchronization
import Testing

/// An object that fetches when it is deleted.
private final class Doomed: ManagedObject, ManagedEntity {
  var key: Int {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var value: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Doomed.self,
        named: "Doomed",
        superclass: ManagedObject.self,
        uniqueness: [["key"]],
        properties: [
          .of("key", Int.self, default: 0), .of("value", Int.self, default: 0),
        ]
      )
    }
    return Storage.entity
  }

  override func prepareForDeletion() { _ = try? managedObjectContext?.fetch(Doomed.all) }
}

@Suite("SEMANTICS 1F: callbacks in which an object loses its row")
struct DeletionHookTests {
  @Test(arguments: StoreKind.allCases, [true, false])
  func `1F.3 an object that prepareForDeletion refreshes is deleted`(
    _ kind: StoreKind,
    _ refreshesAll: Bool
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      try context.save()
      log.onPrepareForDeletion = { object in
        if refreshesAll {
          context.refreshAllObjects()
        } else {
          context.refresh(object, mergeChanges: false)
        }
      }
      context.delete(object)
      #expect(object.isDeleted)
      try context.save()
      #expect(try bench.context().count(for: Hooked.all) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 deleting an object that prepareForDeletion merges deletes its survivor`(
    _ kind: StoreKind
  ) throws {
    let model = try ManagedObjectModel(entities: [Doomed.entity])
    let bench = try Bench(kind, model: model, classes: [Doomed.self])
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let stored = Doomed(context: context)
    stored.key = 1
    try context.save()
    let twin = Doomed(context: context)
    (stored.value, twin.key) = (2, 1)
    context.delete(twin)
    #expect(twin.isForwarding && twin.isDeleted && stored.isDeleted)
    try context.save()
    #expect(try bench.context().count(for: Doomed.all) == 0)
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `1F.3 the rules of what a cascade deletes apply, though its prepareForDeletion fetches`(
    _ kind: StoreKind,
    _ fetches: Bool
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let top = Hooked(context: context)
      for _ in 0..<3 {
        let part = Hooked(context: context)
        part.owner = top
        for _ in 0..<2 { Hooked(context: context).owner = part }
      }
      try context.save()
      log.onPrepareForDeletion = { object in
        if fetches {
          _ = try object.managedObjectContext?.fetch(Hooked.all)
        } else {
          try object.managedObjectContext?.processPendingChanges()
        }
      }
      context.delete(top)
      try context.save()
      #expect(log.errors.isEmpty)
      #expect(try bench.context().count(for: Hooked.all) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 an observer may make the object that is being changed a fault`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.isObserving = true
    let commit = Commit(context: context)
    commit.sha = "a"
    try context.save()
    let box = Confined(commit)
    let told = Told()
    withObservationTracking {
      _ = commit.message
    } onChange: {
      // Refreshing tells the same observer again.
      guard !told.flag.exchange(true, ordering: .relaxed) else { return }
      box.commit.managedObjectContext?.refresh(box.commit, mergeChanges: false)
    }
    commit.message = "new"
    let wasTold = told.flag.load(ordering: .relaxed)
    #expect(wasTold)
    #expect(commit.message == "new" && commit.isUpdated)
    try context.save()
    #expect(try bench.context().fetch(Commit.all).map(\.message) == ["new"])
  }

  private final class Told: Sendable {
    let flag = Atomic(false)
  }

  /// Lets a callback that runs at once, on the same thread, use an object.
  ///
  /// Safe because the test changes the object on one thread only, and so the callback runs there.
  private struct Confined: @unchecked Sendable {
    let commit: Commit
    init(_ commit: Commit) { self.commit = commit }
  }
}
