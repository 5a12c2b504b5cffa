// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialSQL
package import PerennialStore
import Synchronization

/// A store in a SQLite file, laid out as Core Data's are.
///
/// Invariants: one connection writes, under the pool's lock; every read has a connection of its own
/// and sees one snapshot; schema, plans and binders never change.
package final class SQLiteStore: SQLRowStore {
  package let model: ModelLayout
  package let identifier: UUID
  /// Makes the IDs of rows that values refer to.
  let objectIDs: ObjectIDMaker
  package let capabilities: StoreCapabilities
  /// The file's name, for messages.
  let name: String
  let path: String
  package let schema: StoreSchema
  let fullTextIndexes: Set<FullTextIndex>
  let pool: ConnectionPool
  /// How rows of an entity are read, with its subentities and without.
  let familyPlans: [RowPlan]
  let ownPlans: [RowPlan]
  private let insertBinders: [RowBinder]
  /// The tables of the history; `nil` when there is none.
  let history: HistoryFinder
  let historyOptions: HistoryOptions
  /// The numbers of the transactions that were saved through this value.
  let ownTransactions = OwnTransactions()
  /// Where large values lie.
  let externalFiles: ExternalData
  /// Whether there are attributes whose values may lie in files.
  let hasExternalValues: Bool
  /// Whether what is saved is on the disk when a save returns.
  private let waitsForDisk: Bool
  /// Whether the file is going to be another store's, whose large values it shares.
  private let isDraft: Bool
  /// The files that no row names any more, as long as somebody may be reading the rows that did.
  private let unnamedFiles = Mutex(UnnamedFiles())
  /// The last change sets that were written, or that may have been: saving failed at the end.
  private let written = Mutex<[UInt64]>([])

  /// Opens a file, or makes a new store where there is none.
  ///
  /// - Parameters:
  ///   - url: The file, whose folder must exist; `nil` for a database in memory.
  ///   - model: The model.
  ///   - isReadOnly: Whether nothing may be written.
  ///   - busyTimeout: How long to wait for another process's lock.
  ///   - history: How to keep history.
  ///   - options: What only this kind of store can do.
  ///   - log: Is told what runs, and what opening does to the file.
  /// - Throws: `incompatibleVersionHash` when the store has another model; `persistentStoreOpen` or
  ///   `persistentStoreTimeout`. The file is then as it was.
  package init(
    url: URL?,
    model: ModelLayout,
    isReadOnly: Bool = false,
    busyTimeout: Duration = .seconds(5),
    history: HistoryOptions = HistoryOptions(),
    options: StoreOptions = StoreOptions(),
    log: EventLog = .quiet
  ) throws(PerennialError) {
    let file =
      if let url { try StoreFile(url, isReadOnly: isReadOnly) } else { try StoreFile(inMemory: ()) }
    let pragmas = try StorePragmas(options.pragmas, store: file.name)
    let opener = StoreOpener(
      file: file,
      model: model,
      isReadOnly: isReadOnly,
      busyTimeout: busyTimeout,
      history: history,
      options: options,
      pragmas: pragmas,
      log: log
    )
    let (connection, opened) = try opener.open()
    self.model = model
    capabilities =
      url == nil ? [.queryEngine, .cacheableRows] : [.durable, .queryEngine, .cacheableRows]
    name = file.name
    identifier = opened.identifier
    objectIDs = ObjectIDMaker(opened.schema.model, owner: opened.identifier)
    schema = opened.schema
    fullTextIndexes = opened.fullTextIndexes
    self.history = HistoryFinder(opened.historyTables)
    historyOptions = history
    hasExternalValues = url != nil && model.entities.contains(where: \.allowsExternalValues)
    let external: ExternalData
    if hasExternalValues {
      // Beside the file itself, not beside a link to it.
      let target = URL(filePath: file.path).resolvingSymlinksInPath()
      external = ExternalData(store: target)
      isDraft = StoreDraft.store(of: target) != target
    } else {
      external = .nowhere
      isDraft = false
    }
    externalFiles = external
    waitsForDisk = options.durability == .full
    let indexes = model.entities.indices
    func plan(_ entity: Int, includesSubentities: Bool) -> RowPlan {
      RowPlan(
        entity: entity,
        includesSubentities: includesSubentities,
        schema: opened.schema,
        externalFiles: external
      )
    }
    let plans = indexes.map { plan($0, includesSubentities: true) }
    familyPlans = plans
    ownPlans = indexes.map { entity in
      model.entities[entity].family.count == 1
        ? plans[entity] : plan(entity, includesSubentities: false)
    }
    insertBinders = indexes.map {
      RowBinder(entity: $0, slots: model.entities[$0].slots.indices, schema: opened.schema)
    }
    path = file.path
    let maker = ConnectionMaker(
      path: file.path,
      access: opened.access,
      busyTimeout: busyTimeout,
      durability: options.durability,
      pragmas: pragmas,
      logLevel: log.level,
      file: opened.file,
      trustsSchema: opened.trustsSchema
    )
    pool = ConnectionPool(first: isReadOnly ? nil : connection, maker: maker, log: log)
  }

  package var textIndexes: (any TextIndexes)? {
    fullTextIndexes.isEmpty ? nil : FullTextIndexes(indexes: fullTextIndexes)
  }

  package var counters: StoreCounters { pool.counters }
  package var recorder: StatementRecorder { pool.recorder }

  package func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    try write { connection throws(SQLiteFailure) in
      try KeyAllocator(connection: connection, schema: schema).reserve(count, root: root)
    }
  }

  package func save(_ changes: ChangeSet) throws(SaveFailure) {
    guard !changes.isEmpty else { return }
    let conflicts: [SaveConflict]
    do throws(PerennialError) {
      conflicts = try write { connection throws(SQLiteFailure) in
        try save(changes, on: connection)
      }
    } catch {
      if error.code != .managedObjectConstraintMerge { noteWritten(changes) }
      throw .failed(error)
    }
    if !conflicts.isEmpty { throw .conflicts(conflicts) }
    noteWritten(changes)
    if unnamedFiles.withLock({ $0.isDue() }) { removeUnnamedFiles() }
  }

  deinit { removeUnnamedFiles() }

  /// Deletes the files that no row names any more, if nobody, in whatever process, reads the rows that did; else a
  /// later save tries again, or the end of this value.
  ///
  /// The log is moved for that at once, not behind the save's back: to write a large value takes longer.
  private func removeUnnamedFiles() {
    let names = unnamedFiles.withLock(\.names)
    guard !names.isEmpty, pool.hasOnlyNewReaders(), isOnDisk() else { return }
    externalFiles.remove(names)
    unnamedFiles.withLock { $0.remove(names) }
  }

  /// Sees that the transactions are on the disk that no longer name files: what was before them, and names the files,
  /// must not come back after a loss of power.
  private func isOnDisk() -> Bool {
    if waitsForDisk { return true }
    do throws(FileFailure) {
      try JournalFiles(of: path).synchronise()
      return true
    } catch {
      return false
    }
  }

  private func noteWritten(_ changes: ChangeSet) {
    written.withLock { written in
      written.removeAll { $0 == changes.identifier }
      written.append(changes.identifier)
      if written.count > 64 { written.removeFirst() }
    }
  }

  /// Saves, and gives the conflicts that forbade it.
  private func save(
    _ changes: ChangeSet,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [SaveConflict] {
    func attempt(_ mode: SaveTransaction.Mode) throws(SQLiteFailure) {
      let external =
        hasExternalValues ? ExternalWrites(externalFiles) : nil
      var isCommitting = false
      do throws(SQLiteFailure) {
        let number = try connection.transaction(.immediate) { () throws(SQLiteFailure) -> Int64? in
          let number = try SaveTransaction(
            connection: connection,
            schema: schema,
            changes: changes,
            insertBinders: insertBinders,
            mode: mode,
            history: makeHistory(on: connection),
            external: external
          ).run()
          isCommitting = true
          return number
        }
        ownTransactions.note(number)
        // A draft's files are those of the store that it is a draft of.
        if let external, !isDraft { unnamedFiles.withLock { $0.add(external.replaced) } }
      } catch {
        // A commit that failed may have been done: its files then stay.
        if !isCommitting || error.isAboutUndoneCommit { external?.undo() }
        throw error
      }
    }
    do throws(SQLiteFailure) {
      try attempt(.trusting)
      return []
    } catch {
      guard error.isConstraint else { throw error }
    }
    let finder = try findConflicts(changes, on: connection)
    guard finder.conflicts.isEmpty else { return finder.conflicts }
    do throws(SQLiteFailure) {
      try attempt(.careful(finder.settled))
      return []
    } catch {
      // Another process may have come in between.
      guard error.isConstraint else { throw error }
      let conflicts = try findConflicts(changes, on: connection).conflicts
      if conflicts.isEmpty { throw error }
      return conflicts
    }
  }

  private func findConflicts(
    _ changes: ChangeSet,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> ConflictFinder<WriterRows> {
    var finder = ConflictFinder(
      rows: WriterRows(connection: connection, schema: schema, plans: familyPlans),
      schema: schema,
      changes: changes,
      isRepeated: written.withLock { $0.contains(changes.identifier) }
    )
    try connection.execute(SQLiteConnection.TransactionKind.deferred.rawValue)
    defer { connection.rollBack() }
    try finder.run()
    return finder
  }
}

/// The names of files that wait for those who may be reading.
private struct UnnamedFiles {
  private(set) var names: Set<String> = []
  /// How many saves there were since the last names came.
  private var saveCount = 0

  mutating func add(_ new: [String]) {
    guard !new.isEmpty else { return }
    names.formUnion(new)
    saveCount = 0
  }

  mutating func remove(_ old: Set<String>) { names.subtract(old) }

  /// Counts a save.
  ///
  /// - Returns: Whether it tries to delete them: the first save, the second, the fourth, and so on, as a try that
  ///   is in vain may cost as much as the log is long.
  mutating func isDue() -> Bool {
    guard !names.isEmpty else { return false }
    saveCount += 1
    return saveCount & (saveCount - 1) == 0
  }
}

extension SQLiteStore {
  /// Runs a closure on the writer and turns its failure into an error for users.
  func write<Result: Sendable>(
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(PerennialError) -> Result {
    let result: Result?
    do throws(SQLiteFailure) {
      result = try pool.write(body)
    } catch {
      throw self.error(error, during: .saving)
    }
    guard let result else {
      throw PerennialError(
        .persistentStoreSave,
        "The store '\(name)' was opened without the right to write.",
        recovery: "open it without 'isReadOnly'"
      )
    }
    return result
  }

  /// Runs a closure on a connection that reads and turns its failure into an error for users.
  func read<Result>(
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Result
  ) throws(PerennialError) -> Result {
    do throws(SQLiteFailure) {
      return try pool.read(body)
    } catch {
      throw self.error(error, during: .reading)
    }
  }

  private func error(_ failure: SQLiteFailure, during activity: StoreActivity) -> PerennialError {
    guard failure.isConstraint else {
      return PerennialError(failure, during: activity, store: name)
    }
    return PerennialError(
      .managedObjectConstraintMerge,
      "Two rows of one save have the same values of a uniqueness constraint.",
      recovery: "change or delete one of the objects",
      underlying: failure
    )
  }
}
