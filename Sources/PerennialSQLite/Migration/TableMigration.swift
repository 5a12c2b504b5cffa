// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// Makes the tables of new root entities of those of old ones.
///
/// A table that keeps its columns is changed in place: columns are renamed and added, and one statement writes
/// what differs in the rows. Any other table is written anew, in one pass for each entity.
struct TableMigration {
  let connection: SQLiteConnection
  let sources: ColumnSources
  private var mapping: ModelMapping { sources.mapping }
  private var old: StoreSchema { sources.old }
  private var new: StoreSchema { sources.new }
  /// The entities whose rows each new root takes.
  private let entitiesByRoot: [Int: [EntityMapping]]

  init(_ connection: SQLiteConnection, _ sources: ColumnSources) {
    self.connection = connection
    self.sources = sources
    entitiesByRoot = Dictionary(grouping: sources.mapping.entities) {
      sources.new.model.entities[$0.destination].root
    }
  }

  /// The name that a new table has until all old ones are gone.
  private static func draftName(_ root: Int) -> String { "PERENNIAL_NEW_\(root)" }

  /// Makes all tables; their final names come last, so that two may change names.
  func run(_ step: () throws -> Void) throws {
    var drafts: [(draft: String, definition: TableDefinition)] = []
    // The roots of several trees have been refused.
    let heirs = Dictionary(grouping: new.definitions) {
      mapping.sourceRoots(ofRoot: $0.root).first
    }
    for definition in old.definitions {
      drafts += try hand(definition, to: heirs[definition.root] ?? [])
      try step()
    }
    for (draft, definition) in drafts where draft != definition.name {
      try connection.execute("ALTER TABLE \(draft) RENAME TO \(definition.name)")
    }
    for definition in heirs[nil] ?? [] {
      try connection.execute(SchemaSQL.sql(of: definition, named: definition.name))
    }
  }

  /// Gives the rows of an old table to new ones.
  ///
  /// - Returns: The new tables with the names that they have for now.
  private func hand(
    _ definition: TableDefinition,
    to heirs: [TableDefinition]
  ) throws -> [(draft: String, definition: TableDefinition)] {
    // The one that the old root itself goes to may keep the table.
    let first = mapping.destinations[definition.root].map { new.model.entities[$0].root }
    let keeper = heirs.first { $0.root == first } ?? heirs.first
    var drafts: [(draft: String, definition: TableDefinition)] = []
    let alteration = try keeper.flatMap { try planAlteration(of: definition, into: $0) }
    for heir in heirs where heir.root != keeper?.root || alteration == nil {
      try write(heir, from: definition)
      drafts.append((Self.draftName(heir.root), heir))
    }
    guard let keeper, let alteration else {
      try connection.execute("DROP TABLE \(definition.name)")
      return drafts
    }
    drafts.append((try alter(definition, into: keeper, alteration), keeper))
    return drafts
  }

  /// The entities whose rows a new table takes.
  private func entities(of heir: TableDefinition) -> [EntityMapping] {
    entitiesByRoot[heir.root] ?? []
  }

  // MARK: Written anew

