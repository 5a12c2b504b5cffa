// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// The names that a model's entities, slots and links have in a store.
///
/// Everything that makes SQL asks here: no other file knows how a name is made.
package final class StoreSchema: Sendable {
  package let model: ModelLayout
  /// How the store's engine writes what is said with these names.
  package let dialect: any SQLDialect
  /// How its names are made.
  package let names: any SchemaNames
  /// The columns of every row.
  package let rows: RowNames
  /// Whether a text in the store may contain NUL.
  let takesNUL: Bool
  /// The numbers of the entities in the store (``RowNames/entity``), by place.
  package let numbers: [Int64]
  /// The table of each entity: that of its root.
  private let tables: [String]
  /// The columns of each entity's slots; `nil` for a transient one.
  private let columns: [[SlotColumn?]]
  private let kinds: [[ColumnKind?]]
  /// The tables of the links, by number.
  package let joinTables: [JoinTable]
  /// The tables with their columns in order, one for each root.
  package let definitions: [TableDefinition]
  private let places: [Int64: Int]

  package init(
    model: ModelLayout,
    numbers: [Int64],
    definitions: [TableDefinition],
    joinTables: [JoinTable],
    dialect: any SQLDialect,
    names: any SchemaNames = CoreDataNames()
  ) {
    self.dialect = dialect
    self.names = names
    rows = names.rows
    takesNUL = dialect.limits.takesNUL
    self.model = model
    self.numbers = numbers
    self.definitions = definitions
    self.joinTables = joinTables
    let byRoot = Dictionary(uniqueKeysWithValues: definitions.map { ($0.root, $0) })
    tables = model.entities.map { byRoot[$0.root]?.name ?? "" }
    columns = model.entities.map { entity in
      entity.slots.map { byRoot[entity.root]?.columns(of: $0) }
    }
    kinds = columns.map { $0.map { $0?.kind } }
    places = Dictionary(zip(numbers, numbers.indices)) { first, _ in first }
  }

  /// The table that holds the rows of an entity.
  package func table(of entity: Int) -> String { tables[entity] }

  /// The number of an entity in the store: the value of ``RowNames/entity``.
  package func number(of entity: Int) -> Int64 { numbers[entity] }

  /// The entity of a number, or `nil` when the model has none.
  package func entity(ofNumber number: Int64) -> Int? { places[number] }

  /// The columns of a slot, or `nil` when it is transient.
  package func column(of slot: Int, in entity: Int) -> SlotColumn? { columns[entity][slot] }

  /// The column of a to-one relationship; `NULL` for one that leads to many.
  package func columnName(of relationship: RelationshipLayout) -> String {
    guard case .slot(let slot) = relationship.place else { return "NULL" }
    return column(of: slot, in: relationship.entity)?.name ?? "NULL"
  }

  /// What kind of column holds a slot, or `nil` when it is transient.
  package func kind(of slot: Int, in entity: Int) -> ColumnKind? { kinds[entity][slot] }

  /// Whether no two rows have the same value in a slot.
  package func isUnique(_ slot: Int, in entity: Int) -> Bool {
    model.entities[entity].constraints.contains { $0.count == 1 && $0[0] == slot }
  }

  /// A many-to-many relationship's view of its table, or `nil` for another kind.
  package func joinTable(of relationship: RelationshipLayout) -> (
    table: String, side: JoinTable.Side
  )? {
    guard let side = relationship.side else { return nil }
    let join = joinTables[side.link]
    let view = join.side(isFirst: side.isFirst)
    return (view.table ?? join.table, view)
  }

  /// The column in the destination's table that holds the owner of a one-to-many relationship.
  package func ownerColumn(of relationship: RelationshipLayout) -> SlotColumn? {
    guard let inverse = relationship.inverse, case .slot(let slot) = inverse.place else {
      return nil
    }
    return column(of: slot, in: inverse.entity)
  }

  /// Whether every row that a query of an entity selects is of just that entity.
  package func isOfOneEntity(_ entity: Int, includesSubentities: Bool) -> Bool {
    !includesSubentities || model.entities[entity].family.count == 1
  }

  /// The condition that keeps other entities of the same table out, or `nil` when none is needed.
  package func entityCondition(_ entity: Int, includesSubentities: Bool, alias: String) -> String? {
    let layout = model.entities[entity]
    let family = includesSubentities ? layout.family : entity..<entity + 1
    guard family != model.entities[layout.root].family else { return nil }
    let list = family.map { String(numbers[$0]) }.joined(separator: ", ")
    return family.count == 1
      ? "\(alias).\(rows.entity) = \(list)" : "\(alias).\(rows.entity) IN (\(list))"
  }

  /// Whether the table of an entity has the column of the entity's number.
  package func hasEntityColumn(_ entity: Int) -> Bool {
    let root = model.entities[entity].root
    return rows.hasEntityEverywhere || model.entities[root].family.count > 1
  }

  /// The number of a row's entity in SQL: its column, or the number itself where there is only one.
  package func entityNumber(of entity: Int, alias: String) -> String {
    hasEntityColumn(entity) ? "\(alias).\(rows.entity)" : String(numbers[entity])
  }

  /// The columns that rows of an entity have besides those of its slots.
  package func rowColumns(of entity: Int) -> [String] {
    rows.columns(hasSubentities: hasEntityColumn(entity))
  }
}
