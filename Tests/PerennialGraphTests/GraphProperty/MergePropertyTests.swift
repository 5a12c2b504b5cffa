// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import RandomTesting
import Testing

@Suite("SEMANTICS 1M: random changes of two contexts against the rules of the policies")
struct MergePropertyTests {
  private struct Row: Equatable {
    var a: Int64?
    var b: Int64?
    var notes = 0
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Entry",
        uniqueness: [["key"]],
        properties: [
          .attribute("key", .int64), .attribute("a", .int64, optional: true),
          .attribute("b", .int64, optional: true), .toMany("notes", "Note"),
        ]
      ),
      EntityDescription("Note", properties: [.toOne("entry", "Entry")])
    )
  }

  /// Inserts, updates and saves; what is assigned last wins, whoever assigned it.
  ///
  /// Setting the value that a context has already is no assignment. Nested, the two contexts are
  /// children of one, which saves now and then. When the new objects are compared with what is stored,
  /// at a fetch or at the save, does not matter.
  private func run(_ kind: StoreKind, seed: UInt64, isNested: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    func number(_ bound: Int64) -> Int64 { Int64.random(in: 0..<bound, using: &generator) }
    let bench = try Bench(kind, model: Self.model())
    let top = bench.context()
    let contexts = (0..<2).map { _ in
      isNested ? ManagedObjectContext(parent: top) : bench.context()
    }
    for context in contexts + [top] { context.mergePolicy = .mergeByPropertyObjectTrump }
    var stored: [Int64: Row] = [:]
    var ids: [Int64: ManagedObjectID] = [:]
    /// What each context has assigned since its last save, in order.
    var pending: [[(Int64, (inout Row) -> Void)]] = [[], []]
    var held: [[(Int64, ManagedObject)]] = [[], []]
    for _ in 0..<60 {
      let turn = Int(number(2))
      let context = contexts[turn]
      if number(5) == 0 {
        try context.save()
        if isNested, number(2) == 0 { try top.save() }
        for (key, change) in pending[turn] { change(&stored[key, default: Row()]) }
        pending[turn] = []
        for (key, object) in held[turn] {
          if ids[key]?.isTemporaryID != false { ids[key] = object.objectID }
          #expect(object.objectID == ids[key], "seed \(seed)")
        }
        continue
      }
      if number(6) == 0 {
        let keys = try context.fetch(FetchRequest<ManagedObject>(entityName: "Entry")).map {
          try $0.value(forKey: "key") as? Int64
        }
        #expect(Set(keys).count == keys.count, "seed \(seed): a fetch shows twins")
        continue
      }
      let object: ManagedObject
      let key: Int64
      if number(3) == 0, let known = held[turn].randomElement(using: &generator),
        let newest = held[turn].last(where: { $0.0 == known.0 })
      {
        // An older object may not know yet that the newest one is its twin, whose values win.
        (key, object) = newest
      } else {
        key = number(6)
        object = try context.insert(entityNamed: "Entry")
        try object.setValue(key, forKey: "key")
        held[turn].append((key, object))
        pending[turn].append((key, { _ in }))
      }
      let value = number(4) == 0 ? nil : number(100)
      switch number(3) {
      case 0:
        try object.setValue(value, forKey: "a")
        try context.processPendingChanges()
        if object.changedValues()["a"] != nil { pending[turn].append((key, { $0.a = value })) }
      case 1:
        try object.setValue(value, forKey: "b")
        try context.processPendingChanges()
        if object.changedValues()["b"] != nil { pending[turn].append((key, { $0.b = value })) }
      default:
        let note = try context.insert(entityNamed: "Note")
        try note.setObject(object, forKey: "entry")
        try context.processPendingChanges()
        pending[turn].append((key, { $0.notes += 1 }))
      }
    }
    for (turn, context) in contexts.enumerated() {
      try context.save()
      for (key, change) in pending[turn] { change(&stored[key, default: Row()]) }
    }
    try top.save()
    let reader = bench.context()
    var found: [Int64: Row] = [:]
    for object in try reader.fetch(FetchRequest<ManagedObject>(entityName: "Entry")) {
      let key = try #require(try object.value(forKey: "key") as? Int64)
      #expect(found[key] == nil, "seed \(seed): two rows of one key")
      found[key] = Row(
        a: try object.value(forKey: "a") as? Int64,
        b: try object.value(forKey: "b") as? Int64,
        notes: try object.objects(forKey: "notes").count
      )
    }
    for (key, row) in stored where found[key] != row {
      Issue.record("seed \(seed), key \(key): \(String(describing: found[key])), not \(row)")
    }
    #expect(found.count == stored.count, "seed \(seed)")
  }

  @Test(arguments: StoreKind.allCases)
  func `what was assigned last is stored, under the first ID`(_ kind: StoreKind) {
    runAll(kind, isNested: false)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 what children assigned last is stored, under the first ID`(_ kind: StoreKind) {
    runAll(kind, isNested: true)
  }

  private func runAll(_ kind: StoreKind, isNested: Bool) {
    for seed in PropertyRuns.seeds(usually: 15) {
      do {
        try run(kind, seed: seed, isNested: isNested)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  // MARK: All policies

  /// What a sequence does wrong; `nil` when nothing.
  private func failure(_ kind: StoreKind, _ policy: MergePolicy, _ steps: [MergeStep]) -> String? {
    do {
      let driver = try MergeDriver(kind, policy)
      for step in steps {
        do { try driver.run(step) } catch let mismatch as MergeDriver.Mismatch {
          return "\(mismatch.text), after \(step)"
        }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 1M.2 contexts and store are what the rules of the policy make them`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) {
    for seed in PropertyRuns.seeds(usually: 20) {
      var generator = SeededGenerator(seed: seed)
      let steps =
        (0..<60).map { _ in MergeStep.random(using: &generator) } + [.save(0), .save(1), .save(0)]
      guard let failure = failure(kind, policy, steps) else { continue }
      let short = PropertyRuns.shrink(steps) { self.failure(kind, policy, $0) != nil }
      let lines = short.map { "  \($0)" }.joined(separator: "\n")
      let reason = self.failure(kind, policy, short) ?? failure
      Issue.record("\(policy), seed \(seed): \(reason)\n\(lines)")
      return
    }
  }
}
