// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL

extension StoreSchema {
  /// The schema of a store on a server; without the entities' numbers that of a new one.
  static func onServer(_ model: ModelLayout, numbers: [Int64]? = nil) -> StoreSchema {
    var builder = SchemaBuilder(model: model, numbers: numbers, dialect: PostgresDialect())
    return builder.build()
  }
}

/// The statements that make a store's tables and indexes: Core Data's layout, in types of PostgreSQL.
struct SchemaStatements {
  private let schema: StoreSchema
  private var model: ModelLayout { schema.model }

  init(_ schema: StoreSchema) { self.schema = schema }

  /// The tables that every store has, whatever its model.
  static let fixedTables = fixedColumns.map(\.0)

  private static let fixedColumns = [
    ("z_metadata", ["z_version", "z_uuid", "z_plist"]),
    ("z_primarykey", ["z_ent", "z_name", "z_super", "z_max"]),
    (SaveToken.table, ["token", "dead", "since"]),
    (
      ChangeLog.table,
      ["number", "first_change", "saved", "author", "context", "process", "bundle", "changes"]
    ),
    (ChangeLog.clock, ["one", "number", "change", "is_wanted", "keeps_old_values"]),
  ]

  /// All tables with their columns, as the server writes them.
  var columns: [(table: String, columns: [String])] {
    Self.fixedColumns
      + schema.definitions.map { definition in
        (definition.name, ["z_pk", "z_ent", "z_opt"] + definition.columns.map(\.name))
      }
      + schema.joinTables.map { join in
        let names = [join.first.own, join.first.other, join.first.order, join.second.order]
        return (join.table, names.compactMap(\.self).map { $0.lowercased() })
      }
  }

  /// The names of all tables.
  var tableNames: [String] {
    Self.fixedTables + dataTableNames
  }

  /// The names of the tables of entities and links.
  var dataTableNames: [String] {
    schema.definitions.map(\.name) + schema.joinTables.map(\.table)
  }

  /// What makes the tables, that of the metadata first: of two who make a store at the same time, one waits there.
  var tables: [String] {
    [
      "CREATE TABLE z_metadata (Z_VERSION bigint PRIMARY KEY, Z_UUID text NOT NULL, Z_PLIST bytea NOT NULL)",
      """
      CREATE TABLE z_primarykey (Z_ENT bigint PRIMARY KEY, Z_NAME text NOT NULL, Z_SUPER bigint,
      Z_MAX bigint)
      """,
      SaveToken.definition,
    ] + ChangeLog.definitions + dataTables
  }

  /// What makes the tables of entities and links.
  var dataTables: [String] { schema.definitions.map(Self.sql) + schema.joinTables.map(Self.sql) }

  private static func sql(of definition: TableDefinition) -> String {
    let columns =
      ["Z_PK bigint PRIMARY KEY", "Z_ENT bigint NOT NULL", "Z_OPT bigint"]
      + definition.columns.map { "\($0.name) \($0.type)" }
    return "CREATE TABLE \(definition.name) (\(columns.joined(separator: ", ")))"
  }

  private static func sql(of join: JoinTable) -> String {
    let orders = [join.first.order, join.second.order].compactMap { $0.map { "\($0) bigint" } }
    let columns =
      ["\(join.first.own) bigint NOT NULL", "\(join.first.other) bigint NOT NULL"] + orders
      + ["PRIMARY KEY (\(join.first.own), \(join.first.other))"]
    return "CREATE TABLE \(join.table) (\(columns.joined(separator: ", ")))"
  }

  /// What makes the indexes.
  var indexes: [String] { TableIndexes(schema).all.map(Self.sql) }

  /// The indexes that the model asks for by name.
  var fetchIndexes: [TableIndex] { TableIndexes(schema).all.filter { $0.kind == .fetch } }

  /// What makes an index, if there is none of its name.
  ///
  /// In those that the model asks for, absent values are where sorts have them: first ascending, last descending.
  static func sql(of index: TableIndex) -> String {
    let columns = index.columns.map { column in
      let order = column.isAscending ? " NULLS FIRST" : " DESC NULLS LAST"
      return index.kind == .fetch ? column.name + order : column.name
    }
    let kind = index.kind == .uniqueness ? "UNIQUE INDEX" : "INDEX"
    let condition = index.condition.map { " WHERE \($0)" } ?? ""
    return """
      CREATE \(kind) IF NOT EXISTS \(index.name.asSQLName) ON \(index.table)
      (\(columns.joined(separator: ", ")))\(condition)
      """
  }

  /// The numbers of the entities and the counters of their keys.
  ///
  /// - Parameter known: Where counters of another model were, by name; one that it does not know goes on after all of them.
  /// - Returns: What inserts them.
  func counters(_ known: [String: Int64] = [:]) -> [PostgresCall] {
    let greatest = known.values.max() ?? 0
    return model.entities.map { entity in
      PostgresCall(
        "INSERT INTO z_primarykey (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES ($1, $2, $3, $4)",
        [
          .integer(schema.number(of: entity.index)), .text(entity.name),
          .integer(entity.superentity.map(schema.number) ?? 0),
          .integer(known[entity.name] ?? greatest),
        ]
      )
    }
  }
}
#endif
