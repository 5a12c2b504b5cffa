// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import RandomTesting

/// One step of a random sequence; objects are named by their place among all that were inserted.
enum MergeStep: CustomStringConvertible {
  case insert(Int, key: Int64, [Int: Int64?])
  case set(Int, object: Int, index: Int, Int64?)
  case delete(Int, object: Int)
  case process(Int)
  case fetch(Int)
  case rollback(Int)
  case save(Int)

  var description: String {
    switch self {
    case .insert(let context, let key, let values): "\(context): insert key \(key), \(values)"
    case .set(let context, let object, let index, let value):
      "\(context): object \(object), \(MergeDriver.names[index]) = \(value.map { "\($0)" } ?? "nil")"
    case .delete(let context, let object): "\(context): delete object \(object)"
    case .process(let context): "\(context): process"
    case .fetch(let context): "\(context): fetch"
    case .rollback(let context): "\(context): rollback"
    case .save(let context): "\(context): save"
    }
  }

  static func random(using generator: inout SeededGenerator) -> MergeStep {
    func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    func value() -> Int64? { number(4) == 0 ? nil : Int64(number(5)) }
    let context = number(2)
    switch number(16) {
    case 0..<4:
      var values: [Int: Int64?] = [:]
      for index in 0..<2 where number(2) == 0 { values[index] = value() }
      return .insert(context, key: Int64(number(5)), values)
    case 4..<9: return .set(context, object: number(20), index: number(2), value())
    case 9: return .delete(context, object: number(20))
    case 10: return .process(context)
    case 11, 12: return .fetch(context)
    case 13: return number(3) == 0 ? .rollback(context) : .fetch(context)
    default: return .save(context)
    }
  }
}

/// Runs steps on contexts and on the oracle, and compares them.
final class MergeDriver {
  struct Mismatch: Error {
    let text: String
  }

  static let names = ["a", "b"]

  private let bench: Bench
  private let contexts: [ManagedObjectContext]
  private var oracle: MergeOracle
  /// The objects of each context by the number of the instance, as the oracle gives it.
  private var handles: [[Int: ManagedObject]] = [[:], [:]]
  private var numbers: [ManagedObjectID: Int] = [:]
  private var count = 0

  init(_ kind: StoreKind, _ policy: MergePolicy) throws {
    bench = try Bench(
      kind,
      model: ManagedObjectModel(
        EntityDescription(
          "Entry",
          uniqueness: [["key"]],
          properties: [
            .attribute("key", .int64), .attribute("a", .int64, optional: true),
            .attribute("b", .int64, optional: true),
          ]
        )
      )
    )
    contexts = [bench.context(), bench.context()]
    for context in contexts { context.mergePolicy = policy }
    oracle = MergeOracle(policy: policy, contexts: 2)
  }

  func run(_ step: MergeStep) throws {
    switch step {
    case .insert(let place, let key, let values):
      let object = try contexts[place].insert(entityNamed: "Entry")
      try object.setValue(key, forKey: "key")
      for (index, value) in values.sorted(by: { $0.key < $1.key }) {
        try object.setValue(value, forKey: Self.names[index])
      }
      handles[place][count] = object
      oracle.insert(count, key: key, values, in: place)
      count += 1
    case .set(let place, let number, let index, let value):
      guard let (object, number) = live(number, in: place) else { return }
      try object.setValue(value, forKey: Self.names[index])
      oracle.set(number, index, value, in: place)
    case .delete(let place, let number):
      guard let (object, number) = live(number, in: place) else { return }
      contexts[place].delete(object)
      oracle.delete(number, in: place)
    case .process(let place): try process(place)
    case .fetch(let place):
      oracle.fetch(in: place)
      for object in try contexts[place].fetch(FetchRequest<ManagedObject>(entityName: "Entry")) {
        guard let number = numbers[object.objectID] else { continue }
        let instance = oracle.instance(of: number, in: place)
        // One whose row was gone and has come back is another object.
        if handles[place][instance]?.managedObjectContext == nil {
          handles[place][instance] = object
        }
      }
    case .rollback(let place):
      contexts[place].rollback()
      oracle.rollback(place)
    case .save(let place):
      try contexts[place].save()
      oracle.save(place)
      for (instance, object) in handles[place] where !object.objectID.isTemporaryID {
        let number = oracle.resolve(instance, in: place)
        if oracle.contexts[place][number] != nil { numbers[object.objectID] = number }
      }
      // What was deleted, here or elsewhere, is no object of the context any more.
      handles[place] = handles[place].filter { instance, object in
        object.managedObjectContext != nil
          && oracle.contexts[place][oracle.resolve(instance, in: place)] != nil
      }
      try checkStore()
    }
    try check(place(of: step))
  }

  private func place(of step: MergeStep) -> Int {
    switch step {
    case .insert(let place, _, _), .set(let place, _, _, _), .delete(let place, _),
      .process(let place), .fetch(let place), .rollback(let place), .save(let place):
      place
    }
  }

  private func process(_ place: Int) throws {
    try contexts[place].processPendingChanges()
    oracle.mergeTwins(in: place)
  }

  /// The object of a number, if it is alive in a context.
  private func live(_ number: Int, in place: Int) -> (ManagedObject, Int)? {
    let target = oracle.resolve(number, in: place)
    guard let local = oracle.contexts[place][target], local.state != .deleted,
      let object = handles[place][number]
        ?? handles[place][oracle.instance(of: target, in: place)]
    else { return nil }
    return (object, target)
  }

  /// Every object of a context is as the oracle says, also when it forwards.
  private func check(_ place: Int) throws {
    for (instance, object) in handles[place].sorted(by: { $0.key < $1.key }) {
      let target = oracle.resolve(instance, in: place)
      guard let local = oracle.contexts[place][target], local.state != .deleted else { continue }
      let name = "object \(instance) of \(place)"
      let values = try read(object)
      if values != local.values {
        throw Mismatch(text: "\(name) is \(values), not \(local.values)")
      }
      if object.isForwarding != (oracle.aliases[place][instance] != nil) {
        throw Mismatch(text: "\(name): forwards is \(object.isForwarding)")
      }
      if !object.isForwarding, object.hasChanges != local.isPending {
        throw Mismatch(text: "\(name): hasChanges is \(object.hasChanges)")
      }
    }
  }

  private func checkStore() throws {
    let reader = bench.context()
    let rows = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Entry"))
    if rows.count != oracle.stored.count {
      throw Mismatch(text: "\(rows.count) rows, not \(oracle.stored.count)")
    }
    for row in rows {
      guard let number = numbers[row.objectID], let expected = oracle.stored[number] else {
        throw Mismatch(text: "a row with an ID that should not be")
      }
      let values = try read(row)
      if values != expected.values {
        throw Mismatch(text: "row \(number) is \(values), not \(expected.values)")
      }
    }
  }

  private func read(_ object: ManagedObject) throws -> MergeOracle.Values {
    try Self.names.map { try object.value(forKey: $0) as? Int64 }
  }
}
