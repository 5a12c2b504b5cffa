// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// Makes the join tables of a new model of whatever held the pairs before.
///
/// A table that held just these pairs is kept, under another name if need be. Pairs that lay in a column, or
/// in a table of another shape, are copied while the old tables are still there.
struct LinkMigration {
  let connection: SQLiteConnection
  let mapping: ModelMapping
  let old: StoreSchema
  let new: StoreSchema

  /// An old relationship that pairs come from.
  private struct Origin {
    let relationship: RelationshipLayout
    /// The old entities whose pairs they are.
    var owners: Set<Int>
    /// Whether its owners are the second objects of the new pairs.
    let isReversed: Bool
  }

  private func draftName(_ link: LinkLayout) -> String { "PERENNIAL_LINK_\(link.index)" }

  /// Makes all join tables under names of their own, and drops the old ones.
  ///
  /// Copies come first: pairs of a table that is kept for one link may be copied for another one, too.
  func prepare() throws {
    var kept: Set<Int> = []
    var keepers: [(table: Int, link: LinkLayout)] = []
    for link in new.model.links {
      let origins = origins(of: link)
      if let table = try keepable(link, origins), kept.insert(table).inserted {
        keepers.append((table, link))
      } else {
        try copy(link, origins)
      }
    }
    for (table, link) in keepers { try keep(old.joinTables[table], for: link) }
    for (index, join) in old.joinTables.enumerated() where !kept.contains(index) {
      try connection.execute("DROP TABLE \(join.table)")
    }
  }

  /// Gives the tables their names.
  func finish() throws {
    for link in new.model.links {
      let join = new.joinTables[link.index]
      try connection.execute("ALTER TABLE \(draftName(link)) RENAME TO \(join.table)")
      try removeDangling(join, link)
    }
  }

  /// Deletes the pairs of objects that are gone with their entity, or that the relationship cannot lead to any more.
  private func removeDangling(_ join: JoinTable, _ link: LinkLayout) throws {
    for (column, entity) in [
      (join.first.own, link.first.entity), (join.first.other, link.second.entity),
    ] where hasLosses(entity) {
      let family = new.model.entities[entity].family.map { String(new.number(of: $0)) }
      try connection.execute(
        """
        DELETE FROM \(join.table) WHERE \(column) NOT IN (SELECT Z_PK FROM \(new.table(of: entity)) \
        WHERE Z_ENT IN (\(family.joined(separator: ", "))))
        """
      )
    }
  }

  /// Whether objects of the old tree of a new entity are not of its family any more.
  private func hasLosses(_ entity: Int) -> Bool {
    let root = new.model.entities[entity].root
    return mapping.sourceRoots(ofRoot: root).contains { source in
      old.model.entities[source].family.contains { place in
        guard let destination = mapping.destinations[place] else { return true }
        return !new.model.entities[entity].family.contains(destination)
      }
    }
  }

  // MARK: Origins

  /// Where the pairs of a link come from: its first relationship, or else its second.
  private func origins(of link: LinkLayout) -> [Origin] {
    let first = origins(of: link.first.name, of: link.first.entity, isReversed: false)
    guard first.isEmpty, let name = link.second.name else { return first }
    return origins(of: name, of: link.second.entity, isReversed: true)
  }

  private func origins(of name: String, of owner: Int, isReversed: Bool) -> [Origin] {
    var origins: [Origin] = []
    for destination in new.model.entities[owner].family {
      guard let entity = mapping.mapping(ofDestination: destination),
        let place = new.model.entities[destination].toManysByName[name],
        let relationship = entity.toManys[place]
      else { continue }
      if let index = origins.firstIndex(where: {
        $0.relationship.entity == relationship.entity && $0.relationship.name == relationship.name
      }) {
        origins[index].owners.insert(entity.source)
      } else {
        origins.append(
          Origin(relationship: relationship, owners: [entity.source], isReversed: isReversed)
        )
      }
    }
    return origins
  }

  /// The number of the old table that holds just the pairs of a link, in the same columns.
  private func keepable(_ link: LinkLayout, _ origins: [Origin]) throws -> Int? {
    guard origins.count == 1, let origin = origins.first, let side = origin.relationship.side,
      side.isFirst != origin.isReversed,
      origin.owners == family(of: origin.relationship)
    else { return nil }
    let before = old.model.links[side.link]
    guard before.isSymmetric == link.isSymmetric, before.first.isOrdered == link.first.isOrdered,
      before.second.isOrdered == link.second.isOrdered,
      try isKeyedByOwner(old.joinTables[side.link])
    else { return nil }
    return side.link
  }

  /// Whether the primary key begins with the first relationship's owner; the new index begins with the other one.
  ///
  /// In a file of Core Data, either side may have named the table.
  private func isKeyedByOwner(_ join: JoinTable) throws -> Bool {
    try connection.texts(
      "SELECT UPPER(name) FROM pragma_table_info('\(join.table)') WHERE pk = 1"
    ) == [join.first.own]
  }

