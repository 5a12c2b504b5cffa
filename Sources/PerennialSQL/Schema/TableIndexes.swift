// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The indexes of a store's tables, as Core Data has them (FORMAT 2.7).
package struct TableIndexes {
  private let schema: StoreSchema
  private var model: ModelLayout { schema.model }
  private var dialect: any SQLDialect { schema.dialect }
  private var names: any SchemaNames { schema.names }

  /// The indexes of a store.
  package init(_ schema: StoreSchema) { self.schema = schema }

  /// All indexes, under names that nothing else in the store has.
  ///
  /// An attribute that is called indexed and has a fetch index of the same name has one index.
  package var all: [TableIndex] {
    let tables = (schema.definitions.map(\.name) + schema.joinTables.map(\.table))
      .map(names.unwritten)
    var taken = Set((tables + tables.flatMap(names.indexNames)).map { $0.uppercased() })
    var made: Set<TableIndex> = []
    return (relationships + fetches + constraints)
      .filter { made.insert($0).inserted }.map { $0.named(apartFrom: &taken, names, dialect) }
  }

  /// The indexes of to-one columns, of the entities of rows, and of join tables the other way round.
  package var relationships: [TableIndex] {
    var indexes: [TableIndex] = []
    func add(_ table: String, _ columns: String...) {
      let name = dialect.name(
        names.index(ofTable: names.unwritten(table), names.unwritten(columns[0]))
      )
      indexes.append(TableIndex(.relationship, name, on: table, columns.map { .init($0) }))
    }
    for definition in schema.definitions {
      let root = model.entities[definition.root]
      let slots = root.family.flatMap { entity in
        model.entities[entity].slots.filter { $0.entity == entity && $0.relationship != nil }
      }
      for column in slots.compactMap({ definition.columns(of: $0)?.name }).sorted() {
        add(definition.name, column)
      }
      if root.family.count > 1 { add(definition.name, schema.rows.entity) }
    }
    for join in schema.joinTables { add(join.table, join.first.other, join.first.own) }
    return indexes
  }

  /// Every fetch index, once for its entity and once for each subentity that has none of that name
  /// itself.
  package var fetches: [TableIndex] {
    model.entities.flatMap { owner in
      owner.description.indexes.flatMap { index in
        owner.family.compactMap { entity in
          hasNearer(index, of: owner, at: entity)
            ? nil
            : makeIndex(
              .fetch,
              names.index(index.name, of: model.entities[entity]),
              entity: owner,
              elements: index.elements,
              condition: PartialIndex(schema).condition(of: index, of: owner)
            )
        }
      }
    }
  }

  /// Whether an entity, or one between it and the owner, has an index of its own of that name.
  private func hasNearer(
    _ index: FetchIndexDescription,
    of owner: EntityLayout,
    at entity: Int
  ) -> Bool {
    var place: Int? = entity
    while let next = place, next != owner.index {
      if model.entities[next].description.indexes.contains(where: { $0.name == index.name }) {
        return true
      }
      place = model.entities[next].superentity
    }
    return false
  }

  /// The indexes of uniqueness constraints.
  package var constraints: [TableIndex] {
    model.entities.flatMap { entity in
      entity.description.uniquenessConstraints.compactMap { properties in
        makeIndex(
          .uniqueness,
          names.constraint(properties, of: entity),
          entity: entity,
          elements: properties.map { FetchIndexDescription.Element($0) }
        )
      }
    }
  }

  /// An index of an entity's attributes; `nil` when none of them is in an ordinary index.
  private func makeIndex(
    _ kind: TableIndex.Kind,
    _ name: String,
    entity: EntityLayout,
    elements: [FetchIndexDescription.Element],
    condition: String? = nil
  ) -> TableIndex? {
    let columns = elements.compactMap { element -> TableIndex.Column? in
      guard element.type == .binary, let slot = entity.slotsByName[element.property],
        let column = schema.column(of: slot, in: entity.index)
      else { return nil }
      return .init(column.name, isAscending: element.isAscending)
    }
    guard !columns.isEmpty else { return nil }
    return TableIndex(
      kind,
      dialect.name(name),
      on: schema.table(of: entity.index),
      columns,
      condition: condition
    )
  }
}
