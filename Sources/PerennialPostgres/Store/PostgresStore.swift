// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import Foundation
package import PerennialModel
package import PerennialSQL
package import PerennialStore
import Synchronization

/// A store in a database of PostgreSQL, laid out as Core Data lays out its files, or in plain names.
///
/// Invariants: every use has a connection of its own; what must see one state of the database is one statement or one
/// transaction; schema, plans and packers never change.
package final class PostgresStore: SQLRowStore {
  package let model: ModelLayout
  package let identifier: UUID
  /// Makes the IDs of rows that values refer to.
  let objectIDs: ObjectIDMaker
  package let capabilities: StoreCapabilities = [.durable, .queryEngine, .cacheableRows]
  package let schema: StoreSchema
  package let recorder = StatementRecorder()
  /// Where the database is, for messages.
  let location: PostgresLocation
  let pool: PostgresPool
  let isReadOnly: Bool
  /// How rows of an entity are read, with its subentities and without.
  let familyPlans: [RowPlan]
  let ownPlans: [RowPlan]
  /// How new rows of an entity are written.
  let packers: [RowPacker]
  let log: EventLog
  /// Keys that are set aside and not given yet, by root entity.
  let keys = Mutex<[Int: Range<Int64>]>([:])
  /// The numbers of the saves of this value in the log of changes.
  let ownTransactions = OwnTransactions()
  /// Waits for what others write.
  let watching = Mutex<Task<Void, Never>?>(nil)
  /// Whether the server can wake those who listen; not all that speak as PostgreSQL does can.
  let canNotify: Bool
  /// Whether the log keeps what updates and deletions replace: whoever opens the store may ask for it, from then on.
  let keepsOldValues: Atomic<Bool>
  /// The threads of fetches in the background.
  let lanes: Lanes
  /// Whether others learn of what is saved.
  let isLogged: Bool
  /// How often the store had been migrated when it was opened: once more, and its tables are others.
  let generation: Int64
  let statements = KnownStatements()
  /// What is known of the last change sets that were written, or may have been.
  let written = Mutex(WrittenSets())

  /// Opens the tables in the schema of a database that the connections begin with, or makes them where there are none.
  ///
  /// - Parameters:
  ///   - location: The database.
  ///   - model: The model.
  ///   - names: What tables are called that are made; `nil` for what the location says.
  ///   - isReadOnly: Whether nothing may be written.
  ///   - history: How to keep history.
  ///   - log: Is told what runs, and what opening does to the database.
  /// - Throws: `incompatibleVersionHash` when the tables are of another model; `persistentStoreOpen` when there is no
  ///   way to the database, or it has tables of another program. Nothing is made or changed then.
  package convenience init(
    _ location: PostgresLocation,
    model: ModelLayout,
    names: StoreDescription.TableNames? = nil,
    isReadOnly: Bool = false,
    history: HistoryOptions = HistoryOptions(),
    log: EventLog = .quiet
  ) throws(PerennialError) {
    let pool = PostgresPool(location)
    let opener = PostgresOpener(
      pool: pool,
      model: model,
      names: names ?? location.tableNames,
      isReadOnly: isReadOnly,
      history: history,
      log: log
    )
    self.init(pool, try opener.open(), isReadOnly: isReadOnly, isLogged: true, log)
  }

  /// A store in the transaction that a connection holds; what is written is in no log of changes.
  convenience init(
    holding connection: PostgresConnection,
    _ identifier: UUID,
    _ schema: StoreSchema,
    generation: Int64
  ) {
    self.init(
      PostgresPool(holding: connection),
      (identifier, schema, keepsOldValues: false, canNotify: false, generation),
      isReadOnly: false,
      isLogged: false,
      .quiet
    )
  }

  private init(
    _ pool: PostgresPool,
    _ opened: PostgresOpener.Opened,
    isReadOnly: Bool,
    isLogged: Bool,
    _ log: EventLog
  ) {
    let schema = opened.schema
    let model = schema.model
    self.model = model
    identifier = opened.identifier
    objectIDs = ObjectIDMaker(opened.schema.model, owner: opened.identifier)
    self.schema = schema
    keepsOldValues = Atomic(opened.keepsOldValues)
    canNotify = opened.canNotify
    generation = opened.generation
    location = pool.location
    self.pool = pool
    lanes = Lanes(pool.location.limits.connectionCount)
    self.isReadOnly = isReadOnly
    self.isLogged = isLogged
    self.log = log
    let indexes = model.entities.indices
    func plan(_ entity: Int, includesSubentities: Bool) -> RowPlan {
      RowPlan(
        entity: entity,
        includesSubentities: includesSubentities,
        schema: schema,
        externalFiles: .nowhere
      )
    }
    let plans = indexes.map { plan($0, includesSubentities: true) }
    familyPlans = plans
    ownPlans = indexes.map { entity in
      model.entities[entity].family.count == 1
        ? plans[entity] : plan(entity, includesSubentities: false)
    }
    packers = indexes.map {
      RowPacker(entity: $0, slots: model.entities[$0].slots.indices, schema: schema)
    }
  }

  /// As many threads as connections: more would wait in the pool.
  package func readInBackground(_ body: @escaping @Sendable () -> Void) { lanes.run(body) }

  deinit {
    watching.withLock { $0?.cancel() }
    pool.close()
  }

  package var textIndexes: (any TextIndexes)? { nil }

  package var counters: StoreCounters { StoreCounters(pool.counters) }
}

extension StoreCounters {
  /// What a pool has asked.
  init(_ counters: PostgresCounters) {
    self.init(
      statements: counters.statements,
      rows: counters.rows,
      roundTrips: counters.roundTrips
    )
  }
}

extension PostgresStore {
  /// Runs a closure on a connection and turns its failure into an error for users.
  ///
  /// What fails because a connection was lost, or because others were in the way, is tried again on another one: so the
  /// closure gives nothing to anybody before it has all.
  func read<Result>(
    _ cancellation: FetchCancellation? = nil,
    _ body: (PostgresConnection) throws(PostgresFailure) -> Result
  ) throws(PerennialError) -> Result {
    var attempt = Attempts()
    while true {
      do throws(PostgresFailure) {
        return try pool.use(cancellation) { connection throws(PostgresFailure) in
          try noting(on: connection, body)
        }
      } catch {
        guard attempt.mayRepeat(after: error) else {
          throw PerennialError(error, during: .reading, store: location)
        }
      }
    }
  }

  /// Throws when the store is only read.
  func checkWritable() throws(PerennialError) {
    if isReadOnly { throw .readOnly(location.description) }
  }
}
#endif