  private func family(of relationship: RelationshipLayout) -> Set<Int> {
    Set(old.model.entities[relationship.entity].family)
  }

  // MARK: Tables

  private func keep(_ table: JoinTable, for link: LinkLayout) throws {
    let join = new.joinTables[link.index]
    let name = draftName(link)
    try connection.execute("ALTER TABLE \(table.table) RENAME TO \(name)")
    let columns = [
      (table.first.own, join.first.own), (table.first.other, join.first.other),
      (table.first.order, join.first.order), (table.second.order, join.second.order),
    ]
    var pending: [(String, String)] = []
    for (index, (before, after)) in columns.enumerated() {
      guard let before, let after, before != after else { continue }
      try connection.execute("ALTER TABLE \(name) RENAME COLUMN \(before) TO PERENNIAL_\(index)")
      pending.append(("PERENNIAL_\(index)", after))
    }
    for (before, after) in pending {
      try connection.execute("ALTER TABLE \(name) RENAME COLUMN \(before) TO \(after)")
    }
  }

  private func copy(_ link: LinkLayout, _ origins: [Origin]) throws {
    let join = new.joinTables[link.index]
    let name = draftName(link)
    try connection.execute(SchemaSQL.sql(of: join, named: name))
    for origin in origins {
      try insert(origin, into: name, join, link, isMirrored: false)
      if link.isSymmetric, !isSymmetric(origin) {
        try insert(origin, into: name, join, link, isMirrored: true)
      }
    }
  }

  private func isSymmetric(_ origin: Origin) -> Bool {
    origin.relationship.side.map { old.model.links[$0.link].isSymmetric } ?? false
  }

  private func insert(
    _ origin: Origin,
    into name: String,
    _ join: JoinTable,
    _ link: LinkLayout,
    isMirrored: Bool
  ) throws {
    guard let pairs = pairs(of: origin) else { return }
    let isReversed = origin.isReversed != isMirrored
    let (first, second) = isReversed ? ("member", "owner") : ("owner", "member")
    var columns = [join.first.own, join.first.other]
    var values = [first, second]
    // The places of the second objects among those of the first, and the other way round.
    for (order, owner, member, carried) in [
      (join.first.order, first, second, isReversed ? "back" : "place"),
      (join.second.order, second, first, isReversed ? "place" : "back"),
    ] {
      guard let order else { continue }
      columns.append(order)
      // Members without a place come last, as they are read.
      let places = "\(carried) IS NULL, \(carried), \(member)"
      values.append(
        "1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY \(owner) ORDER BY \(places))"
      )
    }
    try connection.execute(
      """
      INSERT OR IGNORE INTO \(name) (\(columns.joined(separator: ", "))) \
      SELECT \(values.joined(separator: ", ")) FROM (\(pairs))
      """
    )
  }

  /// The pairs of an old relationship: `owner`, `member`, the member's `place` among the owner's, and the
  /// owner's among the member's (`back`).
  private func pairs(of origin: Origin) -> String? {
    let relationship = origin.relationship
    let numbers = origin.owners.sorted().map { String(old.number(of: $0)) }.joined(separator: ", ")
    let isWhole = origin.owners == family(of: relationship)
    let table = old.table(of: relationship.entity)
    if case .slot(let slot) = relationship.place {
      guard let column = old.column(of: slot, in: relationship.entity) else { return nil }
      return """
        SELECT Z_PK AS owner, \(column.name) AS member, NULL AS place, \
        \(column.orderColumn ?? "NULL") AS back FROM \(table) \
        WHERE \(column.name) IS NOT NULL AND Z_ENT IN (\(numbers))
        """
    }
    let owned = isWhole ? "" : " IN (SELECT Z_PK FROM \(table) WHERE Z_ENT IN (\(numbers)))"
    if let (join, side) = old.joinTable(of: relationship) {
      let back =
        old.joinTables.first { $0.table == join }
        .map { $0.first.own == side.own ? $0.second.order : $0.first.order } ?? nil
      return """
        SELECT \(side.own) AS owner, \(side.other) AS member, \(side.order ?? "NULL") AS place, \
        \(back ?? "NULL") AS back FROM \(join)\(isWhole ? "" : " WHERE \(side.own)\(owned)")
        """
    }
    guard let column = old.ownerColumn(of: relationship) else { return nil }
    let condition = isWhole ? " IS NOT NULL" : owned
    return """
      SELECT \(column.name) AS owner, Z_PK AS member, \(column.orderColumn ?? "NULL") AS place, \
      NULL AS back FROM \(old.table(of: relationship.destination)) WHERE \(column.name)\(condition)
      """
  }
}
