// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL

/// The statements that make a store's tables and indexes, word for word as Core Data's stores have
/// them (FORMAT 2.1, 2.4, 2.5, 2.7).
struct SchemaSQL {
  private let schema: StoreSchema
  private var model: ModelLayout { schema.model }

  init(_ schema: StoreSchema) { self.schema = schema }

  /// The tables: each root's, then those of the links that it names; last the fixed ones.
  var tables: [String] {
    let links = Dictionary(grouping: model.links) { model.entities[$0.first.entity].root }
    return schema.definitions.flatMap { definition in
      [Self.sql(of: definition, named: definition.name)]
        + links[definition.root, default: []]
        .map { schema.joinTables[$0.index] }.map { Self.sql(of: $0, named: $0.table) }
    } + Self.fixedTables
  }

  static let fixedTables = [
    "CREATE TABLE Z_PRIMARYKEY "
      + "(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
  ]

  /// All indexes, under names that nothing else in the store has.
  ///
  /// An attribute that is called indexed and has a fetch index of the same name has one index.
  var indexes: [SchemaIndex] {
    var taken = Set((schema.definitions.map(\.name) + schema.joinTables.map(\.table)))
    var made: Set<SchemaIndex> = []
    return (relationshipIndexes + fetchIndexes + uniqueIndexes)
      .filter { made.insert($0).inserted }.map { $0.named(apartFrom: &taken) }
  }

  static func sql(of definition: TableDefinition, named name: String) -> String {
    let columns =
      ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
      + definition.columns.map { "\($0.name) \($0.type)" }
    return "CREATE TABLE \(name) ( \(columns.joined(separator: ", ")) )"
  }

  static func sql(of join: JoinTable, named name: String) -> String {
    var columns = [join.first.own, join.first.other]
    columns += [join.first.order, join.second.order].compactMap(\.self)
    let list = columns.map { "\($0) INTEGER" }.joined(separator: ", ")
    return
      "CREATE TABLE \(name) ( \(list), PRIMARY KEY (\(join.first.own), \(join.first.other)) )"
  }

  /// The indexes of to-one columns, of `Z_ENT`, and of join tables the other way round.
  var relationshipIndexes: [SchemaIndex] {
    var indexes: [SchemaIndex] = []
    for definition in schema.definitions {
      let table = definition.name
      let root = model.entities[definition.root]
      let slots = root.family.flatMap { entity in
        model.entities[entity].slots.filter { $0.entity == entity && $0.relationship != nil }
      }
      for column in slots.compactMap({ definition.columns(of: $0)?.name }).sorted() {
        indexes.append(SchemaIndex("\(table)_\(column)_INDEX", on: "\(table) (\(column))"))
      }
      if root.family.count > 1 {
        indexes.append(SchemaIndex("\(table)_Z_ENT_INDEX", on: "\(table) (Z_ENT)"))
      }
    }
    for join in schema.joinTables {
      let name = "\(join.table)_\(join.first.other)_INDEX"
      let columns = "\(join.first.other), \(join.first.own)"
      indexes.append(SchemaIndex(name, on: "\(join.table) (\(columns))"))
    }
    return indexes
  }

  /// Every fetch index, once for its entity and once for each subentity that has none of that name
  /// itself.
  var fetchIndexes: [SchemaIndex] {
    model.entities.flatMap { owner in
      owner.description.indexes.flatMap { index in
        owner.family.compactMap { entity in
          hasNearer(index, of: owner, at: entity)
            ? nil
            : makeIndex(
              "Z_\(model.entities[entity].name)_\(index.name)",
              isUnique: false,
              entity: owner,
              elements: index.elements,
              condition: PartialIndex(schema).clause(index, of: owner)
            )
        }
      }
    }
  }

  /// The full-text indexes, in the order of their names.
  var fullTextIndexes: [FullTextIndex] {
    let indexes = model.entities.flatMap { entity in
      entity.description.indexes.flatMap(\.elements).compactMap { element -> FullTextIndex? in
        guard element.type == .fullText, let slot = entity.slotsByName[element.property],
          let column = schema.column(of: slot, in: entity.index)
        else { return nil }
        return FullTextIndex(table: schema.table(of: entity.index), column: column.name)
      }
    }
    return Set(indexes).sorted { $0.name < $1.name }
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

  private var uniqueIndexes: [SchemaIndex] {
    model.entities.flatMap { entity in
      entity.description.uniquenessConstraints.compactMap { names in
        makeIndex(
          Self.nameOfUniqueIndex(entity, names),
          isUnique: true,
          entity: entity,
          elements: names.map { FetchIndexDescription.Element($0) }
        )
      }
    }
  }

  /// The name of a uniqueness constraint's index.
  static func nameOfUniqueIndex(_ entity: EntityLayout, _ properties: [String]) -> String {
    "Z_\(entity.name)_UNIQUE_\(properties.joined(separator: "_"))".withoutDots
  }

  private func makeIndex(
    _ name: String,
    isUnique: Bool,
    entity: EntityLayout,
    elements: [FetchIndexDescription.Element],
    condition: String = ""
  ) -> SchemaIndex? {
    let columns = elements.compactMap { element -> String? in
      guard element.type == .binary, let slot = entity.slotsByName[element.property],
        let column = schema.column(of: slot, in: entity.index)
      else { return nil }
      return "\(column.name) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
    }
    guard !columns.isEmpty else { return nil }
    let table = schema.table(of: entity.index)
    return SchemaIndex(
      name.withoutDots,
      isUnique: isUnique,
      on: "\(table) (\(columns.joined(separator: ", ")))\(condition)"
    )
  }
}
