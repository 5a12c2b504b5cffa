// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL
import PerennialStore

/// One attempt to write a change set, in a transaction: all of it or nothing.
///
/// Deletions come first, then updates, then insertions, so that a value that one row gives up is free for another. The
/// first attempt trusts the change set; when a constraint or a version stops it, `ConflictFinder` looks for the
/// reasons, and when there are none a careful attempt follows: it leaves out rows that an earlier, seemingly failed
/// save has written, and empties constrained columns before it writes them, so that two rows can swap their values.
///
/// However many rows there are, unless they are some megabytes, insertions and updates take one round trip; deletions
/// and links two, as the log has what they really did; an order, or a derived attribute, one more. Old values that the
/// log keeps are read before, after another one.
struct PostgresSave {
  /// How an attempt goes about it.
  enum Mode {
    case trusting
    case careful(SettledRows)
  }

  let connection: PostgresConnection
  let schema: StoreSchema
  let changes: ChangeSet
  let packers: [RowPacker]
  let mode: Mode
  let log: SaveLog
  /// How often the store had been migrated when it was opened.
  private let generation: Int64
  var pipeline: SavePipeline

  init(
    _ connection: PostgresConnection,
    _ store: PostgresStore,
    _ changes: ChangeSet,
    _ mode: Mode
  ) {
    self.connection = connection
    schema = store.schema
    self.changes = changes
    packers = store.packers
    self.mode = mode
    log = SaveLog(connection, store)
    generation = store.generation
    pipeline = SavePipeline(connection)
  }

  /// Runs the attempt, in a transaction that has begun, to its end.
  ///
  /// - Parameters:
  ///   - token: The number by which the server knows later whether it was committed.
  ///   - old: Those of others, which are not needed any more.
  /// - Returns: The number of the save in the log of changes, if it has changed anything.
  /// - Throws: What stopped it; the transaction is undone then. A constraint or a version that does not fit is a failure
  ///   with `isConflict`.
  mutating func run(_ token: Int64, forgetting old: [Int64]) throws(PostgresFailure) -> Int64? {
    try Generation.check(generation, schema.names.metadata, with: &pipeline)
    try SaveToken.add(token, forgetting: old, to: &pipeline)
    // After a migration the old values are in other tables: the check comes before they are read.
    if log.readsOldValues(changes) { try pipeline.flush() }
    try log.begin(changes, settled)
    for deletion in changes.deletions { try delete(deletion) }
    if case .careful = mode {
      for update in changes.updates { try clearConstrained(update) }
    }
    for update in changes.updates { try apply(update) }
    for insertion in changes.insertions { try insert(insertion) }
    for link in changes.links { try apply(link) }
    try apply(changes.orders)
    // Those of members lock their owners to change them, the others lock what they read: two saves that did the weak
    // first at one row would wait for each other.
    for derivation in changes.derivations where derivation.isOfMembers { try apply(derivation) }
    for derivation in changes.derivations where !derivation.isOfMembers { try apply(derivation) }
    if !isPlain { try pipeline.flush() }
    return try log.commit(changes.author, &pipeline)
  }

  /// Whether the log needs no answers: the server itself sees to it that the versions are the expected ones.
  private var isPlain: Bool {
    changes.deletions.isEmpty && changes.links.isEmpty && changes.orders.isEmpty
      && changes.derivations.isEmpty
  }

  private var settled: SettledRows {
    if case .careful(let settled) = mode { settled } else { SettledRows() }
  }

  /// The column of keys.
  var key: String { schema.rows.key }

  private func root(_ entity: Int) -> Int { schema.model.entities[entity].root }

  /// A row that has another version than expected.
  static let versionMismatch = PostgresFailure(
    .versionMismatch,
    "a row has another version than expected"
  )
}

// MARK: - Rows

extension PostgresSave {
  /// So many rows are one statement: more gain nothing.
  private static let rowsPerStatement = 1_000

  /// From so many rows on they are copied, which takes two round trips more.
  private static let leastCopy = 10_000

  /// The rows of pages, but those that are settled.
  ///
  /// Safe because the pages belong to the change set, which outlives the attempt.
  private func rows(_ pages: [RowPage], of entity: Int) -> [UnsafeRawPointer] {
    let settled = settled
    let root = root(entity)
    var rows: [UnsafeRawPointer] = []
    rows.reserveCapacity(pages.reduce(0) { $0 + $1.count })
    for page in pages {
      for index in 0..<page.count {
        let row = page.row(index)
        if !settled.isEmpty, settled.contains(root: root, key: PackedRow.key(row)) { continue }
        rows.append(row)
      }
    }
    return rows
  }

  private mutating func insert(_ insertion: ChangeSet.Insertion) throws(PostgresFailure) {
    let rows = rows(insertion.pages, of: insertion.entity)
    if rows.count >= Self.leastCopy { return try copy(rows, of: insertion.entity) }
    let packer = packers[insertion.entity]
    let hasEntity = schema.hasEntityColumn(insertion.entity)
    let names =
      [schema.rows.key, schema.rows.version] + packer.names
      + (hasEntity ? [schema.rows.entity] : [])
    let entity = hasEntity ? ", \(schema.number(of: insertion.entity))" : ""
    for batch in packer.batches(rows, of: Self.rowsPerStatement) {
      let source = RowParameters(batch, packer)
      let sql = """
        INSERT INTO \(schema.table(of: insertion.entity)) (\(names.joined(separator: ", ")))
        SELECT n.*\(entity) FROM \(source.sql) AS n
        """
      try pipeline.add(sql, source.types, source.fields)
    }
  }

