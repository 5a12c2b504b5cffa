// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL

/// The statements that make a store's tables and indexes, word for word as Core Data's stores have
/// them (FORMAT 2.1, 2.4, 2.5, 2.7).
struct SchemaSQL {
  private let schema: StoreSchema
  private var model: ModelLayout { schema.model }

  init(_ schema: StoreSchema) { self.schema = schema }

  /// The tables: each root's, then those of the links that it names; last the fixed ones.
  var tables: [String] {
    let links = Dictionary(grouping: model.links) { model.entities[$0.first.entity].root }
    return schema.definitions.flatMap { definition in
      [Self.sql(of: definition, named: definition.name)]
        + links[definition.root, default: []]
        .map { schema.joinTables[$0.index] }.map { Self.sql(of: $0, named: $0.table) }
    } + Self.fixedTables
  }

  static let fixedTables = [
    "CREATE TABLE Z_PRIMARYKEY "
      + "(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
  ]

  /// All indexes, under names that nothing else in the store has.
  var indexes: [SchemaIndex] { TableIndexes(schema).all.map(SchemaIndex.init) }

  /// The indexes of to-one columns, of `Z_ENT`, and of join tables the other way round.
  var relationshipIndexes: [SchemaIndex] {
    TableIndexes(schema).relationships.map(SchemaIndex.init)
  }

  /// The indexes that the model declares, under names that others may have.
  var fetchIndexes: [SchemaIndex] { TableIndexes(schema).fetches.map(SchemaIndex.init) }

  static func sql(of definition: TableDefinition, named name: String) -> String {
    let columns =
      ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
      + definition.columns.map { "\($0.name) \($0.type)" }
    return "CREATE TABLE \(name) ( \(columns.joined(separator: ", ")) )"
  }

  static func sql(of join: JoinTable, named name: String) -> String {
    var columns = [join.first.own, join.first.other]
    columns += [join.first.order, join.second.order].compactMap(\.self)
    let list = columns.map { "\($0) INTEGER" }.joined(separator: ", ")
    return
      "CREATE TABLE \(name) ( \(list), PRIMARY KEY (\(join.first.own), \(join.first.other)) )"
  }

  /// The full-text indexes, in the order of their names.
  var fullTextIndexes: [FullTextIndex] {
    let indexes = model.entities.flatMap { entity in
      entity.description.indexes.flatMap(\.elements).compactMap { element -> FullTextIndex? in
        guard element.type == .fullText, let slot = entity.slotsByName[element.property],
          let column = schema.column(of: slot, in: entity.index)
        else { return nil }
        return FullTextIndex(table: schema.table(of: entity.index), column: column.name)
      }
    }
    return Set(indexes).sorted { $0.name < $1.name }
  }
}
