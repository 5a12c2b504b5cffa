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
  /// What a hook does with the context.
  enum Use: CaseIterable {
    case fetch, process, save

    func callAsFunction(_ context: ManagedObjectContext?) throws {
      switch self {
      case .fetch: _ = try context?.fetch(Hooked.all)
      case .process: try context?.processPendingChanges()
      case .save: try context?.save()
      }
    }
  }

  /// A stored object with three parts, each of which has two.
  private func makeTop(in context: ManagedObjectContext) throws -> Hooked {
    let top = Hooked(context: context)
    for _ in 0..<3 {
      let part = Hooked(context: context)
      part.owner = top
      for _ in 0..<2 { Hooked(context: context).owner = part }
    }
    try context.save()
    return top
  }

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

  @Test(arguments: StoreKind.allCases, Use.allCases)
  func `1F.3 the rules of what a cascade deletes apply, though its prepareForDeletion fetches`(
    _ kind: StoreKind,
    _ use: Use
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let top = try makeTop(in: context)
      log.onPrepareForDeletion = { try use($0.managedObjectContext) }
      context.delete(top)
      try context.save()
      #expect(log.errors.isEmpty)
      #expect(try bench.context().count(for: Hooked.all) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases, Use.allCases)
  func `1F.3 the rest of a cascade is done when prepareForDeletion of its first part goes on`(
    _ kind: StoreKind,
    _ use: Use
  ) throws {
    try withHooks(kind) { bench, log in
      let (context, other) = (bench.context(), bench.context())
      let top = try makeTop(in: context)
      var left: [Int] = []
      log.onPrepareForDeletion = { object in
        guard object !== top, left.isEmpty else { return }
        left = [-1]
        try use(context)
        // The object itself, and its own parts.
        left = [try context.count(for: Hooked.all)]
        if use == .save { left.append(try other.count(for: Hooked.all)) }
      }
      context.delete(top)
      try context.save()
      #expect(log.errors.isEmpty)
      #expect(left == (use == .save ? [3, 3] : [3]))
      #expect(try other.count(for: Hooked.all) == 0)
    }
  }

  @Test(
    arguments: StoreKind.allCases,
    [[.fetch], [.process], [.save], [.fetch, .save], [.save, .fetch]] as [[Use]]
  )
  func `1F.3 hooks of a cascade are not nested deeper for more members or more owners`(
    _ kind: StoreKind,
    _ uses: [Use]
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let top = Hooked(context: context)
      for _ in 0..<20 { Hooked(context: context).owner = top }
      var owners = [top]
      for _ in 0..<20 {
        let owner = Hooked(context: context)
        Hooked(context: context).owner = owner
        owners.append(owner)
      }
      try context.save()
      for owner in owners { context.delete(owner) }
      var (calls, depth, deepest) = (0, 0, 0)
      log.onPrepareForDeletion = { _ in
        let use = uses[calls % uses.count]
        calls += 1
        depth += 1
        defer { depth -= 1 }
        deepest = max(deepest, depth)
        try use(context)
      }
      try context.save()
      #expect(log.errors.isEmpty)
      #expect(calls == 40)
      #expect(deepest <= 3)
      #expect(try bench.context().count(for: Hooked.all) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a save in a hook that a save in a hook calls is left to that one`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let (context, other) = (bench.context(), bench.context())
      let top = Hooked(context: context)
      for _ in 0..<3 { Hooked(context: context).owner = top }
      try context.save()
      context.delete(top)
      var (calls, stored) = (0, [Int]())
      log.onPrepareForDeletion = { _ in
        calls += 1
        try context.save()
        stored.append(try other.count(for: Hooked.all))
      }
      try context.save()
      #expect(log.errors.isEmpty && calls == 3)
      // The first hook's save writes all but the hook's own object, and ends last.
      #expect(stored == [4, 4, 1])
      #expect(try other.count(for: Hooked.all) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a cascade ends when prepareForDeletion of one of its parts rolls back`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let top = try makeTop(in: context)
      log.onPrepareForDeletion = { object in
        guard object !== top else { return }
        log.onPrepareForDeletion = nil
        context.rollback()
      }
      context.delete(top)
      try context.save()
      #expect(log.errors.isEmpty && !top.isDeleted)
      // The part that rolled back is deleted afterwards, with its own parts.
      #expect(try bench.context().count(for: Hooked.all) == 7)
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
