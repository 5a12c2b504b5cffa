// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import RandomTesting
import Testing

/// Random changes, of unique values too, in two contexts on a store and a child of the first.
///
/// The oracle of `MergePropertyTests` leaves out what the specification leaves open: which of several
/// objects meet first. Here only what must hold however they meet is looked at.
@Suite("SEMANTICS 1M: every save under a policy that merges succeeds and leaves no twins")
struct MergeConvergenceTests {
  private enum Step {
    case insert(Int, key: Int64, code: Int64?)
    case set(Int, object: Int, name: String, Int64?)
    case delete(Int, object: Int)
    case fetch(Int)
    case rollback(Int)
    case save(Int)

    static func random(using generator: inout SeededGenerator) -> Step {
      func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
      func value() -> Int64? { number(4) == 0 ? nil : Int64(number(4)) }
      let context = number(3)
      switch number(16) {
      case 0..<4: return .insert(context, key: Int64(number(4)), code: value())
      case 4..<6: return .set(context, object: number(12), name: "key", Int64(number(4)))
      case 6..<8: return .set(context, object: number(12), name: "code", value())
      case 8..<10: return .set(context, object: number(12), name: "a", value())
      case 10: return .delete(context, object: number(12))
      case 11, 12: return .fetch(context)
      case 13: return number(3) == 0 ? .rollback(context) : .fetch(context)
      default: return .save(context)
      }
    }
  }

  private struct Mismatch: Error, CustomStringConvertible {
    let description: String
  }

  private final class World {
    private let bench: Bench
    private let contexts: [ManagedObjectContext]
    private var objects: [[ManagedObject]] = [[], [], []]

    init(_ kind: StoreKind, _ policy: MergePolicy) throws {
      let attributes: [PropertyDescription] = [
        .attribute("key", .int64), .attribute("code", .int64, optional: true),
        .attribute("a", .int64, optional: true),
      ]
      let entry = EntityDescription(
        "Entry",
        uniqueness: [["key"], ["code"]],
        properties: attributes
      )
      bench = try Bench(kind, model: ManagedObjectModel(entry))
      let first = bench.context()
      contexts = [first, bench.context(), ManagedObjectContext(parent: first)]
      for context in contexts { context.mergePolicy = policy }
    }

    func run(_ step: Step) throws {
      switch step {
      case .insert(let place, let key, let code):
        let object = try contexts[place].make("Entry", ["key": key])
        if code != nil { try object.set(["code": code]) }
        objects[place].append(object)
      case .set(let place, let number, let name, let value):
        guard let object = live(number, place) else { return }
        // The row of a fault may be gone, which shows when it is read.
        _ = try? object.value(forKey: name)
        if isLive(object) { try object.set([name: value]) }
      case .delete(let place, let number):
        if let object = live(number, place) { contexts[place].delete(object) }
      case .fetch(let place):
        let request = FetchRequest<ManagedObject>(entityName: "Entry")
        for object in try contexts[place].fetch(request)
        where !objects[place].contains(where: { $0 === object }) {
          objects[place].append(object)
        }
      case .rollback(let place): contexts[place].rollback()
      case .save(let place): try save(place)
      }
      try checkIdentity()
    }

    /// What has a context, and is not deleted, is its object of its ID or forwards to that.
    private func checkIdentity() throws {
      for object in objects.joined() where !object.isForwarding && !object.isDeleted {
        guard let context = object.managedObjectContext else { continue }
        if context.registeredObject(for: object.objectID) !== object {
          throw Mismatch(description: "\(object.objectID) is not the one of its context")
        }
      }
    }

    private func live(_ number: Int, _ place: Int) -> ManagedObject? {
      guard !objects[place].isEmpty else { return nil }
      let object = objects[place][number % objects[place].count]
      return isLive(object) ? object : nil
    }

    private func isLive(_ object: ManagedObject) -> Bool {
      guard let context = object.managedObjectContext else { return false }
      // The object that it stands for may be gone.
      if object.isForwarding { return context.registeredObject(for: object.objectID) != nil }
      return !object.isDeleted && !object.isGone
    }

    private func save(_ place: Int) throws {
      let changed = objects[place].filter {
        isLive($0) && ($0.isInserted || $0.isUpdated && !$0.changedValues().isEmpty)
      }
      try contexts[place].save()
      if contexts[place].hasChanges { throw Mismatch(description: "changes are left") }
      // Above a child there may be twins that the save of that context finds; and what the child has
      // not changed is as it has read it.
      if place == 2 { return }
      let reader = bench.context()
      let rows = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Entry"))
      try check(rows)
      // What is set back need not be saved, and may be out of date like any unchanged object.
      let setsBack = [.mergeByPropertyStoreTrump, .rollback].contains(contexts[place].mergePolicy)
      if setsBack { return }
      for object in changed where isLive(object) {
        guard let row = rows.first(where: { $0.objectID == object.objectID }) else {
          throw Mismatch(description: "\(object.objectID) is not stored")
        }
        let (values, stored) = (try read(object), try read(row))
        if values != stored {
          throw Mismatch(description: "\(object.objectID) is \(values), not \(stored)")
        }
      }
    }

    /// No two rows have a key or a code.
    private func check(_ rows: [ManagedObject]) throws {
      for index in 0..<2 {
        let values = try rows.compactMap { try read($0)[index] }
        if Set(values).count < values.count { throw Mismatch(description: "twins: \(values)") }
      }
    }

    private func read(_ object: ManagedObject) throws -> [Int64?] {
      try ["key", "code", "a"].map { try object.value(forKey: $0) as? Int64 }
    }
  }

  /// What a sequence does wrong; `nil` when nothing.
  private func failure(_ kind: StoreKind, _ policy: MergePolicy, _ steps: [Step]) -> String? {
    do {
      let world = try World(kind, policy)
      for (number, step) in steps.enumerated() {
        do {
          try world.run(step)
        } catch {
          return "\(error), at step \(number + 1)"
        }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.2 saves converge, at every level of a family`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) {
    for seed in PropertyRuns.seeds(usually: 10, from: 1) {
      var generator = SeededGenerator(seed: seed)
      let steps =
        (0..<50).map { _ in Step.random(using: &generator) } + [.save(2), .save(0), .save(1)]
      guard failure(kind, policy, steps) != nil else { continue }
      let short = PropertyRuns.shrink(steps) { failure(kind, policy, $0) != nil }
      let reason = failure(kind, policy, short) ?? "nothing, the second time"
      let lines = short.map { "  \($0)" }.joined(separator: "\n")
      Issue.record("\(policy), seed \(seed): \(reason)\n\(lines)")
      return
    }
  }
}
