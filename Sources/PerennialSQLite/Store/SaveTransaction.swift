// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// One attempt to write a change set, in a transaction: all of it or nothing.
///
/// Deletions come first, then updates, then insertions, so that a value that one row gives up is
/// free for another. The first attempt trusts the change set; when a constraint or a version stops
/// it, `ConflictFinder` looks for the reasons, and when there are none a careful attempt follows:
/// it leaves out rows that an earlier, seemingly failed save has written, and empties constrained
/// columns before it writes them, so that two rows can swap their values.
struct SaveTransaction {
  /// How an attempt goes about it.
  enum Mode {
    case trusting
    case careful(SettledRows)
  }

  let connection: SQLiteConnection
  let schema: StoreSchema
  let changes: ChangeSet
  let insertBinders: [RowBinder]
  let mode: Mode
  /// What the save tells the history; `nil` when there is none.
  let history: SaveHistory?
  /// Takes large values; `nil` when the model has none that may lie in files.
  let external: ExternalWrites?

  /// The number of rows of an INSERT statement: more gain nothing.
  private static let rowsPerInsert = 16
  private static let parameterLimit = 32_766

  /// Runs the attempt, in a transaction that has begun.
  ///
  /// - Returns: The number of the transaction in the history, if it has one.
  /// - Throws: What stopped it; the transaction must be undone. A constraint or a version that does not
  ///   fit is a failure with `isConstraint`.
  func run() throws(SQLiteFailure) -> Int64? {
    try history?.begin(changes, settled)
    for deletion in changes.deletions { try delete(deletion) }
    if case .careful = mode {
      for update in changes.updates { try clearConstrained(update) }
    }
    for update in changes.updates { try apply(update) }
    try insertAll()
    for link in changes.links { try apply(link) }
    for order in changes.orders {
      let hasChanged = try OrderWriter(connection: connection, schema: schema).apply(order)
      if hasChanged { history?.recorder.noteOrder(of: order.relationship, owner: order.owner) }
    }
    for derivation in changes.derivations {
      let writer = DerivationWriter(connection: connection, schema: schema)
      try history?.note(derivation, writer)
      try writer.apply(derivation)
    }
    try external?.finish()
    return try history?.end(changes.author)
  }

  private var settled: SettledRows {
    if case .careful(let settled) = mode { settled } else { SettledRows() }
  }

  private func root(_ entity: Int) -> Int { schema.model.entities[entity].root }
}

// MARK: - Rows

extension SaveTransaction {
  private func insertAll() throws(SQLiteFailure) {
    guard case .trusting = mode else {
      for insertion in changes.insertions { try insert(insertion) }
      return
    }
    let load = try BulkLoad(changes.insertions, on: connection, schema)
    try load.begin()
    for insertion in changes.insertions { try insert(insertion) }
    try load.end()
  }

  // Safe because the rows lie in the pages of the insertion, which outlives the call.
  private func insert(_ insertion: ChangeSet.Insertion) throws(SQLiteFailure) {
    let binder = insertBinders[insertion.entity]
    let width = binder.columns.count + 2
    let isTrusting = if case .trusting = mode { true } else { false }
    let bucket = isTrusting ? max(1, min(Self.rowsPerInsert, Self.parameterLimit / width)) : 1
    var rows: [UnsafeRawPointer] = []
    rows.reserveCapacity(bucket)
    let root = root(insertion.entity)
    for page in insertion.pages {
      for index in 0..<page.count {
        let row = page.row(index)
        if !isTrusting, settled.contains(root: root, key: PackedRow.key(row)) { continue }
        rows.append(row)
        guard rows.count == bucket else { continue }
        try insert(rows, of: insertion.entity, binder)
        rows.removeAll(keepingCapacity: true)
      }
    }
    for row in rows { try insert([row], of: insertion.entity, binder) }
  }

  private func insert(
    _ rows: [UnsafeRawPointer],
    of entity: Int,
    _ binder: RowBinder
  ) throws(SQLiteFailure) {
    // But for rows that were deleted and come back.
    let areNew = rows.allSatisfy { PackedRow.version($0) == 1 }
    let key = StatementKey.insert(entity: entity, rows: rows.count, areNew: areNew)
    let statement = try connection.statement(key) { () throws(SQLiteFailure) in
      WriteSQL.insert(
        into: entity,
        version: areNew ? 1 : nil,
        columns: binder.columns,
        rows: rows.count,
        schema
      )
    }
    var index = 1
    for row in rows {
      statement.bind(index, PackedRow.key(row))
      index += 1
      if !areNew {
        statement.bind(index, Int64(PackedRow.version(row)))
        index += 1
      }
      index = try binder.bind(row, to: statement, from: index, external)
    }
    try statement.run()
  }

  private func apply(_ update: ChangeSet.Update) throws(SQLiteFailure) {
    let binder = RowBinder(entity: update.entity, slots: update.slots, schema: schema)
    let key = StatementKey.update(entity: update.entity, slots: update.slots)
    let statement = try connection.statement(key) { () throws(SQLiteFailure) in
      let orders = update.slots.compactMap {
        schema.column(of: $0, in: update.entity)?.orderColumn
      }
      return WriteSQL.update(
        schema.table(of: update.entity),
        columns: binder.columns,
        emptied: orders,
        schema.rows
      )
    }
    defer { statement.clear() }
    let root = root(update.entity)
    let keys = update.pages.keys.lazy.filter { !settled.contains(root: root, key: $0) }
    try noteReplaced(keys, of: update.entity, slots: update.slots)
    for page in update.pages {
      for index in 0..<page.count {
        let row = page.row(index)
        let key = PackedRow.key(row)
        if settled.contains(root: root, key: key) { continue }
        let version = Int64(PackedRow.version(row))
        statement.bind(1, version)
        let next = try binder.bind(row, to: statement, from: 2, external)
        statement.bind(next, key)
        statement.bind(next + 1, version - 1)
        try statement.run()
        guard connection.changeCount == 1 else { throw Self.versionMismatch }
      }
    }
  }

