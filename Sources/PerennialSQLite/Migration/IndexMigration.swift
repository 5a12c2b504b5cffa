// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// Drops the indexes and triggers of an old model, and makes those of a new one.
///
/// An index that both have is kept, if no row violates its rule on the way, and if its table and columns have their
/// names afterwards: SQLite lets an index follow whatever is renamed.
struct IndexMigration {
  private let connection: SQLiteConnection
  private let sources: ColumnSources
  private let monitor: MigrationMonitor
  private var old: StoreSchema { sources.old }
  private var new: StoreSchema { sources.new }

  init(_ connection: SQLiteConnection, _ sources: ColumnSources, _ monitor: MigrationMonitor) {
    self.connection = connection
    self.sources = sources
    self.monitor = monitor
  }

  /// Drops what depends on tables: all triggers, full-text tables, and the indexes of the model's tables that are not
  /// kept.
  ///
  /// The file may have full-text tables that the old model does not name: they are no part of its version.
  func dropDependents() throws {
    for name in try connection.texts("SELECT name FROM sqlite_master WHERE type = 'trigger'") {
      try connection.execute("DROP TRIGGER \(name.quotedForSQL)")
    }
    for name in try SchemaCatalogue(connection).textIndexes {
      try connection.execute("DROP TABLE \(name.quotedForSQL)")
    }
    let written = namesOfWrittenConstraints()
    let wanted = Set(SchemaSQL(new).indexes.filter { !written.contains($0.name) }.map(\.sql))
    let tables = Set(old.definitions.map(\.name) + old.joinTables.map(\.table))
    let statement = try connection.prepare(
      "SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    )
    var unwanted: [String] = []
    while try statement.step() {
      let isOfModel = tables.contains(statement.text(2).uppercased())
      if isOfModel, !wanted.contains(statement.text(1)) { unwanted.append(statement.text(0)) }
    }
    statement.finalize()
    for name in unwanted { try connection.execute("DROP INDEX \(name.quotedForSQL)") }
  }

  /// Makes the indexes of relationships that are not there.
  func makeRelationshipIndexes() throws { try make(SchemaSQL(new).relationshipIndexes) }

  /// Makes all others: those that the model declares, and those of its constraints.
  func makeOtherIndexes() throws { try make(SchemaSQL(new).indexes) }

  private func make(_ indexes: [SchemaIndex]) throws {
    let statement = try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    )
    var targets: [String: String] = [:]
    while try statement.step() {
      targets[statement.text(0)] = SchemaIndex.target(ofStatement: statement.text(1))
    }
    statement.finalize()
    for index in indexes where targets[index.name] != index.target {
      if targets[index.name] != nil {
        try connection.execute("DROP INDEX \(index.name.quotedForSQL)")
      }
      try connection.execute(index.sql)
      try monitor.check()
    }
  }

  /// The names of the indexes of constraints whose columns get other values: what is wrong with these is said
  /// when all are there.
  private func namesOfWrittenConstraints() -> Set<String> {
    var names: Set<String> = []
    for entity in new.model.entities {
      for constraint in entity.description.uniquenessConstraints {
        let slots = constraint.compactMap { entity.slotsByName[$0] }
        let columns = Set(slots.compactMap { new.column(of: $0, in: entity.index)?.name })
        let isDerived = slots.contains {
          entity.slots[$0].attribute?.derivationExpression != nil
        }
        if isDerived || writes(columns, ofRoot: entity.root) {
          names.insert(CoreDataNames().constraint(constraint, of: entity))
        }
      }
    }
    return names
  }

  /// Whether some columns get values that they have not had, or an index on them would follow what they are renamed to.
  private func writes(_ columns: Set<String>, ofRoot root: Int) -> Bool {
    let entities = new.model.entities[root].family
      .compactMap { sources.mapping.mapping(ofDestination: $0) }
    // The index of a new table is none that was there: that one follows another table.
    return entities.isEmpty
      || entities.contains { entity in
        old.table(of: entity.source) != new.table(of: entity.destination)
          || sources.sources(of: entity).contains { column, source in
            if columns.contains(column), !source.isPlain, !source.isNull { return true }
            guard let carrier = source.carrier else { return false }
            return carrier != column && columns.contains(carrier)
          }
      }
  }
}
