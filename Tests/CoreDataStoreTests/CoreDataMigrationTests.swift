// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelCache
import PerennialModelFiles
import Testing

@testable import PerennialSQLite

@Suite("Stores that Core Data wrote are migrated")
struct CoreDataMigrationTests {
  @Test func `a store is brought to the next version of its model`() throws {
    let copy = try StoreFolder(.named("coredataplus-sample1-v1"))
    let model = try CorpusStore.named("coredataplus-sample1-v2").model()
    let plates: Set<String?>
    do {
      let cars = try RawTable("ZCAR", on: copy.connect())
      plates = Set(cars.rows.map { $0["ZNUMBERPLATE"]?.string })
    }
    do {
      var store = StoreDescription.sqlite(copy.store)
      store.migration.earlierModels = [try CorpusStore.named("coredataplus-sample1-v1").model()]
      let container = try PersistentContainer(name: "Cars", model: model, store: store)
      let context = container.newBackgroundContext()
      let cars = try context.fetch(FetchRequest<ManagedObject>(entityName: "Car"))
      #expect(cars.count == 125)
      #expect(Set(try cars.map { try $0.value(forKey: "numberPlate") as? String }) == plates)
      #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Person")) == 20)
    }
    // The entity that was renamed, in the store that Core Data migrated and in ours.
    let connection = try copy.connect()
    #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
    let other = try StoreFolder(.named("coredataplus-sample1-v2"))
    let theirs = try RawTable("ZCAR", on: other.connect()).rows
    let ours = try RawTable("ZCAR", on: connection).rows
    #expect(Set(ours.map { Set($0.keys) }) == Set(theirs.map { Set($0.keys) }))
    #expect(try MetadataTable(connection).read()?.hashes == VersionHashes(of: model.layout))
  }

  @Test func `a store of a model whose hashes are not known is refused, and left alone`() throws {
    let copy = try StoreFolder(.named("coredataplus-sample2-v2"))
    let before = try copy.contents()
    let document = try ModelDocument(cachedIn: copy.store)
    var entities = document.model.entities
    for index in entities.indices where entities[index].name == "Page" {
      entities[index].properties.append(.attribute("note", .string, optional: true))
    }
    let model = try ManagedObjectModel(entities: entities)
    var store = StoreDescription.sqlite(copy.store)
    store.migration.earlierModels = [document.model]
    let error = #expect(throws: PerennialError.self) {
      _ = try PersistentContainer(name: "Books", model: model, store: store)
    }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(error?.message.contains("'Page'") == true)
    #expect(Set(try copy.contents().keys) == Set(before.keys))
    #expect(try copy.contents() == before)
  }
}
