// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL
import PerennialStore

// Pairs and orders.

extension PostgresSave {
  private static let keyArray = PostgresType.integer.array

  /// Removes the pairs of deleted rows, whichever side of a link they are on.
  mutating func dropLinks(of deletion: ChangeSet.Deletion) throws(PostgresFailure) {
    var keys = PostgresFields()
    keys.append(deletion.rows.lazy.map(\.key))
    for link in schema.model.links {
      for isFirst in [true, false] {
        let entity = isFirst ? link.first.entity : link.second.entity
        guard schema.model.entities[entity].family.contains(deletion.entity) else { continue }
        let join = schema.joinTables[link.index]
        let sql = """
          DELETE FROM \(join.table) WHERE \(join.side(isFirst: isFirst).own) = ANY ($1)
          RETURNING \(join.first.own), \(join.first.other)
          """
        // The pairs of a symmetric link are stored both ways.
        let isNoted = isFirst || !link.isSymmetric
        try pipeline.add(sql, [Self.keyArray], keys) { [log] result throws(PostgresFailure) in
          guard isNoted else { return }
          for pair in Self.pairs(result) { log.recorder.notePair(pair, of: link, isAdded: false) }
        }
      }
    }
  }

  /// Removes and adds pairs; those of a symmetric link both ways.
  mutating func apply(_ change: ChangeSet.LinkChange) throws(PostgresFailure) {
    let join = schema.joinTables[change.link]
    let columns = "\(join.first.own), \(join.first.other)"
    if !change.removed.isEmpty {
      try pipeline.add(
        """
        DELETE FROM \(join.table) AS j USING unnest($1, $2) AS n (a, b)
        WHERE j.\(join.first.own) = n.a AND j.\(join.first.other) = n.b
        RETURNING j.\(join.first.own), j.\(join.first.other)
        """,
        [Self.keyArray, Self.keyArray],
        Self.parameters(change.removed, join),
        noting(change.removed, change, isAdded: false)
      )
    }
    if !change.added.isEmpty {
      try pipeline.add(
        """
        INSERT INTO \(join.table) (\(columns)) SELECT * FROM unnest($1, $2)
        ON CONFLICT DO NOTHING RETURNING \(columns)
        """,
        [Self.keyArray, Self.keyArray],
        Self.parameters(change.added, join),
        noting(change.added, change, isAdded: true)
      )
    }
  }

  /// Notes those of some pairs that a statement has really changed.
  private func noting(
    _ pairs: [ChangeSet.LinkChange.Pair],
    _ change: ChangeSet.LinkChange,
    isAdded: Bool
  ) -> SavePipeline.Answer {
    let link = schema.model.links[change.link]
    return { [log] result throws(PostgresFailure) in
      let changed = Set(Self.pairs(result))
      for pair in pairs where changed.contains(pair) {
        log.recorder.notePair(pair, of: link, isAdded: isAdded)
      }
    }
  }

  private static func pairs(_ result: PostgresResult) -> [ChangeSet.LinkChange.Pair] {
    (0..<result.count).map { row in
      ChangeSet.LinkChange.Pair(first: result.integer(row, 0), second: result.integer(row, 1))
    }
  }

  private static func parameters(
    _ pairs: [ChangeSet.LinkChange.Pair],
    _ join: JoinTable
  ) -> PostgresFields {
    var first = pairs.map(\.first)
    var second = pairs.map(\.second)
    if join.isSymmetric {
      for pair in pairs where pair.first != pair.second {
        first.append(pair.second)
        second.append(pair.first)
      }
    }
    var parameters = PostgresFields()
    parameters.append(first)
    parameters.append(second)
    return parameters
  }
}

// MARK: - Orders

extension PostgresSave {
  /// Writes the orders of members: all are read in one round trip, and written in another.
  mutating func apply(_ orders: [ChangeSet.OrderChange]) throws(PostgresFailure) {
    guard !orders.isEmpty else { return }
    // Of two orders of one owner, each is made of the one before.
    var seen: Set<OrderPlace> = []
    guard orders.allSatisfy({ seen.insert(OrderPlace($0)).inserted }) else {
      for order in orders { try apply([order]) }
      return
    }
    let placed = orders.compactMap { order in
      OrderTable(order.relationship, schema).map { (order: order, table: $0) }
    }
    let stored = Box<[[OrderTable.Member]]>([])
    for (order, table) in placed {
      var owner = PostgresFields()
      owner.append(order.owner)
      try pipeline.add(table.members, [.integer], owner) { result throws(PostgresFailure) in
        stored.value.append(
          (0..<result.count).map { row in
            (result.integer(row, 0), result.isNull(row, 1) ? nil : result.integer(row, 1))
          }
        )
      }
    }
    try pipeline.flush()
    for ((order, table), members) in zip(placed, stored.value) {
      try write(order, table, members)
    }
  }

  private mutating func write(
    _ order: ChangeSet.OrderChange,
    _ table: OrderTable,
    _ stored: [OrderTable.Member]
  ) throws(PostgresFailure) {
    let current = Dictionary(stored.map { ($0.key, $0.number) }) { first, _ in first }
    var seen: Set<Int64> = []
    let named = order.members.filter { current[$0] != nil && seen.insert($0).inserted }
    let members = named + stored.map(\.key).filter { !seen.contains($0) }
    let numbers = OrderNumbers.assign(members.map { current[$0] ?? nil })
    let changed = zip(members, numbers).filter { current[$0.0] != $0.1 }
    guard !changed.isEmpty else { return }
    log.recorder.noteOrder(of: order.relationship, owner: order.owner)
    var parameters = PostgresFields()
    parameters.append(order.owner)
    parameters.append(changed.map(\.0))
    parameters.append(changed.map(\.1))
    try pipeline.add(table.update, [.integer, Self.keyArray, Self.keyArray], parameters)
  }
}

/// An owner's ordered relationship.
private struct OrderPlace: Hashable {
  let relationship: ObjectIdentifier
  let owner: Int64

  init(_ change: ChangeSet.OrderChange) {
    relationship = ObjectIdentifier(change.relationship)
    owner = change.owner
  }
}

/// Where the order of a relationship's members lies.
struct OrderTable {
  typealias Member = (key: Int64, number: Int64?)

  private let table: String
  private let owner: String
  private let member: String
  private let order: String

  /// - Returns: `nil` for a relationship without order.
  init?(_ relationship: RelationshipLayout, _ schema: StoreSchema) {
    if let (table, side) = schema.joinTable(of: relationship) {
      guard let order = side.order else { return nil }
      self.table = table
      owner = side.own
      member = side.other
      self.order = order
    } else {
      guard let column = schema.ownerColumn(of: relationship), let order = column.orderColumn
      else { return nil }
      table = schema.table(of: relationship.destination)
      owner = column.name
      member = schema.rows.key
      self.order = order
    }
  }

  /// The keys and numbers of an owner's members, in their order; its parameter is the owner.
  var members: String {
    """
    SELECT \(member), \(order) FROM \(table) WHERE \(owner) = $1
    ORDER BY \(order) IS NULL, \(order), \(member)
    """
  }

  /// Gives members of an owner new numbers.
  var update: String {
    """
    UPDATE \(table) AS t0 SET \(order) = n.v FROM unnest($2, $3) AS n (k, v)
    WHERE t0.\(owner) = $1 AND t0.\(member) = n.k
    """
  }
}
#endif
