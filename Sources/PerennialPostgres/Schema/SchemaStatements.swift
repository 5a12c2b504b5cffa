// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL

extension StoreSchema {
  /// The schema of a store on a server; without the entities' numbers that of a new one.
  static func onServer(
    _ model: ModelLayout,
    _ names: TableNames,
    numbers: [Int64]? = nil
  ) -> StoreSchema {
    var builder = SchemaBuilder(
      model: model,
      numbers: numbers,
      dialect: PostgresDialect(),
      names: names.schemaNames
    )
    return builder.build()
  }
}

/// The statements that make a store's tables and indexes, in types of PostgreSQL.
struct SchemaStatements {
  private let schema: StoreSchema
  private var model: ModelLayout { schema.model }

  init(_ schema: StoreSchema) { self.schema = schema }

  private var metadata: MetadataNames { schema.names.metadata }
  private var numbers: CounterNames { schema.names.counters }

  /// The tables that every store has, whatever its model.
  private var fixedColumns: [(table: String, columns: [String])] {
    [
      (metadata.table, [metadata.version, metadata.identifier, metadata.propertyList]),
      (numbers.table, [numbers.entity, numbers.name, numbers.superentity, numbers.greatest]),
      (SaveToken.table, ["token", "dead", "since"]),
      (
        ChangeLog.table,
        ["number", "first_change", "saved", "author", "context", "process", "bundle", "changes"]
      ),
      (ChangeLog.clock, ["one", "number", "change", "is_wanted", "keeps_old_values"]),
    ]
  }

  /// All tables with their columns, as the server's catalogue has them.
  var columns: [(table: String, columns: [String])] {
    let all =
      fixedColumns
      + schema.definitions.map { definition in
        let names = schema.rowColumns(of: definition.root) + definition.columns.map(\.name)
        return (definition.name, names)
      }
      + schema.joinTables.map { join in
        let names = [join.first.own, join.first.other, join.first.order, join.second.order]
        return (join.table, names.compactMap(\.self))
      }
    return all.map { ($0.table.inCatalogue, $0.columns.map(\.inCatalogue)) }
  }

  /// The names of all tables, as the server's catalogue has them.
  var tableNames: [String] { columns.map(\.table) }

  /// What makes the tables, that of the metadata first: of two who make a store at the same time, one waits there.
  var tables: [String] {
    [
      """
      CREATE TABLE \(metadata.table) (\(metadata.version) bigint PRIMARY KEY,
      \(metadata.identifier) text NOT NULL, \(metadata.propertyList) bytea NOT NULL)
      """,
      """
      CREATE TABLE \(numbers.table) (\(numbers.entity) bigint PRIMARY KEY,
      \(numbers.name) text NOT NULL, \(numbers.superentity) bigint, \(numbers.greatest) bigint)
      """,
      SaveToken.definition,
    ] + ChangeLog.definitions + dataTables.map(\.sql)
  }

  /// The tables of entities and links, and what makes them; the subject is what they are of, however they are called.
  var dataTables: [(subject: String, name: String, sql: String)] {
    let entities = schema.definitions.map { definition in
      let root = model.entities[definition.root].name
      return (subject: root, name: definition.name, sql: sql(of: definition))
    }
    let links = zip(model.links, schema.joinTables).map { link, join in
      let subject = "\(model.entities[link.first.entity].name).\(link.first.name)"
      return (subject: subject, name: join.table, sql: Self.sql(of: join))
    }
    return entities + links
  }

  private func sql(of definition: TableDefinition) -> String {
    let types = [
      schema.rows.key: "bigint PRIMARY KEY", schema.rows.entity: "bigint NOT NULL",
      schema.rows.version: "bigint",
    ]
    let columns =
      schema.rowColumns(of: definition.root).map { "\($0) \(types[$0] ?? "")" }
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
  var indexes: [String] { TableIndexes(schema).all.map(sql) }

  /// The indexes that the model asks for by name.
  var fetchIndexes: [TableIndex] { TableIndexes(schema).all.filter { $0.kind == .fetch } }

  /// What makes an index, if there is none of its name.
  ///
  /// In those that the model asks for, absent values are where sorts have them: first ascending, last descending.
  func sql(of index: TableIndex) -> String {
    let columns = index.columns.map { column in
      let order = column.isAscending ? " NULLS FIRST" : " DESC NULLS LAST"
      return index.kind == .fetch ? column.name + order : column.name
    }
    let kind = index.kind == .uniqueness ? "UNIQUE INDEX" : "INDEX"
    let condition = index.condition.map { " WHERE \($0)" } ?? ""
    let written = schema.names.written(index.name)
    let name = written == index.name ? written.asSQLName : written
    return """
      CREATE \(kind) IF NOT EXISTS \(name) ON \(index.table)
      (\(columns.joined(separator: ", ")))\(condition)
      """
  }

  /// What inserts the numbers of the entities, and the counters of their keys at their beginning.
  func counters() -> [PostgresCall] {
    model.entities.map { entity in
      PostgresCall(
        """
        INSERT INTO \(numbers.table)
        (\(numbers.entity), \(numbers.name), \(numbers.superentity), \(numbers.greatest))
        VALUES ($1, $2, $3, 0)
        """,
        [
          .integer(schema.number(of: entity.index)), .text(entity.name),
          .integer(entity.superentity.map(schema.number) ?? 0),
        ]
      )
    }
  }

  /// What lets the counters go on where those of another model were, if they have not come as far.
  ///
  /// - Parameter known: Where they were, by name; one that it does not know goes on after all of them.
  /// - Returns: The statements.
  func counters(after known: [String: Int64]) -> [PostgresCall] {
    let greatest = known.values.max() ?? 0
    let count = numbers.greatest
    return model.entities.map { entity in
      PostgresCall(
        """
        UPDATE \(numbers.table) SET \(count) = GREATEST(\(count), $2) WHERE \(numbers.entity) = $1
        """,
        [.integer(schema.number(of: entity.index)), .integer(known[entity.name] ?? greatest)]
      )
    }
  }
}
#endif
