// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Suite("What a store keeps, and which store an object is in")
struct StoreOwnershipTests {
  private static func makeModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: [
        EntityDescription("Kept", properties: [.attribute("number", .int64)]),
        EntityDescription("Other", properties: [.attribute("number", .int64)]),
      ],
      configurations: ["Main": ["Kept"]]
    )
  }

  @discardableResult
  private func insert(
    _ entity: String,
    in context: ManagedObjectContext
  ) throws -> ManagedObject {
    let object = try context.insert(entityNamed: entity)
    try object.setValue(1, forKey: "number")
    return object
  }

  @Test(arguments: StoreKind.allCases)
  func `1I.2 a store that is alone keeps the entities of its configuration only`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let model = try Self.makeModel()
    var store = kind.description(in: folder)
    store.configuration = "Main"
    let container = try PersistentContainer(name: "Alone", model: model, store: store)
    let context = container.newBackgroundContext(isolation: nil)
    try insert("Kept", in: context)
    try context.save()
    try insert("Other", in: context)
    let error = try failure { try context.save() }
    #expect(error.code == .persistentStoreSave && error.entity == "Other")
    store.configuration = "Mian"
    let wrong = try failure {
      _ = try PersistentContainer(name: "Alone", model: model, store: store)
    }
    #expect(wrong.code == .persistentStoreOpen && wrong.message.contains("'Mian'"))
  }

  @Test(arguments: StoreKind.allCases)
  func `1I.3 an ID that is permanent tells its store`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Two",
      model: Self.makeModel(),
      stores: [kind.description(in: folder), .inMemory]
    )
    let coordinator = container.persistentStoreCoordinator
    let stores = coordinator.persistentStores
    let context = container.newBackgroundContext(isolation: nil)
    let objects = [try insert("Kept", in: context), try insert("Kept", in: context)]
    try context.assign(objects[1], to: stores[1])
    #expect(objects[0].objectID.storeID == nil)
    #expect(coordinator.persistentStore(for: objects[0].objectID) == nil)
    try context.save()
    #expect(objects.compactMap { $0.objectID.storeID } == stores.map(\.identifier))
    #expect(objects.compactMap { coordinator.persistentStore(for: $0.objectID) } == stores)
    let stranger = try PersistentStoreCoordinator(model: Self.makeModel())
    #expect(stranger.persistentStore(for: objects[0].objectID) == nil)
  }
}
