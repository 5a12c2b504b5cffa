// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// A store with one entry of key 1 and `a` 10, and contexts that merge.
struct EntryScene {
  let bench: Bench
  let context: ManagedObjectContext
  private let reader: ManagedObjectContext

  init(_ kind: StoreKind, _ policy: MergePolicy = .mergeByPropertyObjectTrump) throws {
    let attributes: [PropertyDescription] = [
      .attribute("key", .int64), .attribute("code", .int64, optional: true),
      .attribute("a", .int64, optional: true), .attribute("b", .int64, optional: true),
    ]
    bench = try Bench(
      kind,
      model: ManagedObjectModel(
        EntityDescription("Entry", uniqueness: [["key"], ["code"]], properties: attributes),
        EntityDescription("Special", parent: "Entry", properties: [.attribute("c", .int64)])
      ),
      classes: []
    )
    let first = bench.context()
    _ = try first.make("Entry", ["key": Int64(1), "a": Int64(10)])
    try first.save()
    context = bench.context()
    context.mergePolicy = policy
    reader = bench.context()
  }

  var all: FetchRequest<ManagedObject> {
    FetchRequest(entityName: "Entry").sorted(by: FetchSort("key"))
  }

  /// A context that saves something else meanwhile.
  func other(_ change: (ManagedObjectContext) throws -> Void) throws {
    let other = bench.context()
    other.mergePolicy = .mergeByPropertyObjectTrump
    try change(other)
    try other.save()
  }

  /// Changes the stored entry of key 1 in another context.
  func change(_ values: [String: Int64?]) throws {
    try other { try $0.fetch(all.filter("key == 1"))[0].set(values.mapValues { $0 }) }
  }

  /// What is stored, as a fresh context reads it.
  func stored() throws -> [[Int64?]] {
    reader.reset()
    return try reader.fetch(all).map { try $0.numbers() }
  }
}

extension ManagedObject {
  /// The key, `a` and `b` of an entry.
  func numbers() throws -> [Int64?] {
    try ["key", "a", "b"].map { try value(forKey: $0) as? Int64 }
  }
}
