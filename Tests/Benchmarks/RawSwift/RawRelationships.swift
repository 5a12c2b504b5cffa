// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// W8 by hand: to-one targets from a dictionary, to-many counts with one kept statement.
enum RawRelationships {
  /// W8a: all commits, and the name of each one's author.
  static func authorNames(_ connection: RawConnection, rows: Int) throws -> UInt64 {
    let authors = try authors(connection)
    var byKey: [Int64: RawAuthor] = [:]
    byKey.reserveCapacity(authors.count)
    for author in authors { byKey[author.key] = author }
    let statement = try RawStatement(connection, "SELECT \(RawReads.columns) FROM ZCOMMIT")
    var commits: [RawCommit] = []
    commits.reserveCapacity(rows)
    while try statement.step() { commits.append(RawCommit(statement)) }
    var sum: UInt64 = 0
    for commit in commits { sum &+= nameSum(byKey[commit.author]?.name ?? "") }
    return sum
  }

  /// W8b: one COUNT for every author.
  static func counts(_ connection: RawConnection) throws -> UInt64 {
    let authors = try authors(connection)
    let statement = try RawStatement(
      connection,
      "SELECT COUNT(*) FROM ZCOMMIT WHERE ZAUTHOR = ?1"
    )
    var sum: UInt64 = 0
    for author in authors {
      statement.bind(1, author.key)
      _ = try statement.step()
      sum &+= weightedCount(Int(statement.integer(0)), of: author.name)
      statement.reset()
    }
    return sum
  }

  /// W8b: all counts with one statement.
  static func groupedCounts(_ connection: RawConnection) throws -> UInt64 {
    let authors = try authors(connection)
    let statement = try RawStatement(
      connection,
      "SELECT ZAUTHOR, COUNT(*) FROM ZCOMMIT GROUP BY ZAUTHOR"
    )
    var counts: [Int64: Int] = [:]
    counts.reserveCapacity(authors.count)
    while try statement.step() { counts[statement.integer(0)] = Int(statement.integer(1)) }
    var sum: UInt64 = 0
    for author in authors { sum &+= weightedCount(counts[author.key] ?? 0, of: author.name) }
    return sum
  }

  /// Q1: the author and the number of commits of each group, as values.
  static func countSquares(_ connection: RawConnection) throws -> UInt64 {
    let statement = try RawStatement(
      connection,
      "SELECT ZAUTHOR, COUNT(ZSHA) FROM ZCOMMIT GROUP BY ZAUTHOR"
    )
    var counts: [(author: Int64, count: Int64)] = []
    while try statement.step() { counts.append((statement.integer(0), statement.integer(1))) }
    return counts.reduce(0) { $0 &+ UInt64($1.count * $1.count) }
  }

  /// R1: the keys of all commits in the order of their authors' names, and where a name ends.
  static func sections(_ connection: RawConnection, rows: Int) throws -> UInt64 {
    let statement = try RawStatement(
      connection,
      """
      SELECT c.Z_PK, a.ZNAME FROM ZCOMMIT AS c LEFT JOIN ZAUTHOR AS a ON a.Z_PK = c.ZAUTHOR
      ORDER BY a.ZNAME, c.ZDATE DESC, c.Z_PK DESC
      """
    )
    var keys: [Int64] = []
    keys.reserveCapacity(rows)
    var names: [String] = []
    var starts: [Int] = []
    while try statement.step() {
      let name = statement.text(1)
      if names.last != name {
        names.append(name)
        starts.append(keys.count)
      }
      keys.append(statement.integer(0))
    }
    return zip(starts, starts.dropFirst() + [keys.count]).reduce(0) { sum, section in
      let count = UInt64(section.1 - section.0)
      return sum &+ count * count
    }
  }

  private static func authors(_ connection: RawConnection) throws -> [RawAuthor] {
    let statement = try RawStatement(connection, "SELECT Z_PK, ZNAME FROM ZAUTHOR")
    var authors: [RawAuthor] = []
    authors.reserveCapacity(Workload.authorCount)
    while try statement.step() { authors.append(RawAuthor(statement)) }
    return authors
  }
}
