// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialSQLite
import PerennialStore
import Testing

@testable import PerennialGraph

/// What several stores say of how they would answer, and what cannot be asked of them at once.
@Suite("Several stores as one, with engines")
final class CombinedEngineTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private let model: ModelLayout

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    model = try ManagedObjectModel(
      EntityDescription(
        "Item",
        uniqueness: [["code"]],
        properties: [
          .attribute("code", .int64), .attribute("name", .string, optional: true),
          .toOne("box", "Box", inverse: "items"),
        ]
      ),
      EntityDescription(
        "Box",
        properties: [.attribute("label", .string), .toMany("items", "Item", inverse: "box")]
      ),
      EntityDescription("Note", indexes: [["text"]], properties: [.attribute("text", .string)])
    ).layout
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func entity(_ name: String) throws -> Int { try #require(model.entitiesByName[name]) }

  private func makeStores(_ count: Int) throws -> [SQLiteStore] {
    try (0..<count).map {
      try SQLiteStore(url: folder.appending(path: "\(count)-\($0).sqlite"), model: model)
    }
  }

  /// A context of stores that have items and boxes all, and of which the first has notes.
  private func context(_ stores: [SQLiteStore]) throws -> ManagedObjectContext {
    let combined = CombinedStore(model: model)
    let note = try entity("Note")
    for (number, store) in stores.enumerated() {
      let entities = model.entities.indices.filter { number == 0 || $0 != note }
      try combined.add(.init(store, entities: Set(entities)))
    }
    return ManagedObjectContext(coordinator: StoreCoordinator(store: combined, classes: [:]))
  }

  private func code(_ body: () throws(PerennialError) -> Void) -> PerennialError.Code? {
    do throws(PerennialError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `1G.13 an explanation has the statements of all stores that are asked`() throws {
    let stores = try makeStores(2)
    let parent = try context(stores)
    let child = ManagedObjectContext(parent: parent)
    var query = StoreQuery(entity: try entity("Item"))
    query.predicate = FetchPredicate(format: "code > 7")
    query.sorts = [FetchSort("name")]
    let own = try stores.map { try $0.explain(query) }
    let request = FetchRequest<ManagedObject>(entityName: "Item").filter("code > 7")
      .sorted(by: FetchSort("name"))
    for context in [parent, child] {
      let found = try context.explain(request)
      #expect(found.sql == own.map(\.sql).joined(separator: ";\n"))
      #expect(found.bindings == own.flatMap(\.bindings))
      #expect(found.plan == own.flatMap(\.plan))
      #expect(found.inMemory == ["merge: 2 stores"])
      let notes = try context.explain(FetchRequest<ManagedObject>(entityName: "Note"))
      #expect(notes.sql == (try stores[0].explain(StoreQuery(entity: entity("Note"))).sql))
      #expect(notes.inMemory.isEmpty)
    }
  }

  @Test func `1I.3 rows of which some slots are read come in the order of sorts of others`()
    throws
  {
    let stores = try makeStores(2)
    let parent = try context(stores)
    for code in (0..<6).reversed() {
      let item = try parent.insert(entityNamed: "Item")
      try item.setValue(code, forKey: "code")
      try item.setValue("item \(code)", forKey: "name")
      try parent.assign(item, toStore: stores[code % 2].identifier)
    }
    try parent.save()
    let layout = model.entities[try entity("Item")]
    let name = try #require(layout.slotsByName["name"])
    var query = StoreQuery(entity: layout.index, sorts: [FetchSort("code")], limit: 3)
    query.slots = [name]
    var names: [PropertyValue] = []
    try parent.store.fetchRows(query) { page in
      for index in 0..<page.count {
        names.append(PackedRow.value(page.row(index), name, type: .string))
      }
    }
    #expect(names == [.string("item 0"), .string("item 1"), .string("item 2")])
  }

  @Test func `1G.13 values of several stores are computed in memory, of one in SQL`() throws {
    let parent = try context(makeStores(2))
    for context in [parent, ManagedObjectContext(parent: parent)] {
      let items = FetchRequest<ManagedObject>(entityName: "Item").fetching("code").distinct()
        .sorted(by: FetchSort("code", ascending: false))
      let several = try context.explain(items)
      #expect(several.sql.components(separatedBy: ";\n").count == 2)
      #expect(!several.sql.contains("DISTINCT"))
      #expect(several.inMemory.contains("distinct"))
      #expect(several.inMemory.contains("sort: code descending"))
      let notes = FetchRequest<ManagedObject>(entityName: "Note").fetching("text").distinct()
      let one = try context.explain(notes)
      #expect(one.sql.contains("DISTINCT"))
      #expect(one.inMemory.isEmpty)
    }
  }

  @Test func `1G.14 SQL and indexes are required of every store that is asked`() throws {
    let parent = try context(makeStores(2))
    for context in [parent, ManagedObjectContext(parent: parent)] {
      func items(_ format: String) throws(PerennialError) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Item")
        request.predicate = try FetchPredicate(parsing: format)
        return request
      }
      #expect(
        code { () throws(PerennialError) in
          var request = try items("code + 1 > 5")
          request.requiresSQL = true
          _ = try context.fetch(request)
        } == .requiresMemory
      )
      #expect(
        code { () throws(PerennialError) in
          var request = try items("code + 1 > 5").fetching("name")
          request.requiresSQL = true
          _ = try context.fetchDictionaries(request)
        } == .requiresMemory
      )
      #expect(
        code { () throws(PerennialError) in
          var request = try items("name == 'x'")
          request.requiresIndex = true
          _ = try context.fetch(request)
        } == .requiresIndex
      )
      var request = try items("code == 5")
      (request.requiresSQL, request.requiresIndex) = (true, true)
      #expect(try context.fetch(request).isEmpty)
    }
  }

  @Test func `1G.14 a statement is for one store`() throws {
    let sql: RawSQL = "SELECT Z_PK FROM ZNOTE"
    let several = try context(makeStores(2))
    #expect(
      code { () throws(PerennialError) in
        _ = try several.store.fetchKeys(sql)
      } == .invalidRequest
    )
    let one = try context(makeStores(1))
    let note = try one.insert(entityNamed: "Note")
    try note.setValue("x", forKey: "text")
    try one.save()
    let keys = try one.store.fetchKeys(sql)
    #expect(keys == [note.objectID.key])
    #expect(try ManagedObjectContext(parent: one).store.fetchKeys(sql) == keys)
    #expect(
      code { () throws(PerennialError) in
        _ = try one.store.fetchKeys("SELECT 1099511627776 AS Z_PK")
      } == .persistentStoreOpen
    )
  }

  @Test func `1H.1 a batch counts rows that have no ID beside other stores, and names the others`()
    throws
  {
    let stores = try makeStores(2)
    func insertNote() throws -> ManagedObjectID {
      let coordinator = StoreCoordinator(store: stores[0], classes: [:])
      let alone = ManagedObjectContext(coordinator: coordinator)
      let note = try alone.insert(entityNamed: "Note")
      try note.setValue("x", forKey: "text")
      try alone.save()
      return note.objectID
    }
    let near = try insertNote()
    _ = try stores[0].reserveKeys(root: try entity("Note"), count: 1 << 40)
    #expect(try insertNote().key > 1 << 40)
    var delete = BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Note"))
    delete.resultType = .objectIDs
    let result = try context(stores).execute(delete)
    #expect(result.count == 2)
    #expect(result.objectIDs == [near])
    #expect(try stores[0].count(StoreQuery(entity: entity("Note"))) == 0)
  }

  @Test func `1I.3 objects without an order come store by store`() throws {
    let stores = try makeStores(2)
    let context = try context(stores)
    for (code, place) in [(1, 1), (2, 0), (3, 1)] {
      let item = try context.insert(entityNamed: "Item")
      try item.setValue(code, forKey: "code")
      try context.assign(item, toStore: stores[place].identifier)
    }
    try context.save()
    let all = FetchRequest<ManagedObject>(entityName: "Item")
    let codes = try context.fetchObjectIDs(all).map { id in
      try context.existingObject(with: id).value(forKey: "code") as? Int64
    }
    #expect(codes == [2, 1, 3])
    let descending = all.sorted(by: FetchSort("name", ascending: false))
    #expect(
      try context.fetchObjectIDs(descending).map(\.key)
        == context.fetchObjectIDs(all).map(\.key).sorted(by: >)
    )
  }

  @Test func `1I.1 a store is added once`() throws {
    let stores = try makeStores(1)
    let combined = CombinedStore(model: model)
    let entities = Set(model.entities.indices)
    try combined.add(.init(stores[0], entities: entities))
    #expect(
      code { () throws(PerennialError) in
        try combined.add(.init(stores[0], entities: entities))
      } == .persistentStoreOpen
    )
  }
}