  /// Empties the constrained columns that an update is about to write.
  private func clearConstrained(_ update: ChangeSet.Update) throws(SQLiteFailure) {
    let root = schema.model.entities[root(update.entity)]
    let constrained = Set(
      TableConstraint.all(of: root, in: schema.model)
        .filter { $0.entities.contains(update.entity) }.flatMap(\.slots)
    )
    let slots = update.slots.filter(constrained.contains)
    guard !slots.isEmpty else { return }
    let statement = try connection.statement(.clear(entity: update.entity, slots: slots)) {
      () throws(SQLiteFailure) in
      WriteSQL.clear(
        schema.table(of: update.entity),
        columns: slots.compactMap { schema.column(of: $0, in: update.entity)?.name },
        schema.rows
      )
    }
    for page in update.pages {
      for index in 0..<page.count {
        let key = PackedRow.key(page.row(index))
        if settled.contains(root: root.index, key: key) { continue }
        statement.bind(1, key)
        try statement.run()
      }
    }
  }

  private func delete(_ deletion: ChangeSet.Deletion) throws(SQLiteFailure) {
    let root = root(deletion.entity)
    let table = schema.table(of: root)
    let slots = schema.model.entities[deletion.entity].slots.indices
    try noteReplaced(deletion.rows.lazy.map(\.key), of: deletion.entity, slots: slots)
    let statement = try connection.statement(.delete(table: root)) { () throws(SQLiteFailure) in
      "DELETE FROM \(table) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
    }
    let version = try connection.statement(.version(table: root)) { () throws(SQLiteFailure) in
      "SELECT 1 FROM \(table) WHERE Z_PK = ?"
    }
    for row in deletion.rows {
      statement.bind(1, row.key)
      statement.bind(2, Int64(row.version))
      try statement.run()
      guard connection.changeCount == 0 else {
        history?.recorder.noteDeletion(of: deletion.entity, row.key)
        continue
      }
      version.bind(1, row.key)
      let isThere = try version.step()
      version.reset()
      if isThere { throw Self.versionMismatch }
    }
    try dropLinks(of: deletion)
  }

  /// Notes the files of large values that rows will not name any more.
  private func noteReplaced(
    _ keys: some Sequence<Int64>,
    of entity: Int,
    slots: some Sequence<Int>
  ) throws(SQLiteFailure) {
    guard let external else { return }
    var columns: [String] = []
    for slot in slots {
      guard let column = schema.column(of: slot, in: entity), column.kind == .markedBlob else {
        continue
      }
      columns.append(column.name)
    }
    let table = schema.table(of: entity)
    try external.noteReplaced(keys, columns: columns, of: table, on: connection)
  }

  /// A row that has another version than expected.
  private static let versionMismatch = SQLiteFailure(
    code: SQLiteFailure.constraint,
    message: "a row has another version than expected"
  )
}

// MARK: - Links

extension SaveTransaction {
  /// Removes the pairs of deleted rows, whichever side of a link they are on.
  private func dropLinks(of deletion: ChangeSet.Deletion) throws(SQLiteFailure) {
    for link in schema.model.links {
      for isFirst in [true, false] {
        let entity = isFirst ? link.first.entity : link.second.entity
        guard schema.model.entities[entity].family.contains(deletion.entity) else { continue }
        let join = schema.joinTables[link.index]
        let key = StatementKey.dropLinks(link: link.index, first: isFirst)
        let statement = try connection.statement(key) { () throws(SQLiteFailure) in
          "DELETE FROM \(join.table) WHERE \(join.side(isFirst: isFirst).own) = ?"
        }
        for row in deletion.rows {
          statement.bind(1, row.key)
          try statement.run()
        }
      }
    }
  }

  private func apply(_ change: ChangeSet.LinkChange) throws(SQLiteFailure) {
    let join = schema.joinTables[change.link]
    let removal = try connection.statement(.removeLink(change.link)) { () throws(SQLiteFailure) in
      "DELETE FROM \(join.table) WHERE \(join.first.own) = ? AND \(join.first.other) = ?"
    }
    try run(removal, for: change.removed, of: change, isSymmetric: join.isSymmetric)
    let addition = try connection.statement(.addLink(change.link)) { () throws(SQLiteFailure) in
      WriteSQL.insertPair(into: join, schema.dialect)
    }
    try run(addition, for: change.added, of: change, isAdded: true, isSymmetric: join.isSymmetric)
  }

  private func run(
    _ statement: SQLiteStatement,
    for pairs: [ChangeSet.LinkChange.Pair],
    of change: ChangeSet.LinkChange,
    isAdded: Bool = false,
    isSymmetric: Bool
  ) throws(SQLiteFailure) {
    for pair in pairs {
      statement.bind(1, pair.first)
      statement.bind(2, pair.second)
      try statement.run()
      if let history, connection.changeCount > 0 {
        history.recorder.notePair(pair, of: schema.model.links[change.link], isAdded: isAdded)
      }
      guard isSymmetric, pair.first != pair.second else { continue }
      statement.bind(1, pair.second)
      statement.bind(2, pair.first)
      try statement.run()
    }
  }
}
