// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// W6 and W7 by hand: objects that were fetched before are changed or deleted in one transaction.
struct RawEdits {
  let connection: RawConnection
  /// The oldest commits, oldest first.
  let commits: [RawCommit]

  /// Fetches so many commits, which is not measured.
  init(_ connection: RawConnection, count: Int) throws {
    self.connection = connection
    let statement = try RawStatement(
      connection,
      "SELECT \(RawReads.columns) FROM ZCOMMIT ORDER BY ZDATE LIMIT \(count)"
    )
    var commits: [RawCommit] = []
    commits.reserveCapacity(count)
    while try statement.step() { commits.append(RawCommit(statement)) }
    self.commits = commits
  }

  /// Gives the commits the messages of the workload and writes them.
  func update(_ workload: Workload) throws {
    for (commit, record) in zip(commits, workload.commits) { commit.message = record.message }
    try connection.transaction {
      let statement = try RawStatement(
        connection,
        "UPDATE ZCOMMIT SET ZMESSAGE=?,Z_OPT=Z_OPT+1 WHERE Z_PK=? AND Z_OPT=?"
      )
      for commit in commits {
        try commit.message.withUTF8 {
          statement.bind(1, $0)
          statement.bind(2, commit.key)
          statement.bind(3, commit.version)
          try statement.run()
        }
      }
    }
  }

  /// Deletes the commits.
  func delete() throws {
    try connection.transaction {
      let statement = try RawStatement(
        connection,
        "DELETE FROM ZCOMMIT WHERE Z_PK=? AND Z_OPT=?"
      )
      for commit in commits {
        statement.bind(1, commit.key)
        statement.bind(2, commit.version)
        try statement.run()
      }
    }
  }
}
