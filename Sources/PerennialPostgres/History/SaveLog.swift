// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore
import Synchronization

/// What one attempt to save tells the log of changes.
///
/// It is told what is written while it is written, and the log is written last, in the same transaction.
struct SaveLog {
  let connection: PostgresConnection
  let schema: StoreSchema
  let plans: [RowPlan]
  let store: UUID
  let recorder: HistoryRecorder
  /// Whether what is noted is written.
  private let isKept: Bool
  /// Where those listen who are told; `nil` when the server cannot.
  private let channel: String?

  init(_ connection: PostgresConnection, _ store: PostgresStore) {
    self.connection = connection
    schema = store.schema
    plans = store.familyPlans
    self.store = store.identifier
    isKept = store.isLogged
    channel = store.canNotify ? store.channel : nil
    recorder = HistoryRecorder(
      model: store.model,
      keepsOldValues: store.keepsOldValues.load(ordering: .relaxed)
    )
  }

  /// Notes new and changed rows, and reads what will be replaced, if that is wanted.
  ///
  /// - Parameters:
  ///   - changes: What will be written.
  ///   - settled: The rows that an earlier attempt has written.
  /// - Throws: What could not be read.
  func begin(_ changes: ChangeSet, _ settled: SettledRows) throws(PostgresFailure) {
    for insertion in changes.insertions {
      let keys = keys(insertion.pages, of: insertion.entity, without: settled)
      recorder.noteInsertion(of: insertion.entity, keys)
    }
    for update in changes.updates {
      let keys = keys(update.pages, of: update.entity, without: settled)
      if keys.isEmpty { continue }
      recorder.noteUpdate(of: update.entity, update.slots, keys)
      try noteOld(keys, of: update.entity, slots: update.slots)
    }
    for deletion in changes.deletions {
      try noteOld(deletion.rows.map(\.key), of: deletion.entity, slots: nil)
    }
    if recorder.keepsOldValues { try noteOrders(changes) }
  }

  /// Writes what was noted, and commits the transaction, in one round trip.
  ///
  /// - Parameters:
  ///   - author: Who saves.
  ///   - pipeline: What has not been sent yet.
  /// - Returns: The number of the save, if anything has changed.
  /// - Throws: What the server says.
  func commit(
    _ author: ChangeSet.Author,
    _ pipeline: inout SavePipeline
  ) throws(PostgresFailure) -> Int64? {
    let draft = try recorder.draft { root, keys throws(PostgresFailure) in
      try entities(of: keys, root: root)
    }
    let number = Box<Int64?>(nil)
    if !draft.isEmpty, isKept {
      let record = HistoryRecord(draft, of: schema.model)
      let hasOldValues = recorder.keepsOldValues
      try ChangeLog.add(record, author, hasOldValues: hasOldValues, to: &pipeline) {
        number.value = $0
      }
      if let channel {
        var parameters = PostgresFields()
        parameters.append(channel)
        try pipeline.add(PostgresStore.notification, parameters)
      }
    }
    try pipeline.flush(commits: true)
    return number.value
  }

  /// Notes the rows that a batch statement has changed.
  func note(_ action: BatchStatement.Action, _ rows: [ObjectReference]) {
    for (entity, keys) in Self.keysByEntity(rows) {
      switch action {
      case .update(let slots, _): recorder.noteUpdate(of: entity, slots, keys)
      case .delete: for key in keys { recorder.noteDeletion(of: entity, key) }
      }
    }
  }

  /// Whether ``begin(_:_:)`` reads what a change set will replace.
  func readsOldValues(_ changes: ChangeSet) -> Bool {
    if recorder.keepsOldValues {
      return
        !(changes.updates.isEmpty && changes.deletions.isEmpty && changes.links.isEmpty
        && changes.orders.isEmpty)
    }
    return changes.deletions.contains { deletion in
      !schema.model.entities[deletion.entity].preservedSlots.isEmpty
    }
  }

  /// Whether what a batch statement replaces is to be noted before.
  func readsOldValues(_ batch: BatchStatement) -> Bool {
    if recorder.keepsOldValues { return true }
    guard case .delete = batch.action else { return false }
    return schema.model.entities[batch.query.entity].family.contains { entity in
      !schema.model.entities[entity].preservedSlots.isEmpty
    }
  }

