// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// W10 by hand: the keys of all commits, newest first, then the rows of the first window.
enum RawBatch {
  static func window(_ connection: RawConnection, rows: Int) throws -> UInt64 {
    let keys = try self.keys(connection, rows: rows)
    let marks = Array(repeating: "?", count: Operation.windowCount).joined(separator: ",")
    let statement = try RawStatement(
      connection,
      "SELECT \(RawReads.columns) FROM ZCOMMIT WHERE Z_PK IN (\(marks))"
    )
    for (index, key) in keys.prefix(Operation.windowCount).enumerated() {
      statement.bind(Int32(index + 1), key)
    }
    var commits: [RawCommit] = []
    commits.reserveCapacity(Operation.windowCount)
    while try statement.step() { commits.append(RawCommit(statement)) }
    var sum = UInt64(keys.count)
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

  private static func keys(_ connection: RawConnection, rows: Int) throws -> [Int64] {
    let statement = try RawStatement(connection, "SELECT Z_PK FROM ZCOMMIT ORDER BY ZDATE DESC")
    var keys: [Int64] = []
    keys.reserveCapacity(rows)
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }
}
