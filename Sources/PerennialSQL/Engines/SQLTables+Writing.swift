// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
public import PerennialStore

extension SQLTables {
  /// The statements that write a save: for `PersistentStore.save(_:)`, which runs them in one transaction.
  ///
  /// Running them twice has the same effect as running them once.
  ///
  /// ```swift
  /// func save(_ changes: StoreChanges) throws -> [StoreConflict] {
  ///   try connection.transaction {
  ///     let statements = try tables.save(changes) { try members(of: $0, owners: [$1])[$1] ?? [] }
  ///     for statement in statements { try connection.run(statement) }
  ///   }
  ///   return []
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - changes: What changes.
  ///   - list: Returns the stored list of an owner, as ``members(of:owners:)`` gives it; empty when there is none.
  /// - Returns: The statements, in their order.
  /// - Throws: What `list` throws.
  public func save<Failure: Error>(
    _ changes: StoreChanges,
    list: (StoreRelationship, _ owner: Int64) throws(Failure) -> [Int64]
  ) throws(Failure) -> [SQLStatement] {
    var statements: [SQLStatement] = []
    let gone = changes.deletions.map(\.id) + changes.insertions.map(\.id)
    for (table, ids) in Dictionary(grouping: gone, by: \.table).sorted(by: { $0.key < $1.key }) {
      guard let root = schema.model.entitiesByName[table] else { continue }
      for keys in batches(ids.map(\.key)) {
        let rows = schema.dialect.isAmong(schema.rows.key, keys: keys)
        let sql = "DELETE FROM \(schema.table(of: root)) WHERE \(rows.sql)"
        statements.append(statement(sql, rows.bindings))
      }
    }
    statements += changes.insertions.compactMap(insertion)
    statements += changes.updates.compactMap(update)
    var known: [StoreRelationship: [Int64: [Int64]]] = [:]
    for change in changes.members {
      guard let table = lists.table(of: change.relationship) else { continue }
      let old: [Int64]
      if let earlier = known[change.relationship]?[change.owner] {
        old = earlier
      } else {
        old = try list(change.relationship, change.owner)
      }
      let new = change.applied(to: old)
      known[change.relationship, default: [:]][change.owner] = new
      statements += replacement(of: old, by: new, change.owner, in: table)
    }
    return statements
  }

  private func insertion(_ row: StoreRow) -> SQLStatement? {
    guard let index = schema.model.entitiesByName[row.entityName] else { return nil }
    let entity = schema.model.entities[index]
    var columns = schema.rowColumns(of: index)
    var values: [SQLValue] = [.integer(row.id.key)]
    if columns.count > 2 { values.append(.integer(schema.number(of: index))) }
    values.append(.integer(Int64(row.version)))
    for slot in entity.slots.indices {
      append(row.values[entity.slots[slot].name] ?? .null, slot, index, to: &columns, &values)
    }
    let sql = schema.dialect.insertion(
      into: schema.table(of: index),
      columns: columns,
      rows: 1,
      conflict: .fails
    )
    return statement(sql, values)
  }

  private func update(_ update: StoreChanges.Update) -> SQLStatement? {
    guard let index = schema.model.entitiesByName[update.entityName] else { return nil }
    let entity = schema.model.entities[index]
    var columns = [schema.rows.version]
    var values: [SQLValue] = [.integer(Int64(update.version))]
    for slot in entity.slots.indices {
      guard let value = update.values[entity.slots[slot].name] else { continue }
      append(value, slot, index, to: &columns, &values)
    }
    let list = columns.map { "\($0) = ?" }.joined(separator: ", ")
    return statement(
      "UPDATE \(schema.table(of: index)) SET \(list) WHERE \(schema.rows.key) = ?",
      values + [.integer(update.id.key)]
    )
  }

  /// Adds the columns of a property with their values, if it is stored.
  private func append(
    _ value: PropertyValue,
    _ slot: Int,
    _ entity: Int,
    to columns: inout [String],
    _ values: inout [SQLValue]
  ) {
    guard let column = schema.column(of: slot, in: entity) else { return }
    columns.append(column.name)
    values.append(SQLValue(storing: value, in: schema.model.entities[entity].slots[slot]))
    guard let name = column.entityColumn else { return }
    columns.append(name)
    if case .objectID(let id) = value, let target = schema.model.entitiesByName[id.entityName] {
      values.append(.integer(schema.number(of: target)))
    } else {
      values.append(.null)
    }
  }

