// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
import PerennialStore

/// The tables of a model in an SQL database of yours, and the statements of a store there: everything that a
/// `PersistentStore` needs but the connection.
///
/// ```swift
/// var tables = SQLTables(model, engine: MySQL())
/// for statement in tables.definitions { try connection.run(statement) }
///
/// func fetch(_ request: StoreRequest) throws -> [StoreRow] {
///   try connection.run(tables.fetch(request)).map { try tables.row($0, of: request.table) }
/// }
/// ```
///
/// The tables have names as people who write SQL would choose them: `commit` with `id`, `version`, `created_at` and
/// `author_id`. The lists of a relationship's members are in a table such as `commit_tags` with `owner_id`,
/// `member_id` and `position`. Only tables of entities with subentities have `type`, which says the row's own entity.
/// `perennial_keys` has the numbers of the entities and the keys that are reserved, `perennial_metadata` the store's
/// metadata. Names that clash get numbers.
///
/// A store that is made with these tables claims `durable`, `filter`, `sort`, `limit` and `members`. The article
/// WritingAStore shows how to write one.
public struct SQLTables: Sendable {
  /// The identifier of the store, as its metadata have it.
  ///
  /// Without it, the IDs of objects cannot be read.
  public var storeID: UUID?
  let schema: StoreSchema
  let engine: any SQLEngine
  /// The tables of lists of members, by relationship.
  let lists: MemberLists
  /// How the rows of each root entity are read, whichever entity they are of.
  let plans: [Int: RowPlan]

  /// The tables of a model.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - engine: The database.
  public init(_ model: ManagedObjectModel, engine: any SQLEngine) {
    let names = PlainNames(quoting: engine.quoted)
    var builder = SchemaBuilder(
      model: model.layout,
      numbers: nil,
      dialect: EngineDialect(engine: engine),
      names: names
    )
    let schema = builder.build()
    lists = MemberLists(schema, &builder)
    let listed = lists.schema(schema)
    self.schema = listed
    self.engine = engine
    let plans = schema.definitions.map { definition in
      RowPlan(
        entity: definition.root,
        includesSubentities: true,
        schema: listed,
        externalFiles: .nowhere
      )
    }
    self.plans = Dictionary(zip(schema.definitions.map(\.root), plans)) { first, _ in first }
  }

  /// The statements that make the tables of a new store; run them in one transaction if the database can do so.
  public var definitions: [SQLStatement] {
    let counters = schema.names.counters
    let metadata = schema.names.metadata
    let integer = engine.typeName(of: .integer)
    let text = engine.typeName(of: .text)
    var tables = [
      """
      CREATE TABLE \(metadata.table) (\(metadata.version) \(integer) NOT NULL PRIMARY KEY, \
      \(metadata.propertyList) \(engine.typeName(of: .bytes)))
      """,
      """
      CREATE TABLE \(counters.table) (\(counters.entity) \(integer) NOT NULL PRIMARY KEY, \
      \(counters.name) \(text) NOT NULL, \(counters.greatest) \(integer) NOT NULL)
      """,
    ]
    for definition in schema.definitions {
      let own = schema.rowColumns(of: definition.root).map { name in
        "\(name) \(integer) NOT NULL" + (name == schema.rows.key ? " PRIMARY KEY" : "")
      }
      let columns = own + definition.columns.map { "\($0.name) \($0.type)" }
      tables.append("CREATE TABLE \(definition.name) (\(columns.joined(separator: ", ")))")
    }
    tables += lists.definitions(integer)
    let insertion =
      "INSERT INTO \(counters.table) (\(counters.entity), \(counters.name), \(counters.greatest)) "
      + "VALUES (?, ?, 0)"
    let rows = schema.model.entities.map { entity in
      statement(insertion, [.integer(schema.number(of: entity.index)), .text(entity.name)])
    }
    return tables.map { SQLStatement($0) } + rows
  }

  /// The statements that make indexes: those of relationships, and those that the model asks for.
  ///
  /// No index is required, and none is unique, because Perennial looks for equal values itself.
  public var indexes: [SQLStatement] {
    let model = TableIndexes(schema).all.filter { index in
      index.kind != .relationship || schema.definitions.contains { $0.name == index.table }
    }
    return model.map { index in
      let columns = index.columns.map { $0.name + ($0.isAscending ? "" : " DESC") }
      let name = schema.names.written(index.name)
      return SQLStatement(
        "CREATE INDEX \(name) ON \(index.table) (\(columns.joined(separator: ", ")))"
      )
    }
  }

  /// A statement with the marks of the engine.
  func statement(_ sql: String, _ parameters: [SQLValue] = []) -> SQLStatement {
    SQLStatement(schema.dialect.finished(sql), parameters)
  }
}