  private func write(_ heir: TableDefinition, from definition: TableDefinition) throws {
    let name = Self.draftName(heir.root)
    try connection.execute(SchemaSQL.sql(of: heir, named: name))
    for entity in entities(of: heir) {
      let found = sources.sources(of: entity)
      let columns = heir.columns.filter { found[$0.name]?.isNull == false }
      let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)
      let number = String(new.number(of: entity.destination))
      let values = ["Z_PK", number, "Z_OPT"] + columns.map { found[$0.name]?.sql { $0 } ?? "NULL" }
      let statement = try connection.prepare(
        """
        INSERT INTO \(name) (\(names.joined(separator: ", "))) \
        SELECT \(values.joined(separator: ", ")) FROM \(definition.name) \
        WHERE Z_ENT = \(old.number(of: entity.source)) ORDER BY Z_PK
        """
      )
      defer { statement.finalize() }
      try statement.bind(columns.flatMap { found[$0.name]?.values ?? [] })
      try statement.run()
    }
  }

  // MARK: Changed in place

  /// What is done to a table that stays.
  private struct Alteration {
    /// New columns by the old ones that they were.
    var carried: [String: String] = [:]
    var added: [TableDefinition.Column] = []
    /// What is written into the rows of each entity, by column.
    var changes: [(column: String, entity: EntityMapping, source: ColumnSource)] = []
  }

  /// What has to be done to a table; `nil` when it is to be written anew.
  private func planAlteration(
    of definition: TableDefinition,
    into heir: TableDefinition
  ) throws -> Alteration? {
    let entities = entities(of: heir)
    let found = entities.map { sources.sources(of: $0) }
    let types = Dictionary(definition.columns.map { ($0.name, $0.type) }) { first, _ in first }
    var alteration = Alteration()
    for column in heir.columns {
      let carriers = Set(found.compactMap { $0[column.name]?.carrier })
      guard carriers.count <= 1 else { return nil }
      if let carrier = carriers.first {
        guard types[carrier] == column.type,
          alteration.carried.updateValue(column.name, forKey: carrier) == nil
        else { return nil }
      } else {
        alteration.added.append(column)
      }
      for (entity, sources) in zip(entities, found) {
        let source = sources[column.name] ?? .null
        guard !source.isPlain else { continue }
        // A row of an entity without the old attribute has nothing in its column.
        if source.isNull, carriers.isEmpty || !has(carriers.first, entity.source) { continue }
        alteration.changes.append((column.name, entity, source))
      }
    }
    let names =
      alteration.added.map(\.name) + alteration.carried.filter { $0.key != $0.value }.values
    guard alteration.carried.count == definition.columns.count,
      try strangers(in: definition).isDisjoint(with: names)
    else { return nil }
    return alteration
  }

  /// The columns that others have put into a table: one whose name is wanted goes with the table that is written anew.
  private func strangers(in definition: TableDefinition) throws -> Set<String> {
    Set(
      try connection.texts("SELECT UPPER(name) FROM pragma_table_xinfo('\(definition.name)')")
    ).subtracting(definition.columns.map(\.name))
  }

  /// Whether rows of an old entity may have something in a column.
  private func has(_ column: String?, _ entity: Int) -> Bool {
    old.model.entities[entity].slots.indices.contains { slot in
      guard let columns = old.column(of: slot, in: entity) else { return false }
      return [columns.name, columns.entityColumn, columns.orderColumn].contains(column)
    }
  }

  /// - Returns: The table's name for now.
  private func alter(
    _ definition: TableDefinition,
    into heir: TableDefinition,
    _ alteration: Alteration
  ) throws -> String {
    let entities = entities(of: heir)
    var name = definition.name
    let tree = old.model.entities[definition.root].family
    if entities.count < tree.count {
      let list = entities.map { String(old.number(of: $0.source)) }.joined(separator: ", ")
      try connection.execute("DELETE FROM \(name) WHERE Z_ENT NOT IN (\(list))")
    }
    if name != heir.name {
      name = Self.draftName(heir.root)
      try connection.execute("ALTER TABLE \(definition.name) RENAME TO \(name)")
    }
    try renameColumns(alteration.carried, of: name)
    for column in alteration.added {
      try connection.execute("ALTER TABLE \(name) ADD COLUMN \(column.name) \(column.type)")
    }
    try update(name, entities, alteration)
    return name
  }

  /// Renames columns; two may change names.
  private func renameColumns(_ names: [String: String], of table: String) throws {
    let renamed = names.filter { $0.key != $0.value }.sorted { $0.key < $1.key }
    let isSimple = Set(names.keys).isDisjoint(with: renamed.map(\.value))
    func rename(_ column: String, _ name: String) throws {
      try connection.execute("ALTER TABLE \(table) RENAME COLUMN \(column) TO \(name)")
    }
    for (index, (column, name)) in renamed.enumerated() {
      try rename(column, isSimple ? name : "PERENNIAL_\(index)")
    }
    guard !isSimple else { return }
    for (index, (_, name)) in renamed.enumerated() { try rename("PERENNIAL_\(index)", name) }
  }

  /// Writes all that differs in the rows, in one statement.
  private func update(_ table: String, _ entities: [EntityMapping], _ alteration: Alteration) throws
  {
    var assignments: [String] = []
    var values: [SQLValue] = []
    if let number = sources.renumbering(entities.map(\.source), "Z_ENT") {
      assignments.append("Z_ENT = \(number)")
    }
    let isRenumbered = !assignments.isEmpty
    let name = { (column: String) in alteration.carried[column] ?? column }
    var touched: Set<Int> = []
    for (column, changes) in Dictionary(grouping: alteration.changes, by: \.column)
      .sorted(by: { $0.key < $1.key })
    {
      touched.formUnion(changes.map(\.entity.source))
      if entities.count == 1, let change = changes.first {
        assignments.append("\(column) = \(change.source.sql(name))")
        values += change.source.values
        continue
      }
      let cases = changes.map { change in
        "WHEN \(old.number(of: change.entity.source)) THEN \(change.source.sql(name))"
      }
      values += changes.flatMap(\.source.values)
      assignments.append(
        "\(column) = CASE Z_ENT \(cases.joined(separator: " ")) ELSE \(column) END"
      )
    }
    guard !assignments.isEmpty else { return }
    var sql = "UPDATE \(table) SET \(assignments.joined(separator: ", "))"
    if !isRenumbered, touched.count < entities.count {
      let list = touched.sorted().map { String(old.number(of: $0)) }.joined(separator: ", ")
      sql += " WHERE Z_ENT IN (\(list))"
    }
    let statement = try connection.prepare(sql)
    defer { statement.finalize() }
    try statement.bind(values)
    try statement.run()
  }
}