  /// The statements that put a list in the place of another: what is the same at the beginning stays.
  private func replacement(
    of old: [Int64],
    by new: [Int64],
    _ owner: Int64,
    in table: String
  ) -> [SQLStatement] {
    let same = zip(old, new).prefix { $0 == $1 }.count
    var statements: [SQLStatement] = []
    if old.count > same || new.count > same {
      let sql =
        "DELETE FROM \(table) WHERE \(lists.owner) = ? AND \(lists.position) >= ?"
      statements.append(statement(sql, [.integer(owner), .integer(Int64(same))]))
    }
    let insertion = schema.dialect.insertion(
      into: table,
      columns: [lists.owner, lists.member, lists.position],
      rows: 1,
      conflict: .fails
    )
    for (place, member) in new.enumerated().dropFirst(same) {
      statements.append(
        statement(insertion, [.integer(owner), .integer(member), .integer(Int64(place))])
      )
    }
    return statements
  }
}

// MARK: - Keys and metadata

extension SQLTables {
  /// The statements that reserve keys of a table: for `PersistentStore.reserveKeys(_:of:)`, which runs them in one
  /// transaction, in which nobody else can change the counter between the two.
  ///
  /// - Parameters:
  ///   - count: How many keys.
  ///   - table: The name of the root entity.
  /// - Returns: The statement that changes the counter, and the one that then gives the last of the keys.
  /// - Throws: `unknownName` (200003) for a name that the model does not have.
  public func reservation(
    of count: Int,
    keysOf table: String
  ) throws(PerennialError) -> (change: SQLStatement, last: SQLStatement) {
    let names = schema.names.counters
    let root = try schema.model.entity(named: table).root
    let number = schema.number(of: root)
    let change = schema.dialect.keyReservation(
      of: schema.table(of: root),
      key: schema.rows.key,
      number: number,
      in: names
    )
    let last = "SELECT \(names.greatest) FROM \(names.table) WHERE \(names.entity) = \(number)"
    return (statement(change, [.integer(Int64(count))]), statement(last))
  }

  /// The statement that gives the metadata: for `PersistentStore.open(_:)`, where the table exists.
  ///
  /// ``metadata(_:)`` reads the one column of its result.
  public var metadataQuery: SQLStatement {
    let names = schema.names.metadata
    return statement("SELECT \(names.propertyList) FROM \(names.table)")
  }

  /// Reads the metadata in the column that ``metadataQuery`` gives.
  ///
  /// - Parameter value: The value of the column.
  /// - Returns: The metadata.
  /// - Throws: `persistentStoreOpen` (134080) when the value has none.
  public func metadata(_ value: SQLValue) throws(PerennialError) -> PersistentStoreMetadata {
    guard case .blob(let data) = value,
      let metadata = try? JSONDecoder().decode(PersistentStoreMetadata.self, from: data)
    else {
      throw PerennialError(
        .persistentStoreOpen,
        "The table of metadata has no row that can be read.",
        recovery: "restore the store from a copy; nothing was changed"
      )
    }
    return metadata
  }

  /// The statements that replace the metadata: for `PersistentStore.write(_:)`, which runs them in one transaction.
  ///
  /// - Parameter metadata: The metadata.
  /// - Returns: The statements.
  /// - Throws: `persistentStoreSave` (134030) when the metadata have a value that cannot be written, such as an
  ///   infinite number.
  public func write(
    _ metadata: PersistentStoreMetadata
  ) throws(PerennialError) -> [SQLStatement] {
    let names = schema.names.metadata
    let data: Data
    do {
      data = try JSONEncoder().encode(metadata)
    } catch {
      throw PerennialError(
        .persistentStoreSave,
        "The metadata have a value that cannot be written.",
        recovery: "take it out of the metadata",
        underlying: error
      )
    }
    return [
      statement("DELETE FROM \(names.table)"),
      statement(
        "INSERT INTO \(names.table) (\(names.version), \(names.propertyList)) VALUES (1, ?)",
        [.blob(data)]
      ),
    ]
  }
}
