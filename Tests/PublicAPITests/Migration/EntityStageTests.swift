// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What the code of a stage can do that cannot be inferred.
@Suite("SEMANTICS 1J: stages and entities")
struct EntityStageTests {
  private let folder = MigrationFolder()

  private func objects(
    _ store: StoreDescription,
    _ model: ManagedObjectModel,
    _ entity: String
  ) throws -> [String] {
    let context = try folder.open(store, model)
    return try context.fetch(FetchRequest<ManagedObject>(entityName: entity)).map { object in
      "\(object.objectID.entityName): \(try object.value(forKey: "name") ?? "-")"
    }.sorted()
  }

  // MARK: Entities that become abstract

  private func people(isAbstract: Bool) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Person",
        isAbstract: isAbstract,
        properties: [.attribute("name", .string, optional: true)]
      ),
      EntityDescription("Employee", parent: "Person", properties: []),
      EntityDescription("Guest", parent: "Person", properties: [])
    )
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a stage moves the objects of an entity that becomes abstract`(
    _ kind: MigrationStoreKind
  ) throws {
    let (old, new) = (try people(isAbstract: false), try people(isAbstract: true))
    var store = folder.store(kind)
    try folder.write(store, old, "Person", "Person", "Employee")
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        let context = migration.destinationContext
        try migration.forEach("Person") { old, new in
          guard new.objectID.entityName == "Person" else { return }
          let guest = try context.insert(entityNamed: "Guest")
          try guest.setValue(old.value(forKey: "name"), forKey: "name")
          context.delete(new)
        }
      }
    ]
    let found = try objects(store, new, "Person")
    #expect(found == ["Employee: a Employee", "Guest: a Person", "Guest: a Person"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `objects of an abstract entity that a stage leaves are an error`(
    _ kind: MigrationStoreKind
  ) throws {
    let (old, new) = (try people(isAbstract: false), try people(isAbstract: true))
    var store = folder.store(kind)
    try folder.write(store, old, "Person", "Person", "Employee")
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        var first = true
        try migration.forEach("Person") { _, new in
          if first { migration.destinationContext.delete(new) }
          first = false
        }
      }
    ]
    let error = #expect(throws: PerennialError.self) { try objects(store, new, "Person") }
    #expect(error?.code == .migration && error?.entity == "Person")
    #expect(error?.message.contains("there is 1 object of it") == true)
    // Without code it is refused as well.
    store.migration = Migration()
    store.migration.allowsLoss = true
    #expect(throws: PerennialError.self) { try objects(store, new, "Person") }
    store.shouldMigrateStoreAutomatically = false
    #expect(try objects(store, old, "Person").count == 3)
  }

  // MARK: Trees that become one

  private func vehicles(ship: String, isMerged: Bool) throws -> ManagedObjectModel {
    let name = PropertyDescription.attribute("name", .string, optional: true)
    return try ManagedObjectModel(
      EntityDescription("Car", properties: [name]),
      isMerged
        ? EntityDescription(ship, parent: "Car", properties: [])
        : EntityDescription(ship, properties: [name])
    )
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `trees are merged by copies of objects, as the refusal says`(
    _ kind: MigrationStoreKind
  ) throws {
    let old = try vehicles(ship: "Ship", isMerged: false)
    var store = folder.store(kind)
    try folder.write(store, old, "Car", "Ship")
    let merged = try vehicles(ship: "Ship", isMerged: true)
    store.migration.stages = [.custom(from: old, to: merged) { _ in }]
    let error = #expect(throws: PerennialError.self) { try objects(store, merged, "Car") }
    #expect(error?.code == .inferredMappingModel)
    #expect(error?.recovery.contains("under a new name") == true)
    let plan = MigrationPlan(from: old, to: merged)
    #expect(plan.changes.contains { $0.advice.contains("under a new name") })

    let new = try vehicles(ship: "Boat", isMerged: true)
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        let ships = FetchRequest<ManagedObject>(entityName: "Ship")
        for ship in try migration.sourceContext.fetch(ships) {
          let boat = try migration.destinationContext.insert(entityNamed: "Boat")
          try boat.setValue(ship.value(forKey: "name"), forKey: "name")
        }
      }
    ]
    #expect(try objects(store, new, "Car") == ["Boat: a Ship", "Car: a Car"])
  }
}
