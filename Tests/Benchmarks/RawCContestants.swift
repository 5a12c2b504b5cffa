// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import BenchmarksRawC

/// The raw C loops as contestants, with the connections of the raw Swift side.
enum RawCContestants {
  static func contestants(for operation: Operation) -> [Contestant] {
    switch operation {
    case .insert:
      [
        insert(.rawC, rowsPerStatement: Int32(RawInsert.rowsOfTheStore)),
        insert(.variant("raw C, single-row INSERT"), rowsPerStatement: 1),
      ]
    case .readAll: [readAll]
    case .lookUp: [lookUp]
    case .upsertEqual, .upsertChanged: [upsert]
    default: []
    }
  }

  private static func insert(_ role: Contestant.Role, rowsPerStatement: Int32) -> Contestant {
    Contestant(role: role, check: .stored) { trial in
      let connection = try RawConnection(trial.file, isWriter: true)
      let data = CWorkload(trial.workload)
      guard let authors = data.authors.baseAddress, let commits = data.commits.baseAddress else {
        throw BenchmarkError("The workload is empty.")
      }
      return {
        try connection.check(
          rawc_insert(
            connection.handle,
            authors,
            Int32(data.authors.count),
            commits,
            Int32(data.commits.count),
            rowsPerStatement
          )
        )
        return 0
      }
    }
  }

  private static var readAll: Contestant {
    Contestant(role: .rawC, check: .sum) { trial in
      let connection = try RawConnection(trial.file, isWriter: false)
      return {
        var sum: UInt64 = 0
        try connection.check(rawc_read_all(connection.handle, &sum))
        return sum
      }
    }
  }

  private static var lookUp: Contestant {
    Contestant(role: .rawC, check: .sum) { trial in
      let connection = try RawConnection(trial.file, isWriter: false)
      let data = CWorkload(trial.workload)
      let shas = trial.workload.lookUps(Operation.sampleCount(of: trial.rows)).map(data.keep)
      return {
        defer { withExtendedLifetime(data) {} }
        var sum: UInt64 = 0
        try connection.check(rawc_look_up(connection.handle, shas, Int32(shas.count), &sum))
        return sum
      }
    }
  }

  private static var upsert: Contestant {
    Contestant(role: .rawC, check: .stored) { trial in
      let connection = try RawConnection(trial.file, isWriter: true)
      let data = CWorkload(trial.workload)
      guard let commits = data.commits.baseAddress else {
        throw BenchmarkError("The workload is empty.")
      }
      return {
        let count = Int32(data.commits.count)
        try connection.check(rawc_upsert(connection.handle, commits, count))
        return 0
      }
    }
  }
}
