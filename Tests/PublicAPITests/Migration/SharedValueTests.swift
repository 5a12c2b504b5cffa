// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Values that objects share under a constraint of an entity below theirs, or with an attribute that is new.
@Suite("SEMANTICS 1J: values that are shared only in the new model")
struct SharedValueTests {
  private let folder = MigrationFolder()

  private func open(
    _ store: StoreDescription,
    _ model: ManagedObjectModel
  ) throws -> ManagedObjectContext {
    try PersistentContainer(name: "Store", model: model, store: store).newBackgroundContext()
  }

  private func names(
    _ store: StoreDescription,
    _ model: ManagedObjectModel,
    _ entity: String
  ) throws -> [String] {
    let context = try open(store, model)
    return try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
      .map { try $0.value(forKey: "name") as? String ?? "-" }.sorted()
  }

  private func text(_ name: String) -> PropertyDescription {
    .attribute(name, .string, optional: true)
  }

  // MARK: An inherited attribute that a subentity declares unique

  /// Writers, and poets whose aliases are unique.
  private func writers(hasPoets: Bool) throws -> ManagedObjectModel {
    let writer = EntityDescription("Writer", properties: [text("alias"), text("name")])
    let poet = EntityDescription(
      "Poet",
      parent: "Writer",
      uniqueness: [["alias"]],
      properties: []
    )
    return try ManagedObjectModel(entities: hasPoets ? [writer, poet] : [writer])
  }

  /// Writes two writers of one alias.
  private func writeWriters(_ store: StoreDescription, _ model: ManagedObjectModel) throws {
    let context = try open(store, model)
    for name in ["1", "2"] {
      let writer = try context.insert(entityNamed: "Writer")
      try writer.setValue("x", forKey: "alias")
      try writer.setValue(name, forKey: "name")
      // In the order in which they are made.
      try context.save()
    }
  }

  @Test func `the plan tells that objects of the parent may share a subentity's values`() throws {
    let plan = MigrationPlan(
      from: try writers(hasPoets: false),
      to: try writers(hasPoets: true)
    )
    let change = plan.changes.first { $0.kind == .constraintAdded }
    #expect(change?.entity == "Poet" && change?.property == "alias")
    #expect(change?.risk == .needsCode && change?.isInferable == true)
  }

  @Test func `SQLite has one index for a subentity and its parent: duplicates are the parent's`()
    throws
  {
    let (old, new) = (try writers(hasPoets: false), try writers(hasPoets: true))
    var store = folder.store(.sqlite)
    try writeWriters(store, old)
    let error = #expect(throws: PerennialError.self) { try open(store, new) }
    #expect(error?.code == .migrationConstraintViolation)
    #expect(error?.entity == "Writer" && error?.property == "alias")
    #expect(error?.recovery.contains("'Writer'") == true)
    store.migration.deduplications = [Deduplication("Writer", by: "alias")]
    #expect(try names(store, new, "Writer") == ["1"])
  }

  @Test func `in a JSON store a subentity's constraint is about its own objects`() throws {
    let (old, new) = (try writers(hasPoets: false), try writers(hasPoets: true))
    let store = folder.store(.json)
    try writeWriters(store, old)
    #expect(try names(store, new, "Writer") == ["1", "2"])
  }

  // MARK: A new attribute

  @Test(arguments: MigrationStoreKind.allCases)
  func `the default value of a new attribute tells no objects apart`(
    _ kind: MigrationStoreKind
  ) throws {
    let old = try ManagedObjectModel(
      EntityDescription("Person", properties: [text("mail"), text("name")])
    )
    let new = try ManagedObjectModel(
      EntityDescription(
        "Person",
        uniqueness: [["mail", "region"]],
        properties: [text("mail"), text("name"), .attribute("region", .string, default: "eu")]
      )
    )
    var store = folder.store(kind)
    try {
      let context = try open(store, old)
      for (name, mail) in [("1", "x"), ("2", "x"), ("3", "y")] {
        let person = try context.insert(entityNamed: "Person")
        try person.setValue(mail, forKey: "mail")
        try person.setValue(name, forKey: "name")
        // In the order in which they are made.
        try context.save()
      }
    }()
    let error = #expect(throws: PerennialError.self) { try open(store, new) }
    #expect(error?.code == .migrationConstraintViolation)
    store.migration.deduplications = [Deduplication("Person", by: "mail", "region")]
    #expect(try names(store, new, "Person") == ["1", "3"])
  }
}
