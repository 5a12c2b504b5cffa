// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore
import Testing

@testable import PerennialSQLite

@Suite("Corpus: stores that Core Data has written")
struct CorpusTests {
  /// The entities whose version hashes are not computed as Core Data does, by store, and why.
  private static let openHashes: [String: (entities: [String], reason: String)] = [
    "coredataplus-sample2-v2": (
      ["Book", "GraphicNovel"],
      "'pagesCount' is derived: how Core Data hashes such attributes is open (FORMAT, part 5)"
    )
  ]

  @Test func `there are stores, and models for all of them`() {
    guard !CorpusStore.isForeign else { return }
    #expect(CorpusStore.all.count == 9)
    #expect(CorpusStore.withoutModel.isEmpty)
  }

  @Test(arguments: CorpusStore.withoutModel)
  func `a store whose model is not there is refused and left alone`(_ corpus: CorpusStore) throws {
    let copy = try StoreFolder(corpus)
    let before = try copy.contents()
    let model = try ManagedObjectModel(EntityDescription("Other", properties: []))
    let error = #expect(throws: PerennialError.self) {
      _ = try SQLiteStore(url: copy.store, model: model.layout)
    }
    #expect(
      error.map { [.incompatibleVersionHash, .persistentStoreOpen].contains($0.code) } == true
    )
    #expect(try copy.contents() == before)
  }

  @Test(arguments: CorpusStore.all)
  func `the hashes are those of the store`(_ corpus: CorpusStore) throws {
    let model = try corpus.model().layout
    let metadata = try StoreFolder(corpus).metadata()
    let stored = try #require(metadata.hashes)
    let differences = model.versionHashes.differences(from: stored)
    if CorpusStore.isForeign {
      #expect(VersionHashes.uncertainNames(of: model).isSuperset(of: differences))
    } else {
      #expect(differences == Self.openHashes[corpus.name]?.entities ?? [])
    }
    // What is computed from the hashes, for all stores that have it.
    if case .string(let digest) = metadata["NSStoreModelVersionHashesDigest"] {
      #expect(stored.digest == digest)
    }
    if case .string(let checksum) = metadata["NSStoreModelVersionChecksumKey"] {
      #expect(stored.checksum == checksum)
    }
  }

  // MARK: Tables

  /// What the store and we say of the tables of the model.
  private struct Schemas {
    let ours: StoreSchema
    let connection: SQLiteConnection
    let copy: StoreFolder
    let framework: Int64

    init(_ corpus: CorpusStore) throws {
      copy = try StoreFolder(corpus)
      connection = try copy.connect()
      let model = try corpus.model().layout
      let names = try connection.texts("SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT")
      let numbers = try connection.integers("SELECT Z_ENT FROM Z_PRIMARYKEY ORDER BY Z_ENT")
      let byName = Dictionary(uniqueKeysWithValues: zip(names, numbers))
      var builder = SchemaBuilder(
        model: model,
        numbers: try model.entities.map { entity in
          // An entity that was renamed may have kept its name in a store that was migrated.
          let former = entity.description.renamingIdentifier.flatMap { byName[$0] }
          return try #require(byName[entity.name] ?? former, "\(entity.name)")
        }
      )
      ours = try SchemaIntrospection(connection).resolve(builder.build())
      if case .integer(let version) = try copy.metadata()["NSPersistenceFrameworkVersion"] {
        framework = version
      } else {
        framework = 0
      }
    }

    func columns(of table: String) throws -> [String] {
      try connection.texts("SELECT name || ' ' || type FROM pragma_table_info('\(table)')")
    }
  }

  @Test(arguments: CorpusStore.all)
  func `tables and columns are those that we would make`(_ corpus: CorpusStore) throws {
    let schemas = try Schemas(corpus)
    let (ours, connection) = (schemas.ours, schemas.connection)
    let known = Set(
      ours.model.entities.flatMap { [$0.name, $0.description.renamingIdentifier ?? $0.name] }
    )
    let foreign = try connection.texts("SELECT Z_NAME FROM Z_PRIMARYKEY")
      .filter { !known.contains($0) }.map { "Z" + $0.uppercased() }
    let entities = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
      .filter { name in
        !["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains(name) && !foreign.contains(name)
          && !["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(name)
          && !name.hasPrefix("ANSCK") && !name.hasPrefix("sqlite_")
      }
    let expected = ours.definitions.map(\.name) + ours.joinTables.map(\.table)
    if foreign.isEmpty {
      #expect(Set(entities) == Set(expected))
      // Numbers follow from the names of the model's entities (FORMAT 2.2).
      #expect(ours.numbers == (1...ours.numbers.count).map { Int64($0) })
    } else {
      #expect(Set(entities).isSuperset(of: expected))
    }
    let fixed = ["Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER"]
    for definition in ours.definitions {
      let columns = definition.columns.map { "\($0.name) \($0.type)" }
      let found = try schemas.columns(of: definition.name)
      #expect(Set(found) == Set(fixed + columns), "\(definition.name)")
      guard schemas.framework >= 866 else { continue }
      #expect(Self.isOrder(Array(found.dropFirst(3)), of: columns), "\(definition.name)")
    }
    for join in ours.joinTables {
      let orders = [join.first.order, join.second.order].compactMap(\.self)
      let names = [join.first.own, join.first.other] + orders
      #expect(Set(try schemas.columns(of: join.table)) == Set(names.map { "\($0) INTEGER" }))
    }
  }

  /// Whether columns are in an order, as far as it is known: among each other, columns of places in an ordered
  /// relationship are in any (FORMAT, part 5); a store that was migrated has new columns behind the others.
  private static func isOrder(_ found: [String], of columns: [String]) -> Bool {
    func places(_ names: ArraySlice<String>) -> [Int] {
      names.map { name in
        let start = columns.firstIndex { $0.hasPrefix("Z_FOK_") } ?? 0
        return name.hasPrefix("Z_FOK_") ? start : columns.firstIndex(of: name) ?? 0
      }
    }
    return (0...found.count).contains { end in
      let (old, new) = (places(found[..<end]), places(found[end...]))
      return old == old.sorted() && new == new.sorted()
    }
  }

  /// Stores whose tables and indexes are word for word those that we make.
  ///
  /// Of the others, `bnr-books` and `magicalrecord-recipes` are of older frameworks, `coredataplus-sample1-v2`
  /// was migrated, and `ddg-bookmarks-v4` has the index of an attribute that its model had called indexed.
  private static let fresh: Set = [
    "carekit-2.0", "coredataplus-sample1-v1", "coredataplus-sample2-v2", "coredataplus-sample3-v1",
    "ddg-bookmarks-v1",
  ]

  @Test(arguments: CorpusStore.all)
  func `indexes are those that we would make`(_ corpus: CorpusStore) throws {
    let schemas = try Schemas(corpus)
    let ours = SchemaSQL(schemas.ours)
    let found = try schemas.connection.texts(
      """
      SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL
      AND tbl_name NOT LIKE 'ACHANGE' AND tbl_name NOT LIKE 'ATRANSACTION%'
      """
    )
    let targets = Set(found.map(SchemaIndex.target))
    // Which side names the table between an entity and itself cannot be foretold (FORMAT 2.5).
    let reflexive = schemas.ours.model.links.filter { $0.first.entity == $0.second.entity }
      .map { schemas.ours.joinTables[$0.index].table + "_" }
    let isOpen = { (sql: String) in reflexive.contains { sql.contains(" INDEX \($0)") } }
    let indexes = ours.indexes.filter { !isOpen($0.sql) }
    for index in indexes { #expect(targets.contains(index.target), "\(index.name)") }
    guard Self.fresh.contains(corpus.name), !CorpusStore.isForeign else { return }
    #expect(Set(indexes.map(\.sql)) == Set(found.filter { !isOpen($0) }))
    for definition in schemas.ours.definitions {
      #expect(
        try schemas.columns(of: definition.name).dropFirst(3)
          == definition.columns.map { "\($0.name) \($0.type)" }[...]
      )
    }
  }

  // MARK: Rows

  @Test(arguments: CorpusStore.all)
  func `every row is read as SQLite gives it`(_ corpus: CorpusStore) throws {
    let model = try corpus.model().layout
    let raw = try StoreFolder(corpus)
    let connection = try raw.connect()
    let copy = try StoreFolder(corpus)
    let store = try SQLiteStore(url: copy.store, model: model, isReadOnly: true)
    var count = 0
    for entity in model.entities {
      let number = store.schema.number(of: entity.index)
      let table = try RawTable(store.schema.table(of: entity.index), on: connection)
      let rows = table.byKey.filter { row in
        row.value["Z_ENT"]?.integer == number
          || entity.family.count == 1 && entity.root == entity.index
      }
      let found = try store.rows(of: entity.index)
      #expect(Set(found.map { PackedRow.key($0.pointer) }) == Set(rows.keys), "\(entity.name)")
      for row in found {
        let key = PackedRow.key(row.pointer)
        let expected = try #require(rows[key])
        #expect(Int64(PackedRow.version(row.pointer)) == expected["Z_OPT"]?.integer ?? 0)
        for slot in entity.slots.indices {
          let place = "\(entity.name).\(entity.slots[slot].name) of \(key)"
          #expect(try RawValue(store, copy).agrees(row, slot, with: expected), "\(place)")
        }
        count += 1
      }
      try checkMembers(of: entity, Array(rows.keys), store, connection)
    }
    let all = try store.schema.definitions.reduce(0) {
      try $0 + RawTable($1.name, on: connection).rows.count
    }
    #expect(count == all)
  }

  /// Whether to-many relationships have the members that the tables say, in their order.
  private func checkMembers(
    of entity: EntityLayout,
    _ keys: [Int64],
    _ store: SQLiteStore,
    _ connection: SQLiteConnection
  ) throws {
    for relationship in entity.toManys {
      for key in keys.sorted().prefix(50) {
        let query = StoreQuery(
          entity: relationship.destination,
          scope: .related(relationship, owner: key)
        )
        let found = try store.fetchReferences(query).map(\.key)
        let expected: [Int64]
        if let (name, side) = store.schema.joinTable(of: relationship) {
          let order = side.order.map { "\($0) IS NULL, \($0), " } ?? ""
          expected = try connection.integers(
            "SELECT \(side.other) FROM \(name) WHERE \(side.own) = \(key) ORDER BY \(order)\(side.other)"
          )
        } else {
          let inverse = try #require(relationship.inverse)
          let column = "Z" + inverse.name.uppercased()
          let order = relationship.isOrdered ? "Z_FOK_\(inverse.name.uppercased()), " : ""
          expected = try connection.integers(
            """
            SELECT Z_PK FROM \(store.schema.table(of: relationship.destination))
            WHERE \(column) = \(key) ORDER BY \(order)Z_PK
            """
          )
        }
        let place = "\(entity.name).\(relationship.name) of \(key)"
        if relationship.isOrdered {
          #expect(found == expected, "\(place)")
        } else {
          #expect(found.sorted() == expected.sorted(), "\(place)")
        }
      }
    }
  }
}
