// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// A store with one row (Alice, 10), read by two contexts: the scene of SEMANTICS 1M.
struct Office {
  let bench: Bench
  let first: ManagedObjectContext
  let second: ManagedObjectContext
  /// The row in the first context, which saves first, and in the second.
  let theirs: ManagedObject
  let ours: ManagedObject

  init(
    _ kind: StoreKind,
    _ policy: MergePolicy,
    prepare: (ManagedObject) throws -> Void = { _ in }
  ) throws {
    bench = try Bench(kind, model: Self.model())
    first = bench.context()
    theirs = try first.insert(entityNamed: "Employee")
    try theirs.setValue("Alice", forKey: "name")
    try theirs.setValue(10, forKey: "salary")
    try theirs.setValue("a", forKey: "badge")
    try prepare(theirs)
    try first.save()
    second = bench.context()
    second.mergePolicy = policy
    ours = try second.existingObject(with: theirs.objectID)
    _ = try ours.value(forKey: "name")
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Employee",
        uniqueness: [["badge"]],
        properties: [
          .attribute("name", .string, optional: true),
          .attribute("salary", .int64, optional: true),
          .attribute("badge", .string, optional: true),
          .attribute("grade", .int64, default: 1),
          .toOne("department", "Department"),
          .toOne("desk", "Desk"),
          .toMany("skills", "Skill"),
        ]
      ),
      EntityDescription(
        "Chief",
        parent: "Employee",
        properties: [.attribute("car", .string, optional: true)]
      ),
      EntityDescription(
        "Department",
        uniqueness: [["title"]],
        properties: [
          .attribute("title", .string, optional: true), .toMany("staff", "Employee"),
        ]
      ),
      EntityDescription("Desk", properties: [.toOne("holder", "Employee")]),
      EntityDescription("Skill", properties: [.toMany("owners", "Employee")]),
      EntityDescription("Award", properties: [.toOne("winner", "Employee")]),
      EntityDescription("Club", properties: [.toMany("members", "Employee")])
    )
  }

  /// The row as a fresh context reads it; `nil` when it is gone.
  var stored: ManagedObject? {
    get throws { try all("Employee").first { $0.objectID == ours.objectID } }
  }

  /// All objects of an entity, in a context of their own, which they keep alive.
  func all(_ entity: String) throws -> [ManagedObject] {
    let reader = bench.context()
    readers.contexts.append(reader)
    return try reader.fetch(FetchRequest<ManagedObject>(entityName: entity))
  }

  private let readers = Readers()

  private final class Readers {
    var contexts: [ManagedObjectContext] = []
  }
}

extension ManagedObject {
  var fullName: String? { try? value(forKey: "name") as? String }
  var salary: Int64? { try? value(forKey: "salary") as? Int64 }
  var grade: Int64? { try? value(forKey: "grade") as? Int64 }

  func set(_ values: [String: (any Sendable)?]) throws {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      try setValue(value, forKey: name)
    }
  }

  func link(_ key: String, _ target: ManagedObject?) throws { try setObject(target, forKey: key) }

  func target(_ key: String) throws -> ManagedObject? { try object(forKey: key) }

  func ids(_ key: String) throws -> Set<ManagedObjectID> {
    Set(try objects(forKey: key).map(\.objectID))
  }
}

extension ManagedObjectContext {
  func make(
    _ entity: String,
    _ values: [String: (any Sendable)?] = [:]
  ) throws -> ManagedObject {
    let object = try insert(entityNamed: entity)
    try object.set(values)
    return object
  }
}

/// The policies that do not fail.
let mergingPolicies: [MergePolicy] = [
  .mergeByPropertyObjectTrump, .mergeByPropertyObjectTrumpOverwritingUnset,
  .mergeByPropertyStoreTrump, .overwrite, .rollback,
]

/// The error that a closure throws.
func failure(_ body: () throws -> Void) throws -> PerennialError {
  do {
    try body()
  } catch {
    return try #require(error as? PerennialError)
  }
  throw CocoaError(.featureUnsupported)
}
