// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import RandomTesting
import Testing

@Suite("SEMANTICS 1A.9: random changes of several contexts against plain recomputation")
struct DerivationPropertyTests {
  /// A context that does something.
  private final class Actor {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
      self.context = context
      context.automaticallyMergesChangesFromParent = true
      context.mergePolicy = .mergeByPropertyObjectTrump
      context.undoManager = ContextUndoManager()
    }

    func pick<Object: ManagedEntity>(
      _ type: Object.Type,
      _ generator: inout SeededGenerator
    ) throws -> Object? {
      var request = FetchRequest<Object>()
      let count = try context.count(for: request)
      guard count > 0 else { return nil }
      // Alone, so that most owners are not loaded.
      request.fetchOffset = Int.random(in: 0..<count, using: &generator)
      request.fetchLimit = 1
      return try context.fetch(request).first
    }

    func pickAny(_ choice: Int, _ generator: inout SeededGenerator) throws -> ManagedObject? {
      switch choice {
      case 0: try pick(Room.self, &generator)
      case 1: try pick(Shelf.self, &generator)
      case 2: try pick(Label.self, &generator)
      default: try pick(Keeper.self, &generator)
      }
    }

    /// Whether references lead to objects, and both sides of a relationship agree.
    private func brokenLink() throws -> String? {
      let (rooms, keepers) = (try context.fetch(Room.all), try context.fetch(Keeper.all))
      for room in rooms {
        guard let keeper = room.keeper else { continue }
        if !keepers.contains(keeper) { return "room \(room.name): its keeper is gone" }
        if keeper.room !== room { return "room \(room.name): its keeper is another's" }
      }
      for keeper in keepers {
        guard let room = keeper.room else { continue }
        if !rooms.contains(room) { return "keeper \(keeper.rank): its room is gone" }
        if room.keeper !== keeper { return "keeper \(keeper.rank): its room is another's" }
      }
      let shelves = try context.fetch(Shelf.all)
      for shelf in shelves {
        if let room = shelf.room, !rooms.contains(room) { return "\(shelf.title): no room" }
      }
      for label in try context.fetch(Label.all) {
        if let shelf = label.shelf, !shelves.contains(shelf) { return "\(label.text): no shelf" }
      }
      return nil
    }

    /// Whether every derived attribute is what its path leads to.
    func mismatch() throws -> String? {
      try context.processPendingChanges()
      if let text = try brokenLink() { return text }
      for label in try context.fetch(Label.all) where label.copies != label.expectedCopies {
        return "label \(label.text): \(label.copies), not \(label.expectedCopies)"
      }
      if let shelf = try context.fetch(Shelf.all).first(where: { !$0.isDeleted }) {
        let found = try context.fetch(Label.filter("title == \(shelf.title)")).count
        let expected = try context.fetch(Label.all).count { $0.shelf?.title == shelf.title }
        if found != expected { return "\(found) labels of '\(shelf.title)', not \(expected)" }
      }
      for keeper in try context.fetch(Keeper.all) where keeper.roomName != keeper.room?.name {
        return "keeper: \(String(describing: keeper.roomName))"
      }
      return nil
    }
  }

  private func change(_ actor: Actor, _ generator: inout SeededGenerator) throws {
    let context = actor.context
    func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    switch number(14) {
    case 12:
      try context.processPendingChanges()
      if number(3) == 0 { context.redo() } else { context.undo() }
    case 13:
      if let object = try actor.pickAny(number(4), &generator), !object.isInserted {
        context.refresh(object, mergeChanges: number(2) == 0)
      }
    case 0: Room(context: context).name = "room \(number(99))"
    case 1:
      let shelf = Shelf(context: context)
      shelf.title = "Süß \(number(99))"
      shelf.room = try actor.pick(Room.self, &generator)
    case 2, 3:
      let label = number(3) == 0 ? GoldLabel(context: context) : Label(context: context)
      label.text = "\(number(999))"
      label.shelf = try actor.pick(Shelf.self, &generator)
    case 4:
      let keeper = Keeper(context: context)
      keeper.rank = number(99)
      keeper.room = try actor.pick(Room.self, &generator)
    case 5: try actor.pick(Room.self, &generator)?.name = "room \(number(99))"
    case 6: try actor.pick(Shelf.self, &generator)?.title = "Ähre \(number(99))"
    case 7: try actor.pick(Keeper.self, &generator)?.rank = number(99)
    case 8:
      try actor.pick(Shelf.self, &generator)?.room =
        number(4) == 0 ? nil : actor.pick(Room.self, &generator)
    case 9:
      try actor.pick(Label.self, &generator)?.shelf =
        number(4) == 0 ? nil : actor.pick(Shelf.self, &generator)
    case 10:
      try actor.pick(Room.self, &generator)?.keeper =
        number(4) == 0 ? nil : actor.pick(Keeper.self, &generator)
    default:
      if let victim = try actor.pickAny(number(4), &generator) { context.delete(victim) }
    }
  }

  /// Changes in turns, each with a save or a rollback: conflicts are for other tests.
  private func run(_ kind: StoreKind, seed: UInt64, isNested: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    let bench = try roomsBench(kind)
    let top = Actor(bench.context())
    let others = (0..<2).map { _ in
      Actor(isNested ? ManagedObjectContext(parent: top.context) : bench.context())
    }
    let actors = [top] + others
    for step in 0..<60 {
      guard let actor = actors.randomElement(using: &generator) else { return }
      for _ in 0...Int.random(in: 0..<4, using: &generator) {
        try change(actor, &generator)
        if Int.random(in: 0..<3, using: &generator) == 0, let text = try actor.mismatch() {
          Issue.record("seed \(seed), step \(step), before the save: \(text)")
          return
        }
      }
      if Int.random(in: 0..<8, using: &generator) == 0 {
        actor.context.rollback()
      } else {
        try actor.context.save()
      }
      if isNested { try top.context.save() }
      for (number, actor) in (actors + [Actor(bench.context())]).enumerated() {
        if let text = try actor.mismatch() {
          Issue.record("seed \(seed), step \(step), context \(number): \(text)")
          return
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1A.9 copies are what their paths lead to, in every context and in the store`(
    _ kind: StoreKind,
    _ isNested: Bool
  ) {
    for seed in PropertyRuns.seeds(usually: 8) {
      do {
        try run(kind, seed: seed, isNested: isNested)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}