  /// Reads what a batch statement is about to replace.
  func noteOld(
    _ action: BatchStatement.Action,
    _ rows: [ObjectReference]
  ) throws(PostgresFailure) {
    for (entity, keys) in Self.keysByEntity(rows) {
      switch action {
      case .update(let slots, _): try noteOld(keys, of: entity, slots: slots)
      case .delete: try noteOld(keys, of: entity, slots: nil)
      }
    }
  }

  private static func keysByEntity(_ rows: [ObjectReference]) -> [(key: Int, value: [Int64])] {
    Dictionary(grouping: rows, by: \.entity).mapValues { $0.map(\.key).sorted() }
      .sorted { $0.key < $1.key }
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
}

// MARK: - Reading

extension SaveLog {
  private func noteOld(
    _ keys: [Int64],
    of entity: Int,
    slots: [Int]?
  ) throws(PostgresFailure) {
    let isPreserved = slots == nil && !schema.model.entities[entity].preservedSlots.isEmpty
    guard recorder.keepsOldValues || isPreserved else { return }
    let root = schema.model.entities[entity].root
    let rows = StoredServerRows(connection: connection, schema: schema, plans: plans)
    for row in try rows.rows(keys: keys, root: root) {
      recorder.noteOld(row, of: entity, slots: slots) { row, slot in
        let entity = schema.model.entities[row.entity]
        return PackedRow.value(row.pointer, slot, in: entity) {
          schema.model.objectID(of: $0, owner: store)
        }
      }
    }
  }

  /// Keeps the orders that will change.
  private func noteOrders(_ changes: ChangeSet) throws(PostgresFailure) {
    for deletion in changes.deletions {
      let keys = deletion.rows.map(\.key)
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
    try recorder.keepOrders { relationship, owner throws(PostgresFailure) in
      guard let table = OrderTable(relationship, schema) else { return [] }
      let members = try connection.run(table.members, [.integer(owner)])
      return (0..<members.count).map { members.integer($0, 0) }
    }
  }

  /// Notes the orders of the pairs that will go with deleted rows.
  private func noteDroppedPairs(of keys: [Int64], _ entity: Int) throws(PostgresFailure) {
    var parameters = PostgresFields()
    parameters.append(keys)
    for link in schema.model.links {
      let join = schema.joinTables[link.index]
      for isFirst in link.isSymmetric ? [true] : [true, false] {
        let owner = isFirst ? link.first.entity : link.second.entity
        guard schema.model.entities[owner].family.contains(entity) else { continue }
        let sql = """
          SELECT \(join.first.own), \(join.first.other) FROM \(join.table)
          WHERE \(join.side(isFirst: isFirst).own) = ANY ($1) ORDER BY 1, 2
          """
        let statement = PostgresStatement(sql, [PostgresType.integer.array])
        let pairs = try connection.run(statement, parameters)
        for row in 0..<pairs.count {
          let pair = ChangeSet.LinkChange.Pair(
            first: pairs.integer(row, 0),
            second: pairs.integer(row, 1)
          )
          recorder.noteReordering(of: pair, link)
        }
      }
    }
  }

  /// The concrete entities of stored rows.
  private func entities(of keys: [Int64], root: Int) throws(PostgresFailure) -> [Int64: Int] {
    var found: [Int64: Int] = [:]
    guard schema.model.entities[root].family.count > 1 else {
      for key in keys { found[key] = root }
      return found
    }
    let names = schema.rows
    var parameters = PostgresFields()
    parameters.append(keys)
    let rows = try connection.run(
      PostgresStatement(
        """
        SELECT \(names.key), \(names.entity) FROM \(schema.table(of: root))
        WHERE \(names.key) = ANY ($1)
        """,
        [PostgresType.integer.array]
      ),
      parameters
    )
    for row in 0..<rows.count {
      found[rows.integer(row, 0)] = schema.entity(ofNumber: rows.integer(row, 1)) ?? root
    }
    return found
  }
}
#endif
