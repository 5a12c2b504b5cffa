// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
import PerennialSQL
package import PerennialStore
import Synchronization

extension PostgresStore {
  /// Writes a change set.
  ///
  /// What the server undoes because others were in the way (40001, 40P01), and what is lost with a connection before it
  /// can have been committed, is done again from its beginning. When a connection is lost during the commit, a token
  /// tells how it has ended (``SaveToken``); only if the server stays away is that not known: 200032. The next attempt to save asks again.
  package func save(_ changes: ChangeSet) throws(SaveFailure) {
    guard !changes.isEmpty else { return }
    let conflicts: [SaveConflict]
    do throws(PerennialError) {
      try checkWritable()
      conflicts = try write(changes)
    } catch {
      throw .failed(error)
    }
    if !conflicts.isEmpty { throw .conflicts(conflicts) }
  }

  /// Saves, and gives the conflicts that forbade it.
  private func write(_ changes: ChangeSet) throws(PerennialError) -> [SaveConflict] {
    var attempts = Attempts()
    var mode = PostgresSave.Mode.trusting
    if let doubt = written.withLock({ $0.doubt(changes.identifier) }) {
      // Meanwhile more may have been changed, or all been rolled back and changed anew.
      let isSame = doubt.digest == digest(of: changes)
      if try isCommitted(doubt.token, changes), isSame { return [] }
    }
    while true {
      let token = Int64.random(in: .min ... .max)
      do throws(PostgresFailure) {
        try attempt(changes, mode, token)
        return []
      } catch {
        if error.outcome == .unknown {
          let doubt = WrittenSets.Doubt(token: token, digest: digest(of: changes))
          written.withLock { $0.note(changes.identifier, doubt) }
          if try isCommitted(token, changes) { return [] }
          var failure = error
          failure.outcome = .undone
          guard attempts.mayRepeat(after: failure) else { throw problem(failure, changes) }
        } else if error.isConflict {
          let finder = try findConflicts(changes)
          if !finder.conflicts.isEmpty { return finder.conflicts }
          // Nothing is in the way any more, or the rows are in each other's.
          if case .careful = mode, !attempts.mayRepeatConflict() { throw problem(error, changes) }
          mode = .careful(finder.settled)
        } else if !attempts.mayRepeat(after: error) {
          throw problem(error, changes)
        }
      }
    }
  }

  private func attempt(
    _ changes: ChangeSet,
    _ mode: PostgresSave.Mode,
    _ token: Int64
  ) throws(PostgresFailure) {
    let old = written.withLock { $0.takeCommitted() }
    let number: Int64?
    do throws(PostgresFailure) {
      number = try inTransaction { connection throws(PostgresFailure) in
        var save = PostgresSave(connection, self, changes, mode)
        return try save.run(token, forgetting: old)
      }
    } catch {
      written.withLock { $0.giveBack(old) }
      throw error
    }
    ownTransactions.note(number)
    written.withLock { $0.noteCommitted(changes.identifier, token) }
  }

  /// Whether an attempt to save whose connection was lost has been committed.
  private func isCommitted(
    _ token: Int64,
    _ changes: ChangeSet
  ) throws(PerennialError) -> Bool {
    let isCommitted = try isCommitted(token)
    written.withLock {
      if isCommitted {
        $0.noteCommitted(changes.identifier, token)
      } else {
        $0.forgetDoubt(changes.identifier)
      }
    }
    return isCommitted
  }

  /// Asks the server how an attempt of a token has ended, for some time when it is away.
  func isCommitted(_ token: Int64) throws(PerennialError) -> Bool {
    var attempts = Attempts(askingFor: location.limits.connectTimeout)
    while true {
      do throws(PostgresFailure) {
        return try pool.use { connection throws(PostgresFailure) in
          try SaveToken.isCommitted(token, connection)
        }
      } catch {
        // It may be asked again.
        var failure = error
        if failure.breaksConnection { failure.outcome = .undone }
        if attempts.mayAskAgain(after: failure) { continue }
        failure.kind = .connectionLost
        failure.outcome = .unknown
        throw PerennialError(failure, during: .saving, store: location)
      }
    }
  }

  private func findConflicts(
    _ changes: ChangeSet
  ) throws(PerennialError) -> ConflictFinder<StoredServerRows> {
    let isRepeated = written.withLock { $0.contains(changes.identifier) }
    return try read { connection throws(PostgresFailure) in
      try connection.transaction(.reading) { connection throws(PostgresFailure) in
        var finder = ConflictFinder(
          rows: StoredServerRows(connection: connection, schema: schema, plans: familyPlans),
          schema: schema,
          changes: changes,
          isRepeated: isRepeated
        )
        try finder.run()
        return finder
      }
    }
  }

  /// A failure to save a change set as users see it.
  private func problem(_ failure: PostgresFailure, _ changes: ChangeSet) -> PerennialError {
    if failure.kind == .nulInText, let problem = NULSearch(schema.model).problem(in: changes) {
      return problem
    }
    if failure.state == .programLimitExceeded,
      let problem = IndexedValueSearch(schema).problem(in: changes, failure)
    {
      return problem
    }
    return problem(failure)
  }

  /// A failure to write as users see it.
  func problem(_ failure: PostgresFailure) -> PerennialError {
    guard failure.isConflict else {
      return PerennialError(failure, during: .saving, store: location)
    }
    return PerennialError(
      .managedObjectConstraintMerge,
      "Two rows of one save have the same values of a uniqueness constraint.",
      recovery: "change or delete one of the objects",
      underlying: failure
    )
  }
}

extension PostgresStore {
  package func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    try checkWritable()
    let known = keys.withLock { $0[root, default: 0..<0].take(count) }
    if let known { return known }
    let blockCount = max(count, Self.leastBlock)
    let sql = schema.dialect.finished(
      schema.dialect.keyReservation(
        of: schema.table(of: root),
        key: schema.rows.key,
        number: schema.number(of: root),
        in: schema.names.counters
      )
    )
    // Keys that are lost with a connection are no loss: it is tried again like a query.
    let result = try read { connection throws(PostgresFailure) in
      try connection.run(sql, [.integer(Int64(blockCount))], .reading)
    }
    guard result.count == 1 else {
      throw PerennialError(
        .persistentStoreSave,
        "The store '\(location)' has no counter for the keys of '\(model.entities[root].name)'.",
        recovery: "restore the row of the entity in '\(schema.names.counters.table.inCatalogue)'"
      )
    }
    let last = result.integer(0, 0)
    let first = last - Int64(blockCount) + 1
    let possible = PostgresFailure.possibleKeys
    // The counter is as the server has it.
    guard possible.contains(first), possible.contains(last) else {
      throw PerennialError(
        .persistentStoreSave,
        """
        The store '\(location)' cannot give '\(model.entities[root].name)' keys up to \(last): \
        there are 2^47 - 1.
        """,
        recovery: """
          set the counter in '\(schema.names.counters.table.inCatalogue)' to the greatest key of \
          its rows
          """
      )
    }
    if blockCount > count {
      keys.withLock { $0[root] = first + Int64(count)..<last + 1 }
    }
    return first
  }

  /// So many keys are set aside at a time: a save of few new objects asks the server for none.
  private static let leastBlock = 256
}

extension Range<Int64> {
  /// Takes so many successive numbers from the beginning.
  ///
  /// - Returns: The first, or `nil` when there are less.
  fileprivate mutating func take(_ count: Int) -> Int64? {
    guard self.count >= count else { return nil }
    defer { self = lowerBound + Int64(count)..<upperBound }
    return lowerBound
  }
}
#endif
