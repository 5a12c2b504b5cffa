// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL

extension StoreSchema {
  /// The schema of a model's store as it is; `nil` when the store lacks something.
  static func stored(
    on connection: SQLiteConnection,
    _ model: ModelLayout
  ) throws(SQLiteFailure) -> StoreSchema? {
    let found = try SchemaIntrospection(connection).fit(of: model, on: connection)
    return if case .whole(let schema) = found { schema } else { nil }
  }
}

/// The tables and columns that an existing store really has.
///
/// The names of join tables between an entity and itself cannot be foretold (FORMAT 2.5), join columns may
/// have numbers, and a store may have kept a number of an earlier model in a name; so they are looked up.
/// Tables and columns that the model does not ask for stay as they are.
struct SchemaIntrospection {
  /// The columns of each table, in order, all in capitals.
  private let columns: [String: [TableDefinition.Column]]

  init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      """
      SELECT m.name, p.name, p.type FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS p
      WHERE m.type = 'table' AND m.sql LIKE 'CREATE TABLE%' ORDER BY m.name, p.cid
      """
    )
    var columns: [String: [TableDefinition.Column]] = [:]
    while try statement.step() {
      let column = TableDefinition.Column(
        name: statement.text(1).uppercased(),
        type: statement.text(2).uppercased()
      )
      columns[statement.text(0).uppercased(), default: []].append(column)
    }
    self.columns = columns
  }

  /// How a store fits a model.
  enum Fit {
    /// It has all that the model asks for: the schema with the names that the store has.
    case whole(StoreSchema)
    /// What it lacks.
    case lacks(String)
  }

  func fit(
    of model: ModelLayout,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Fit {
    if let missing = firstMissingFixedName { return .lacks("'\(missing)'") }
    let numbers = try Self.entityNumbers(of: model, on: connection)
    if let entity = numbers.firstIndex(of: nil) {
      return .lacks("row of '\(model.entities[entity].name)' in 'Z_PRIMARYKEY'")
    }
    var builder = SchemaBuilder(model: model, numbers: numbers.compactMap(\.self))
    let schema = resolve(builder.build())
    return firstMissingName(of: schema).map { .lacks("'\($0)'") } ?? .whole(schema)
  }

  /// The numbers of a model's entities; `nil` for one that the store lacks.
  ///
  /// A store that Core Data migrated may keep the old name of an entity that was renamed.
  static func entityNumbers(
    of model: ModelLayout,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [Int64?] {
    let statement = try connection.prepare(
      "SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < \(HistoryTables.Number.first)"
    )
    defer { statement.finalize() }
    var numbers: [String: Int64] = [:]
    while try statement.step() { numbers[statement.text(0)] = statement.integer(1) }
    return model.entities.map { entity in
      numbers[entity.name] ?? entity.description.renamingIdentifier.flatMap { numbers[$0] }
    }
  }

  /// The schema with the names that the store has.
  func resolve(_ schema: StoreSchema) -> StoreSchema {
    let joinTables = schema.model.links.map { link in
      resolve(schema.joinTables[link.index], link, numbers: schema.numbers)
    }
    return StoreSchema(
      model: schema.model,
      numbers: schema.numbers,
      definitions: schema.definitions.map { definition in
        definition.resolved(names(of: definition.name))
      },
      joinTables: joinTables,
      dialect: schema.dialect
    )
  }

  private func names(of table: String) -> [String] { (columns[table] ?? []).map(\.name) }

  private func resolve(_ join: JoinTable, _ link: LinkLayout, numbers: [Int64]) -> JoinTable {
    let alternative = CoreDataNames.alternativeTable(of: link, numbers)
    for name in [join.table, alternative].compactMap(\.self) {
      let keys = names(of: name).filter { !$0.hasPrefix("Z_FOK_") }
      guard keys.count >= 2 else { continue }
      let first = JoinKey(number: numbers[link.first.entity], base: link.second.name)
      let second = JoinKey(number: numbers[link.second.entity], base: link.first.name)
      // The side that names the table comes first, unless the columns' names say otherwise.
      var places = name == join.table ? (own: 0, other: 1) : (own: 1, other: 0)
      let likeness = first.likeness(keys[places.own]) + second.likeness(keys[places.other])
      if first.likeness(keys[places.other]) + second.likeness(keys[places.own]) > likeness {
        swap(&places.own, &places.other)
      }
      return JoinTable(
        table: name,
        link: link,
        first: keys[places.own],
        second: keys[places.other],
        SQLiteDialect()
      )
    }
    return join
  }

  // MARK: What does not fit

  /// The first table or column that a schema needs and the store lacks.
  private func firstMissingName(of schema: StoreSchema) -> String? {
    for definition in schema.definitions {
      let needed = ["Z_PK", "Z_ENT", "Z_OPT"] + definition.columns.map(\.name)
      if let missing = firstMissing(needed, of: definition.name) { return missing }
    }
    for join in schema.joinTables {
      let orders = [join.first.order, join.second.order].compactMap(\.self)
      if let missing = firstMissing([join.first.own, join.first.other] + orders, of: join.table) {
        return missing
      }
    }
    return nil
  }

  /// The first column that the tables of every store have and this one's lack.
  private var firstMissingFixedName: String? {
    firstMissingColumnOfEntities ?? firstMissing(MetadataTable.columns, of: "Z_METADATA")
  }

  /// The first column that the table of the entities lacks.
  var firstMissingColumnOfEntities: String? {
    firstMissing(["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"], of: "Z_PRIMARYKEY")
  }

  private func firstMissing(_ names: [String], of table: String) -> String? {
    let found = self.names(of: table)
    if found.isEmpty { return table }
    return names.first { !found.contains($0) }.map { "\(table).\($0)" }
  }

  /// The first column whose values are kept as something else than the model's: `nil` when all fit.
  ///
  /// Numbers of all kinds count as the same: SQLite keeps each as it comes. Columns of types of which no store
  /// of Core Data is known may be of any.
  func firstWrongType(
    of schema: StoreSchema
  ) -> (column: String, found: String, expected: String)? {
    for definition in schema.definitions {
      let fixed = ["Z_PK", "Z_ENT", "Z_OPT"].map {
        TableDefinition.Column(name: $0, type: "INTEGER")
      }
      let found = Dictionary(
        (columns[definition.name] ?? []).map { ($0.name, $0.type) }
      ) { first, _ in first }
      let unknown = Self.columnsOfUnknownType(in: definition, schema)
      for column in fixed + definition.columns where !unknown.contains(column.name) {
        guard let type = found[column.name], type != column.type,
          Affinity(type) != Affinity(column.type)
        else { continue }
        return ("\(definition.name).\(column.name)", type.isEmpty ? "BLOB" : type, column.type)
      }
    }
    return nil
  }
}

extension SchemaIntrospection {
  private static func columnsOfUnknownType(
    in definition: TableDefinition,
    _ schema: StoreSchema
  ) -> Set<String> {
    var names: Set<String> = []
    for index in schema.model.entities[definition.root].family {
      let slots = schema.model.entities[index].slots
      for slot in slots.indices where slots[slot].attributeType == .url {
        if let column = schema.column(of: slot, in: index) { names.insert(column.name) }
      }
    }
    return names
  }
}

/// How SQLite keeps what is written into a column (SQLite: "Datatypes In SQLite", 3.1).
private enum Affinity {
  case number
  case text
  case bytes

  init(_ type: String) {
    self =
      if type.contains("INT") {
        .number
      } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
        .text
      } else if type.contains("BLOB") || type.isEmpty {
        .bytes
      } else {
        .number
      }
  }
}

/// What a column of a join table should be called.
private struct JoinKey {
  /// The number of the entity whose keys it holds.
  let number: Int64
  /// The relationship that leads to these objects; `nil` when there is none.
  let base: String?

  /// How well a name fits: 3 when it is just so, 2 when it has a number behind, 1 when the entity's number is
  /// right, else 0.
  func likeness(_ column: String) -> Int {
    let digits = column.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
    guard column.hasPrefix("Z_"), let base else { return Int64(digits) == number ? 1 : 0 }
    let name = "Z_\(number)\(base.uppercased())"
    if column == name { return 3 }
    let rest = column.dropFirst(name.count)
    if column.hasPrefix(name), rest.allSatisfy({ $0.isASCII && $0.isNumber }) { return 2 }
    return Int64(digits) == number ? 1 : 0
  }
}
