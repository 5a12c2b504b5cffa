// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The reading operations by hand: W2, W3ids and W5.
enum RawReads {
  static let columns = "Z_PK, Z_OPT, ZAUTHOR, ZDATE, ZMESSAGE, ZSHA, ZURL"

  /// W2: one class instance per row, then every attribute of each is read.
  static func readAll(_ connection: RawConnection, rows: Int) throws -> UInt64 {
    let statement = try RawStatement(connection, "SELECT \(columns) FROM ZCOMMIT")
    var commits: [RawCommit] = []
    commits.reserveCapacity(rows)
    while try statement.step() { commits.append(RawCommit(statement)) }
    var sum: UInt64 = 0
    for commit in commits {
      sum &+= rowSum(
        message: commit.message,
        sha: commit.sha,
        url: commit.url,
        date: commit.date
      )
    }
    return sum
  }

  /// W2 with an array of structs.
  static func readAllAsStructs(_ connection: RawConnection, rows: Int) throws -> UInt64 {
    let statement = try RawStatement(connection, "SELECT \(columns) FROM ZCOMMIT")
    var commits: [RawCommitValue] = []
    commits.reserveCapacity(rows)
    while try statement.step() { commits.append(RawCommitValue(statement)) }
    var sum: UInt64 = 0
    for commit in commits {
      sum &+= rowSum(
        message: commit.message,
        sha: commit.sha,
        url: commit.url,
        date: commit.date
      )
    }
    return sum
  }

  /// W3ids: one class instance that knows its key for each row.
  static func faults(_ connection: RawConnection, rows: Int) throws -> UInt64 {
    let statement = try RawStatement(connection, "SELECT Z_PK FROM ZCOMMIT")
    var faults: [RawFault] = []
    faults.reserveCapacity(rows)
    while try statement.step() { faults.append(RawFault(key: statement.integer(0))) }
    return UInt64(faults.count)
  }

  /// W3ids: the keys and nothing else.
  static func keys(_ connection: RawConnection, rows: Int) throws -> UInt64 {
    let statement = try RawStatement(connection, "SELECT Z_PK FROM ZCOMMIT")
    var keys: [Int64] = []
    keys.reserveCapacity(rows)
    while try statement.step() { keys.append(statement.integer(0)) }
    return UInt64(keys.count)
  }

  /// W5: one look-up per sha with one kept statement.
  static func lookUp(_ connection: RawConnection, _ shas: [String]) throws -> UInt64 {
    let statement = try RawStatement(
      connection,
      "SELECT \(columns) FROM ZCOMMIT WHERE ZSHA = ?1"
    )
    var sum: UInt64 = 0
    for sha in shas {
      var sha = sha
      let found: RawCommit? = try sha.withUTF8 {
        statement.bind(1, $0)
        defer { statement.reset() }
        return try statement.step() ? RawCommit(statement) : nil
      }
      guard let found else { continue }
      sum &+= rowSum(message: found.message, sha: found.sha, url: found.url, date: found.date)
    }
    return sum
  }
}
