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
      [readAll, readAllAsStructs]
    case .fetchUntouched:
      [readAll]
    case .lookUp:
      [lookUp]
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

  private static var readAll: Contestant {
    Contestant(role: .yardstick, check: .sum) { trial in
      let connection = try RawConnection(trial.file, isWriter: false)
      return { try RawReads.readAll(connection, rows: trial.workload.commits.count) }
    }
  }

  private static var readAllAsStructs: Contestant {
    Contestant(role: .variant("raw Swift, array of structs"), check: .sum) { trial in
      let connection = try RawConnection(trial.file, isWriter: false)
      return { try RawReads.readAllAsStructs(connection, rows: trial.workload.commits.count) }
    }
  }

  private static var lookUp: Contestant {
    Contestant(role: .yardstick, check: .sum) { trial in
      let connection = try RawConnection(trial.file, isWriter: false)
      let shas = trial.workload.lookUps(Operation.lookUpCount)
      return { try RawReads.lookUp(connection, shas) }
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
