// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Testing

/// Every change that is inferred, over every kind of store.
@Suite("Migration cases")
struct CaseTests {
  @Test func `every change is inferred, and there is a name for each`() throws {
    #expect(Set(MigrationCase.all.map(\.name)).count == MigrationCase.all.count)
    for change in MigrationCase.all {
      let (old, new) = try change.models
      let plan = MigrationPlan(from: old, to: new)
      #expect(plan.isInferable, "\(change.name): \(plan)")
    }
  }

  @Test(arguments: MigrationCase.all)
  func `what a store has is what is written, before anything is migrated`(
    change: MigrationCase
  ) throws {
    let store = InMemoryStore(model: try change.models.old.layout)
    try store.insert(change.before)
    #expect(try store.lines() == change.before.map(\.line).sorted())
  }

  @Test(arguments: MigrationCase.all, StoreKind.allCases)
  func `objects become what they are to become`(change: MigrationCase, kind: StoreKind) throws {
    let (old, new) = try change.models
    let result = try kind.migrate(change.before, from: old, to: new)
    #expect(result == change.after.map(\.line).sorted())
  }

  @Test(arguments: RefusedMigration.all + RefusedMigration.constraints, StoreKind.allCases)
  func `a store that cannot follow is refused, and stays`(
    change: RefusedMigration,
    kind: StoreKind
  ) throws {
    let old = try ManagedObjectModel(entities: change.old)
    let new = try ManagedObjectModel(entities: change.new)
    let error = try #require(throws: PerennialError.self) {
      try kind.migrate(change.before, from: old, to: new)
    }
    #expect(error.code == change.code)
    #expect(!error.recovery.isEmpty)
    for word in change.words { #expect(error.message.contains(word), "\(error)") }
    #expect(!"\(error)".contains("secret"))
  }

  @Test(arguments: StoreKind.allCases)
  func `an entity without objects of its own may become abstract`(kind: StoreKind) throws {
    let name = PropertyDescription.optional("name", .string)
    func model(isAbstract: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription("Person", isAbstract: isAbstract, properties: [name]),
        EntityDescription("Employee", parent: "Person", properties: [])
      )
    }
    let objects = [StoredObject("Employee", 4, version: 2, ["name": "Ann"])]
    let result = try kind.migrate(
      objects,
      from: model(isAbstract: false),
      to: model(isAbstract: true)
    )
    #expect(result == objects.map(\.line))
  }
}

extension MigrationCase {
  var models: (old: ManagedObjectModel, new: ManagedObjectModel) {
    get throws { (try ManagedObjectModel(entities: old), try ManagedObjectModel(entities: new)) }
  }
}
