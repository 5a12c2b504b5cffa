// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Searches by hand: W4, W5batch, W12 and P1 to P4.
enum RawSearches {
  /// The commits whose messages have a word, newest first when they are sorted.
  static func find(_ word: String, isSorted: Bool, _ connection: RawConnection) throws -> UInt64 {
    let statement = try RawStatement(
      connection,
      "SELECT \(RawReads.columns) FROM ZCOMMIT WHERE ZMESSAGE LIKE ?1"
        + (isSorted ? " ORDER BY ZDATE DESC" : "")
    )
    statement.bindCopy(1, "%\(word)%")
    var commits: [RawCommit] = []
    while try statement.step() { commits.append(RawCommit(statement)) }
    return commits.reduce(0) { $0 &+ rowSum(of: $1) }
  }

  /// W12: how many messages have a word.
  static func count(_ word: String, _ connection: RawConnection) throws -> UInt64 {
    let statement = try RawStatement(
      connection,
      "SELECT COUNT(*) FROM ZCOMMIT WHERE ZMESSAGE LIKE ?1"
    )
    statement.bindCopy(1, "%\(word)%")
    _ = try statement.step()
    return UInt64(statement.integer(0))
  }

  /// W5batch: one query for each batch, with one kept statement for whole batches.
  static func lookUp(_ connection: RawConnection, _ batches: [[String]]) throws -> UInt64 {
    var sum: UInt64 = 0
    var statement: RawStatement?
    var count = 0
    for batch in batches {
      if batch.count != count {
        count = batch.count
        let marks = Array(repeating: "?", count: count).joined(separator: ",")
        statement = try RawStatement(
          connection,
          "SELECT \(RawReads.columns) FROM ZCOMMIT WHERE ZSHA IN (\(marks))"
        )
      }
      guard let statement else { continue }
      sum &+= try lookUp(batch, statement)
    }
    return sum
  }

  private static func lookUp(_ batch: [String], _ statement: RawStatement) throws -> UInt64 {
    defer { statement.reset() }
    for (index, sha) in batch.enumerated() { statement.bindCopy(Int32(index + 1), sha) }
    var commits: [RawCommit] = []
    commits.reserveCapacity(batch.count)
    while try statement.step() { commits.append(RawCommit(statement)) }
    return commits.reduce(0) { $0 &+ rowSum(of: $1) }
  }
}

/// The bench's sum of one commit.
@inline(__always)
func rowSum(of commit: RawCommit) -> UInt64 {
  rowSum(message: commit.message, sha: commit.sha, url: commit.url, date: commit.date)
}
