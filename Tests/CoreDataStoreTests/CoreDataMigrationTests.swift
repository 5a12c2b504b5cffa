// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelCache
import PerennialModelFiles
import PerennialSQL
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
    #expect(try MetadataTable(connection).read()?.hashes == model.layout.versionHashes)
  }

  /// The model of the second sample, of which not all hashes are known, and what may have become of it.
  private func models(_ store: URL) throws -> (old: ManagedObjectModel, new: ManagedObjectModel) {
    let old = try ManagedObjectModel(cachedIn: store)
    var entities = old.entities
    for index in entities.indices where entities[index].name == "Book" {
      entities[index].properties.append(.attribute("note", .string, optional: true))
    }
    return (old, try ManagedObjectModel(entities: entities))
  }

  @Test func `a store whose hashes are not all known is known by its tables`() throws {
    let copy = try StoreFolder(.named("coredataplus-sample2-v2"))
    let (old, new) = try models(copy.store)
    // A model with fewer attributes fits the tables, too: the other fits better.
    var fewer = old.entities
    for index in fewer.indices where fewer[index].name == "Book" {
      fewer[index].properties.removeAll { $0.name == "publishedAt" }
      fewer[index].indexes = []
    }
    let rows: Int
    let counts: [String: Int64]
    do {
      let connection = try copy.connect()
      rows = try RawTable("ZPAGE", on: connection).rows.count
      let books = try RawTable("ZBOOK", on: connection).rows
      counts = Dictionary(
        uniqueKeysWithValues: books.map {
          ($0["ZTITLE"]?.string ?? "", $0["ZPAGESCOUNT"]?.integer ?? -1)
        }
      )
    }
    for earlier in [[old], [old, try ManagedObjectModel(entities: fewer)]] {
      let copy = try StoreFolder(.named("coredataplus-sample2-v2"))
      var store = StoreDescription.sqlite(copy.store)
      store.migration.earlierModels = earlier
      do {
        let context = try PersistentContainer(name: "Books", model: new, store: store)
          .newBackgroundContext()
        let books = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
        let found = try books.map { book in
          (
            try book.value(forKey: "title") as? String ?? "?",
            try book.value(forKey: "pagesCount") as? Int64 ?? -1
          )
        }
        #expect(Dictionary(uniqueKeysWithValues: found) == counts)
        #expect(try books.allSatisfy { try $0.value(forKey: "publishedAt") is Date })
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Page")) == rows)
        // What triggers did, the library does.
        let page = try context.insert(entityNamed: "Page")
        try page.setValue(901, forKey: "number")
        try page.setValue(Data([1]), forKey: "content")
        try page.setObject(books[0], forKey: "book")
        try books[0].setValue("noted", forKey: "note")
        try context.save()
        #expect(
          try books[0].value(forKey: "pagesCount") as? Int64 == counts[found[0].0].map { $0 + 1 }
        )
      }
      let connection = try copy.connect()
      #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
      #expect(try MetadataTable(connection).read()?.hashes == new.layout.versionHashes)
    }
  }

  @Test func `a store of none of the models is refused, and left alone`() throws {
    let copy = try StoreFolder(.named("coredataplus-sample2-v2"))
    let before = try copy.contents()
    let (old, new) = try models(copy.store)
    var other = new.entities
    for index in other.indices where other[index].name == "Page" {
      other[index].properties.append(.attribute("note", .string, optional: true))
    }
    for earlier in [[], [new], [try ManagedObjectModel(entities: other)]] {
      var store = StoreDescription.sqlite(copy.store)
      store.migration.earlierModels = earlier
      let error = #expect(throws: PerennialError.self) {
        _ = try PersistentContainer(name: "Books", model: new, store: store)
      }
      #expect(error?.code == .incompatibleVersionHash)
      #expect(error?.message.contains("'Book'") == true)
      #expect(try copy.contents() == before)
    }
    var store = StoreDescription.sqlite(copy.store)
    store.isReadOnly = true
    store.migration.earlierModels = [old]
    let error = #expect(throws: PerennialError.self) {
      _ = try PersistentContainer(name: "Books", model: new, store: store)
    }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(try copy.contents() == before)
  }
}
