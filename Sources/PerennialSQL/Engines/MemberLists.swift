// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The tables in which a store of a third party keeps lists of members, one for each relationship that has lists.
struct MemberLists: Sendable {
  /// The columns of each of these tables, in quotes.
  let owner: String
  let member: String
  let position: String
  private let tables: [StoreRelationship: String]
  private let inOrder: [(relationship: StoreRelationship, layout: RelationshipLayout)]

  /// The lists of a schema's model, under names that its builder has not given yet.
  init(_ schema: StoreSchema, _ builder: inout SchemaBuilder) {
    owner = schema.names.written("owner_id")
    member = schema.names.written("member_id")
    position = schema.names.written("position")
    inOrder = StoreRelationship.listed(in: schema.model)
    var tables: [StoreRelationship: String] = [:]
    for (relationship, _) in inOrder {
      tables[relationship] = builder.unusedTable(
        schema.names.table(ofLists: relationship.name, of: relationship.entityName)
      )
    }
    self.tables = tables
  }

  /// The table of a relationship's lists, if it has some.
  func table(of relationship: StoreRelationship) -> String? { tables[relationship] }

  /// The statements that make the tables.
  func definitions(_ integer: String) -> [String] {
    inOrder.compactMap { tables[$0.relationship] }.map { table in
      """
      CREATE TABLE \(table) (\(owner) \(integer) NOT NULL, \(member) \(integer) NOT NULL, \
      \(position) \(integer) NOT NULL, PRIMARY KEY (\(owner), \(member)))
      """
    }
  }

  /// A schema in which the pairs of a many-to-many relationship lie in its own table of lists.
  func schema(_ schema: StoreSchema) -> StoreSchema {
    var joins = schema.joinTables
    for (relationship, layout) in inOrder {
      guard let side = layout.side, let table = tables[relationship] else { continue }
      let own = JoinTable.Side(own: owner, other: member, order: nil, table: table)
      joins[side.link] = joins[side.link].replacing(isFirst: side.isFirst, with: own)
    }
    return StoreSchema(
      model: schema.model,
      numbers: schema.numbers,
      definitions: schema.definitions,
      joinTables: joins,
      dialect: schema.dialect,
      names: schema.names
    )
  }
}
