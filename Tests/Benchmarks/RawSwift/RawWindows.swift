// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The first rows of a list by hand: W10 without batches, and W14.
enum RawWindows {
  /// W10: the newest commits, so many times with one kept statement.
  static func first(_ connection: RawConnection, turns: Int) throws -> UInt64 {
    let statement = try RawStatement(
      connection,
      "SELECT \(RawReads.columns) FROM ZCOMMIT ORDER BY ZDATE DESC LIMIT \(Operation.windowCount)"
    )
    var sum: UInt64 = 0
    for _ in 0..<turns { sum = try window(statement).reduce(0) { $0 &+ rowSum(of: $1) } }
    return sum
  }

  /// W14: opens the store and fetches some commits, so many times; returns how many they were.
  static func open(_ file: URL, isWriter: Bool, turns: Int) throws -> Int {
    var count = 0
    for _ in 0..<turns {
      let connection = try RawConnection(file, isWriter: isWriter)
      let statement = try RawStatement(
        connection,
        "SELECT \(RawReads.columns) FROM ZCOMMIT LIMIT \(Operation.windowCount)"
      )
      count += try window(statement).count
    }
    return count
  }

  private static func window(_ statement: RawStatement) throws -> [RawCommit] {
    defer { statement.reset() }
    var commits: [RawCommit] = []
    commits.reserveCapacity(Operation.windowCount)
    while try statement.step() { commits.append(RawCommit(statement)) }
    return commits
  }
}
