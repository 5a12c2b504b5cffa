// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// What one attempt to save tells the history.
///
/// It is told what is written while it is written, and writes the history last, in the same
/// transaction: a save that fails has none.
struct SaveHistory {
  let connection: SQLiteConnection
  let schema: StoreSchema
  let plans: [RowPlan]
  let tables: HistoryTables
  let store: UUID
  let recorder: HistoryRecorder

  /// Notes new and changed rows, and reads what will be replaced.
  ///
  /// - Parameters:
  ///   - changes: What will be written.
  ///   - settled: The rows that an earlier attempt has written.
  /// - Throws: What could not be read.
  func begin(_ changes: ChangeSet, _ settled: SettledRows) throws(SQLiteFailure) {
    for insertion in changes.insertions {
      recorder.noteInsertion(
        of: insertion.entity,
        keys(insertion.pages, of: insertion.entity, without: settled)
      )
    }
    for update in changes.updates {
      let keys = keys(update.pages, of: update.entity, without: settled)
      if keys.isEmpty { continue }
      recorder.noteUpdate(of: update.entity, update.slots, keys)
      try noteOld(keys, of: update.entity, slots: update.slots)
    }
    for deletion in changes.deletions {
      let keys = deletion.rows.map(\.key)
      try noteOld(keys, of: deletion.entity, slots: nil)
      recorder.noteReorderings(ofDeleted: keys, deletion.entity)
      try noteDroppedPairs(of: keys, deletion.entity)
    }
    for change in changes.links {
      let link = schema.model.links[change.link]
      for pair in change.removed { recorder.noteReordering(of: pair, link) }
    }
    for order in changes.orders {
      recorder.noteReordering(of: order.relationship, owner: order.owner)
    }
    let writer = OrderWriter(connection: connection, schema: schema)
    try recorder.keepOrders { relationship, owner throws(SQLiteFailure) in
      try writer.order(of: relationship, owner: owner)
    }
  }

  /// Notes the rows that a batch statement is about to change, and what it replaces.
  func note(
    _ action: BatchStatement.Action,
    _ rows: [ObjectReference]
  ) throws(SQLiteFailure) {
    for (entity, rows) in Dictionary(grouping: rows, by: \.entity).sorted(by: { $0.key < $1.key }) {
      let keys = rows.map(\.key)
      switch action {
      case .update(let slots, _):
        recorder.noteUpdate(of: entity, slots, keys)
        try noteOld(keys, of: entity, slots: slots)
      case .delete:
        for key in keys { recorder.noteDeletion(of: entity, key) }
        try noteOld(keys, of: entity, slots: nil)
      }
    }
  }

  /// Notes the rows for which a derived attribute will be computed anew.
  func note(
    _ derivation: ChangeSet.Derivation,
    _ writer: DerivationWriter
  ) throws(SQLiteFailure) {
    let keys = try writer.changedKeys(derivation, includesAll: tables.hasTriggers)
    recorder.noteDerived(derivation.slot, of: derivation.entity, keys)
  }

  /// Writes the history.
  ///
  /// - Returns: The number of its transaction, if anything has changed.
  func end(_ author: ChangeSet.Author) throws(SQLiteFailure) -> Int64? {
    let draft = try recorder.draft { root, keys throws(SQLiteFailure) in
      try entities(of: keys, root: root)
    }
    return try HistoryWriter(connection: connection, schema: schema, tables: tables)
      .write(draft, author: author)
  }

  private func keys(
    _ pages: [RowPage],
    of entity: Int,
    without settled: SettledRows
  ) -> [Int64] {
    let root = schema.model.entities[entity].root
    guard !settled.isEmpty else { return Array(pages.keys) }
    return pages.keys.filter { !settled.contains(root: root, key: $0) }
  }

  private func noteOld(_ keys: [Int64], of entity: Int, slots: [Int]?) throws(SQLiteFailure) {
    let isPreserved = slots == nil && !schema.model.entities[entity].preservedSlots.isEmpty
    guard recorder.keepsOldValues || isPreserved else { return }
    let root = schema.model.entities[entity].root
    for list in keys.parameterLists {
      let sql =
        "SELECT \(plans[root].columns) FROM \(schema.table(of: root)) AS t0 WHERE t0.Z_PK IN (\(SQLText.marks(list.count)))"
      let statement = try connection.statement(.text(sql)) { () throws(SQLiteFailure) in sql }
      defer { statement.clear() }
      statement.bind(list)
      var reader = PageReader(plans[root])
      try reader.read(statement) { noteOld($0, of: entity, slots) }
      reader.finish { noteOld($0, of: entity, slots) }
    }
  }

  private func noteOld(_ page: RowPage, of entity: Int, _ slots: [Int]?) {
    for index in 0..<page.count {
      let row = PageRow(page: page, index: index)
      recorder.noteOld(row, of: entity, slots: slots) { row, slot in
        let entity = schema.model.entities[row.entity]
        return PackedRow.value(row.pointer, slot, in: entity) {
          schema.model.objectID(of: $0, owner: store)
        }
      }
    }
  }

  /// Notes the pairs that go with deleted rows.
  private func noteDroppedPairs(of keys: [Int64], _ entity: Int) throws(SQLiteFailure) {
    for link in schema.model.links {
      let join = schema.joinTables[link.index]
      for isFirst in [true, false] {
        let owner = isFirst ? link.first.entity : link.second.entity
        guard schema.model.entities[owner].family.contains(entity) else { continue }
        for list in keys.parameterLists {
          let sql =
            "SELECT \(join.first.own), \(join.first.other) FROM \(join.table) WHERE \(join.side(isFirst: isFirst).own) IN (\(SQLText.marks(list.count))) ORDER BY 1, 2"
          let statement = try connection.statement(.text(sql)) { () throws(SQLiteFailure) in sql }
          defer { statement.clear() }
          statement.bind(list)
          while try statement.step() {
            let pair = ChangeSet.LinkChange.Pair(
              first: statement.integer(0),
              second: statement.integer(1)
            )
            recorder.notePair(pair, of: link, isAdded: false)
            recorder.noteReordering(of: pair, link)
          }
        }
        // The pairs of a symmetric link are stored both ways.
        if link.isSymmetric { break }
      }
    }
  }

  /// The concrete entities of stored rows.
  private func entities(of keys: [Int64], root: Int) throws(SQLiteFailure) -> [Int64: Int] {
    var found: [Int64: Int] = [:]
    let table = schema.table(of: root)
    for list in keys.parameterLists {
      let sql = "SELECT Z_PK, Z_ENT FROM \(table) WHERE Z_PK IN (\(SQLText.marks(list.count)))"
      let statement = try connection.statement(.text(sql)) { () throws(SQLiteFailure) in sql }
      defer { statement.clear() }
      statement.bind(list)
      while try statement.step() {
        found[statement.integer(0)] = schema.entity(ofNumber: statement.integer(1)) ?? root
      }
    }
    return found
  }
}
