// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension StoreSchema {
  /// The schema of a model's store as it is; `nil` when the store lacks something.
  static func stored(
    on connection: SQLiteConnection,
    _ model: ModelLayout
  ) throws(SQLiteFailure) -> StoreSchema? {
    guard let numbers = try SchemaIntrospection.entityNumbers(of: model, on: connection) else {
      return nil
    }
    var builder = SchemaBuilder(model: model, numbers: numbers)
    let introspection = try SchemaIntrospection(connection)
    let schema = introspection.resolve(builder.build())
    return introspection.firstMissingName(of: schema) == nil ? schema : nil
  }
}

/// The tables and columns that an existing store really has.
///
/// The names of join tables between an entity and itself cannot be foretold (FORMAT 2.5), and join
/// columns may have numbers; so both are looked up.
struct SchemaIntrospection {
  /// The columns of each table, in order, all in capitals.
  private let columns: [String: [String]]

  init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      """
      SELECT m.name, p.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS p
      WHERE m.type = 'table' AND m.sql LIKE 'CREATE TABLE%' ORDER BY m.name, p.cid
      """
    )
    var columns: [String: [String]] = [:]
    while try statement.step() {
      columns[statement.text(0).uppercased(), default: []].append(statement.text(1).uppercased())
    }
    self.columns = columns
  }

  /// The numbers of a model's entities, or `nil` when the store lacks one of them.
  ///
  /// A store that Core Data migrated may keep the old name of an entity that was renamed.
  static func entityNumbers(
    of model: ModelLayout,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [Int64]? {
    let statement = try connection.prepare(
      "SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < \(HistoryTables.Number.first)"
    )
    defer { statement.finalize() }
    var numbers: [String: Int64] = [:]
    while try statement.step() { numbers[statement.text(0)] = statement.integer(1) }
    let found = model.entities.compactMap { entity in
      numbers[entity.name] ?? entity.description.renamingIdentifier.flatMap { numbers[$0] }
    }
    return found.count == model.entities.count ? found : nil
  }

  /// The schema with its join tables as the store has them.
  func resolve(_ schema: StoreSchema) -> StoreSchema {
    let joinTables = schema.model.links.map { link in
      resolve(schema.joinTables[link.index], link, numbers: schema.numbers)
    }
    return StoreSchema(
      model: schema.model,
      numbers: schema.numbers,
      definitions: schema.definitions,
      joinTables: joinTables
    )
  }

  private func resolve(_ join: JoinTable, _ link: LinkLayout, numbers: [Int64]) -> JoinTable {
    let alternative = SchemaBuilder.alternativeTableName(link, numbers: numbers)
    for (name, isAlternative) in [(join.table, false), (alternative ?? join.table, true)] {
      guard let found = columns[name], found.count >= 2 else { continue }
      if found.contains(join.first.own), found.contains(join.first.other) {
        return JoinTable(
          table: name,
          link: link,
          first: join.first.own,
          second: join.first.other
        )
      }
      var own = found[isAlternative ? 1 : 0]
      var other = found[isAlternative ? 0 : 1]
      if link.first.entity != link.second.entity,
        !own.hasPrefix("Z_\(numbers[link.first.entity])")
          || !other.hasPrefix("Z_\(numbers[link.second.entity])")
      {
        swap(&own, &other)
      }
      return JoinTable(table: name, link: link, first: own, second: other)
    }
    return join
  }

  /// The first table or column that a schema needs and the store lacks.
  func firstMissingName(of schema: StoreSchema) -> String? {
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

  private func firstMissing(_ names: [String], of table: String) -> String? {
    guard let found = columns[table] else { return table }
    return names.first { !found.contains($0) }.map { "\(table).\($0)" }
  }
}
