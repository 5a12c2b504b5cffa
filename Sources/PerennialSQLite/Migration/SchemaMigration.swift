// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// Makes the tables of a draft fit another model, by SQL.
///
/// Keys stay: objects keep their identity, and relationships need no translation. What a step leaves half done
/// is of no use, so nothing is journaled: the draft is thrown away then.
struct SchemaMigration {
  let connection: SQLiteConnection
  let names: StoreNames
  let mapping: ModelMapping
  let monitor: MigrationMonitor
  private let old: StoreSchema
  private let new: StoreSchema

  init(
    _ connection: SQLiteConnection,
    _ names: StoreNames,
    _ mapping: ModelMapping,
    _ monitor: MigrationMonitor
  ) throws {
    self.connection = connection
    self.names = names
    self.mapping = mapping
    self.monitor = monitor
    guard let schema = try StoreSchema.stored(on: connection, mapping.source) else {
      throw PerennialError.incompatible(names.name, mapping.source.entities.map(\.name))
    }
    old = schema
    var builder = SchemaBuilder(model: mapping.destination)
    new = builder.build()
  }

  func run() throws {
    try connection.begin(monitor.cancellation)
    defer { connection.end(monitor.cancellation) }
    try checkHierarchies()
    try connection.execute("BEGIN")
    let sources = ColumnSources(mapping: mapping, old: old, new: new)
    let indexes = IndexMigration(connection, sources, monitor)
    try indexes.dropDependents()
    let views = try StoredViews(takenOutOn: connection)
    try numberStrays()
    try checkAbstractEntities()
    let counts = try ObjectCounts(connection, old)
    let largeValues = LargeValues(connection, names, mapping, old, new)
    try largeValues.inline()
    let links = LinkMigration(connection: connection, mapping: mapping, old: old, new: new)
    try links.prepare()
    try TableMigration(connection, sources).run { try monitor.check() }
    try links.finish()
    try numberMembers()
    try HistoryMigration(connection: connection, mapping: mapping, old: old, new: new).run()
    // What is computed of other objects is computed by way of relationships.
    try indexes.makeRelationshipIndexes()
    try DerivedColumns(connection: connection, sources: sources, largeValues: largeValues).compute()
    try writePrimaryKeys()
    try counts.check(ObjectCounts(connection, new), mapping, old, new)
    try checkConstraints()
    try indexes.makeOtherIndexes()
    try writeMetadata()
    try views.putBack()
    try connection.execute("COMMIT")
  }

  // MARK: Checks

  private func checkHierarchies() throws {
    for entity in mapping.destination.entities where entity.superentity == nil {
      let roots = mapping.sourceRoots(ofRoot: entity.index)
      guard roots.count > 1 else { continue }
      throw PerennialError.mergedHierarchies(entity)
    }
  }

  private func checkAbstractEntities() throws {
    guard !mapping.keepsAbstractObjects else { return }
    for entity in mapping.entities
    where mapping.destination.entities[entity.destination].description.isAbstract {
      let table = old.table(of: entity.source)
      let number = old.number(of: entity.source)
      let counts = try connection.integers("SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(number)")
      guard let count = counts.first, count > 0 else { continue }
      throw PerennialError.cannotBeAbstract(
        mapping.destination.entities[entity.destination],
        count: Int(count)
      )
    }
  }

  /// Looks for objects that share the values of a constraint.
  private func checkConstraints() throws {
    for root in new.model.entities where root.superentity == nil {
      for constraint in TableConstraint.all(of: root, in: new.model) {
        // Of an inherited attribute, an index also holds for the objects of the entity that declares it.
        let entity = new.model.entities[constraint.entities.lowerBound]
        let columns = constraint.slots.compactMap { new.column(of: $0, in: constraint.owner)?.name }
        guard columns.count == constraint.slots.count else { continue }
        let list = columns.joined(separator: ", ")
        let filled = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let counts = try connection.integers(
          """
          SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM \(new.table(of: entity.index)) \
          WHERE \(filled) GROUP BY \(list) HAVING COUNT(*) > 1)
          """
        )
        guard let count = counts.first, count > 0 else { continue }
        let names = constraint.slots.map { entity.slots[$0].name }
        throw PerennialError.migrationConstraintViolation(entity, names, count: Int(count))
      }
    }
  }

  // MARK: Rows of the store's own

  /// Gives rows of no entity of their table the number of its first one: as such they are read.
  private func numberStrays() throws {
    for definition in old.definitions {
      let numbers = old.model.entities[definition.root].family.map { String(old.number(of: $0)) }
      try connection.execute(
        """
        UPDATE \(definition.name) SET Z_ENT = \(old.number(of: definition.root)) \
        WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers.joined(separator: ", ")))
        """
      )
    }
  }

  /// Gives members of relationships that are ordered now their places: as objects were made.
  private func numberMembers() throws {
    for entity in mapping.entities {
      for (place, slot) in new.model.entities[entity.destination].slots.enumerated()
      where slot.entity == entity.destination || mapping.sources[slot.entity] == nil {
        guard let origin = entity.slots[place],
          let column = new.column(of: place, in: entity.destination),
          let order = column.orderColumn,
          old.column(of: origin, in: entity.source)?.orderColumn == nil
        else { continue }
        let table = new.table(of: entity.destination)
        try connection.execute(
          """
          UPDATE \(table) SET \(order) = numbered.place FROM (SELECT Z_PK AS key, \
          1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY \(column.name) ORDER BY Z_PK) AS place \
          FROM \(table) WHERE \(column.name) IS NOT NULL) AS numbered \
          WHERE numbered.key = \(table).Z_PK
          """
        )
      }
    }
  }

  /// Numbers the entities anew; the greatest keys go over to the new roots.
  private func writePrimaryKeys() throws {
    var greatest: [Int64: Int64] = [:]
    let read = try connection.prepare("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
    while try read.step() { greatest[read.integer(0)] = read.integer(1) }
    read.finalize()
    try connection.execute(
      "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(HistoryTables.Number.first)"
    )
    let row = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)")
    defer { row.finalize() }
    for entity in new.model.entities {
      let source = entity.superentity == nil ? mapping.sourceRoots(ofRoot: entity.index).first : nil
      try row.bind([
        .integer(new.number(of: entity.index)), .text(entity.name),
        .integer(entity.superentity.map(new.number) ?? 0),
        .integer(source.flatMap { greatest[old.number(of: $0)] } ?? 0),
      ])
      try row.run()
    }
  }

  private func writeMetadata() throws {
    let table = MetadataTable(connection)
    guard var metadata = try table.read() else {
      throw PerennialError.withoutMetadata(names.name)
    }
    metadata.setModel(new.model)
    try table.write(metadata, isNew: false)
    // Core Data's copy of the old model.
    let caches = try connection.texts(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE'"
    )
    if !caches.isEmpty { try connection.execute("DELETE FROM Z_MODELCACHE") }
  }
}
