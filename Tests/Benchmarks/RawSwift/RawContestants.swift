// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The hand-written side: the yardstick of every operation and its variants.
enum RawContestants {
  static func contestants(for operation: Operation) -> [Contestant] {
    switch operation {
    case .insert:
      [
        insert(.yardstick, rowsPerStatement: RawInsert.rowsOfTheStore),
        insert(.variant("raw Swift, single-row INSERT"), rowsPerStatement: 1),
      ]
    case .readAll:
      [
        read(.yardstick) { try RawReads.readAll($0, rows: $1) },
        read(.variant("raw Swift, array of structs")) {
          try RawReads.readAllAsStructs($0, rows: $1)
        },
      ]
    case .fetchUntouched:
      [read(.yardstick) { try RawReads.readAll($0, rows: $1) }]
    case .fetchFaults:
      [
        read(.yardstick, check: .count) { try RawReads.faults($0, rows: $1) },
        read(.variant("raw Swift, keys only"), check: .count) { try RawReads.keys($0, rows: $1) },
      ]
    case .lookUp:
      [lookUp]
    case .lookUpBatches:
      [lookUpBatches]
    case .update:
      [edit { try $0.update($1) }]
    case .delete:
      [edit { edits, _ in try edits.delete() }]
    case .toOne:
      [read(.yardstick) { try RawRelationships.authorNames($0, rows: $1) }]
    case .toManyCount:
      [
        read(.yardstick) { connection, _ in try RawRelationships.counts(connection) },
        read(.variant("raw Swift, one GROUP BY")) { connection, _ in
          try RawRelationships.groupedCounts(connection)
        },
      ]
    case .first, .firstIndexed:
      [
        read(.yardstick) { connection, _ in
          try RawWindows.first(connection, turns: operation.turnCount)
        }
      ]
    case .batchedIndexed, .batched:
      [read(.yardstick) { try RawBatch.window($0, rows: $1) }]
    case .memory, .memoryOfFew:
      [read(.yardstick) { try RawReads.readAll($0, rows: $1) }]
    case .faultMemory:
      [read(.yardstick, check: .count) { try RawReads.faults($0, rows: $1) }]
    case .listMemory:
      [read(.yardstick, check: .count) { try RawReads.keys($0, rows: $1) }]
    case .search, .scan, .accentScan, .words, .rareWords:
      [
        read(.yardstick) { connection, _ in
          let word = operation.word ?? ""
          return try RawSearches.find(word, isSorted: operation == .search, connection)
        }
      ]
    case .countMatches:
      [
        read(.yardstick) { connection, _ in
          try RawSearches.count(operation.word ?? "", connection)
        }
      ]
    case .open:
      [
        open(.yardstick, isWriter: true),
        open(.variant("raw Swift, read only"), isWriter: false),
      ]
    case .sectionedController: [read(.yardstick) { try RawRelationships.sections($0, rows: $1) }]
    case .groupedCount:
      [read(.yardstick) { connection, _ in try RawRelationships.countSquares(connection) }]
    case .results: [read(.yardstick) { try RawRelationships.sections($0, rows: $1) }]
    case .parse, .evaluate, .history, .oneChange, .manyChanges, .controllers: []
    case .readNumber, .readEditedNumber, .readText: []
    case .jsonOpen, .jsonSave, .jsonMemory, .jsonSavingMemory: []
    case .migrateAttribute, .migrateEntity: []
    case .batchInsert: [batchInsert]
    case .batchUpdate: [write { try RawStatements.update($0) }]
    case .batchDelete: [write { try RawStatements.delete($0) }]
    case .upsertEqual, .upsertChanged:
      [
        upsert(.yardstick) { try $0.blind($1) },
        upsert(.variant("raw Swift, IN (500 keys) + compare")) { try $0.comparing($1) },
      ]
    }
  }

  private static func insert(_ role: Contestant.Role, rowsPerStatement: Int) -> Contestant {
    Contestant(role: role, check: .stored) { trial in
      let connection = try RawConnection(trial.file, isWriter: true)
      let insert = RawInsert(connection: connection, rowsPerStatement: rowsPerStatement)
      return {
        try insert.run(trial.workload)
        return 0
      }
    }
  }

  /// A contestant that reads; it gets the number of rows, to reserve room.
  private static func read(
    _ role: Contestant.Role,
    check: Contestant.Check = .sum,
    _ work: @escaping (RawConnection, Int) throws -> UInt64
  ) -> Contestant {
    Contestant(role: role, check: check) { trial in
      let connection = try RawConnection(trial.file, isWriter: false)
      return { try work(connection, trial.rows) }
    }
  }

  /// A contestant that changes what it has fetched before.
  private static func edit(
    _ work: @escaping (RawEdits, Workload) throws -> Void
  ) -> Contestant {
    Contestant(role: .yardstick, check: .stored) { trial in
      let connection = try RawConnection(trial.file, isWriter: true)
      let edits = try RawEdits(connection, count: Operation.sampleCount(of: trial.rows))
      return {
        try work(edits, trial.workload)
        return 0
      }
    }
  }

  /// The authors are there before the measured time, as on the other side.
  private static var batchInsert: Contestant {
    Contestant(role: .yardstick, check: .stored) { trial in
      let connection = try RawConnection(trial.file, isWriter: true)
      let insert = RawInsert(
        connection: connection,
        rowsPerStatement: RawInsert.rowsOfTheStore
      )
      try connection.transaction { try insert.insert(trial.workload.authors) }
      return {
        try connection.transaction { try insert.insert(trial.workload.commits, firstKey: 1) }
        return 0
      }
    }
  }

  /// A contestant that changes rows by one statement, and says how many.
  private static func write(_ work: @escaping (RawConnection) throws -> UInt64) -> Contestant {
    Contestant(role: .yardstick, check: .count) { trial in
      let connection = try RawConnection(trial.file, isWriter: true)
      return { try work(connection) }
    }
  }

  private static var lookUp: Contestant {
    Contestant(role: .yardstick, check: .sum) { trial in
      let connection = try RawConnection(trial.file, isWriter: false)
      let shas = trial.workload.lookUps(Operation.sampleCount(of: trial.rows))
      return { try RawReads.lookUp(connection, shas) }
    }
  }

  private static var lookUpBatches: Contestant {
    Contestant(role: .yardstick, check: .sum) { trial in
      let connection = try RawConnection(trial.file, isWriter: false)
      let batches = trial.lookUpBatches
      return { try RawSearches.lookUp(connection, batches) }
    }
  }

  private static func open(_ role: Contestant.Role, isWriter: Bool) -> Contestant {
    Contestant(role: role, check: .count) { trial in
      let turns = Operation.open.turnCount
      return {
        let count = try RawWindows.open(trial.file, isWriter: isWriter, turns: turns)
        return UInt64(count == Operation.windowCount * turns ? trial.rows : count)
      }
    }
  }

  private static func upsert(
    _ role: Contestant.Role,
    _ run: @escaping (RawUpsert, Workload) throws -> Void
  ) -> Contestant {
    Contestant(role: role, check: .stored) { trial in
      let upsert = RawUpsert(connection: try RawConnection(trial.file, isWriter: true))
      return {
        try run(upsert, trial.workload)
        return 0
      }
    }
  }
}