  /// Fills a table with many rows.
  private mutating func copy(
    _ rows: [UnsafeRawPointer],
    of entity: Int
  ) throws(PostgresFailure) {
    try pipeline.flush()
    let packer = packers[entity]
    let names = schema.rowColumns(of: entity) + packer.names
    let list = names.joined(separator: ", ")
    let sql = "COPY \(schema.table(of: entity)) (\(list)) FROM STDIN (FORMAT binary)"
    let number = schema.hasEntityColumn(entity) ? schema.number(of: entity) : nil
    _ = try connection.copy(sql, columnCount: names.count) { copy throws(PostgresFailure) in
      for row in rows {
        try copy.beginRow()
        copy.fields.append(PackedRow.key(row))
        if let number { copy.fields.append(number) }
        copy.fields.append(Int64(PackedRow.version(row)))
        packer.packRow(row, into: &copy.fields)
      }
    }
  }

  private mutating func apply(_ update: ChangeSet.Update) throws(PostgresFailure) {
    let rows = rows(update.pages, of: update.entity)
    guard !rows.isEmpty else { return }
    let packer = RowPacker(entity: update.entity, slots: update.slots, schema: schema)
    let values = packer.names.indices.map { "v\($0)" }
    let orders = update.slots.compactMap {
      schema.column(of: $0, in: update.entity)?.orderColumn
    }
    let assignments =
      ["\(schema.rows.version) = n.v"] + zip(packer.names, values).map { "\($0) = n.\($1)" }
      + orders.map { "\($0) = NULL" }
    let names = (["k", "v"] + values).joined(separator: ", ")
    for batch in packer.batches(rows, of: Self.rowsPerStatement) {
      var source = RowParameters(batch, packer)
      let sql = """
        WITH u AS (UPDATE \(schema.table(of: update.entity)) AS t0 SET \(assignments.joined(separator: ", "))
        FROM \(source.sql) AS n (\(names))
        WHERE t0.\(key) = n.k AND COALESCE(t0.\(schema.rows.version), 0) = n.v - 1 RETURNING t0.\(key))
        SELECT 1 / CASE WHEN COUNT(*) = $\(values.count + 3) THEN 1 ELSE 0 END FROM u
        """
      source.fields.append(Int64(batch.count))
      try pipeline.addCheck(
        PostgresStatement(sql, source.types + [.integer]),
        source.fields,
        Self.versionMismatch
      )
    }
  }

  /// Empties the constrained columns that an update is about to write.
  private mutating func clearConstrained(
    _ update: ChangeSet.Update
  ) throws(PostgresFailure) {
    let root = schema.model.entities[root(update.entity)]
    let constrained = Set(
      TableConstraint.all(of: root, in: schema.model)
        .filter { $0.entities.contains(update.entity) }.flatMap(\.slots)
    )
    let columns = update.slots.filter(constrained.contains)
      .compactMap { schema.column(of: $0, in: update.entity)?.name }
    let rows = rows(update.pages, of: update.entity)
    guard !columns.isEmpty, !rows.isEmpty else { return }
    var keys = PostgresFields()
    keys.append(rows.map { PackedRow.key($0) })
    let list = columns.map { "\($0) = NULL" }.joined(separator: ", ")
    try pipeline.add(
      "UPDATE \(schema.table(of: update.entity)) SET \(list) WHERE \(key) = ANY ($1)",
      [PostgresType.integer.array],
      keys
    )
  }

  /// Deletes rows; those that are gone already are no conflict.
  private mutating func delete(_ deletion: ChangeSet.Deletion) throws(PostgresFailure) {
    let table = schema.table(of: deletion.entity)
    let types = [PostgresType.integer.array, PostgresType.integer.array]
    for batch in deletion.rows.batches(of: Self.rowsPerStatement) {
      var parameters = PostgresFields()
      parameters.append(batch.lazy.map(\.key))
      let keys = parameters
      parameters.append(batch.lazy.map { Int64($0.version) })
      try pipeline.add(
        """
        DELETE FROM \(table) AS t0 USING unnest($1, $2) AS n (k, v)
        WHERE t0.\(key) = n.k AND COALESCE(t0.\(schema.rows.version), 0) = n.v RETURNING t0.\(key)
        """,
        types,
        parameters
      ) { [log] result throws(PostgresFailure) in
        for row in 0..<result.count {
          log.recorder.noteDeletion(of: deletion.entity, result.integer(row, 0))
        }
      }
      try pipeline.add(
        "SELECT COUNT(*) FROM \(table) WHERE \(key) = ANY ($1)",
        [PostgresType.integer.array],
        keys
      ) { result throws(PostgresFailure) in
        guard result.integer(0, 0) == 0 else { throw Self.versionMismatch }
      }
    }
    try dropLinks(of: deletion)
  }
}
#endif
