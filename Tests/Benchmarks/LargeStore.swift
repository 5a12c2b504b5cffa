// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// A store of more rows, with an index on the date or without, which is read only.
///
/// The workload is made and written piece by piece, so that it takes no memory in this process.
struct LargeStore {
  private static let pieceCount = 10_000
  private static let index = "ZCOMMIT_ZDATE_INDEX"

  let file: URL
  let rows: Int
  /// What W10 reads: the sum of the newest commits and the number of all.
  private(set) var windowSum: UInt64

  /// Fills the empty store at `file`.
  init(filling file: URL, rows: Int, authors: [AuthorRecord]) throws {
    self.file = file
    self.rows = rows
    windowSum = UInt64(rows)
    let connection = try RawConnection(file, isWriter: true)
    let insert = RawInsert(connection: connection, rowsPerStatement: RawInsert.rowsOfTheStore)
    var source = CommitSource()
    var newest: ArraySlice<CommitRecord> = []
    try connection.transaction {
      try insert.insert(authors)
      var done = 0
      while done < rows {
        let piece = source.next(min(Self.pieceCount, rows - done))
        try insert.insert(piece, firstKey: Int64(done + 1))
        newest = (newest + piece).suffix(Operation.windowCount)
        done += piece.count
      }
    }
    try connection.execute("CREATE INDEX \(Self.index) ON ZCOMMIT (ZDATE)")
    try connection.checkpoint()
    for commit in newest { windowSum &+= Workload.sum(of: commit) }
  }

  /// Takes the index from a copy of another store.
  init(copy file: URL, withoutIndexOf other: LargeStore) throws {
    self.file = file
    rows = other.rows
    windowSum = other.windowSum
    let connection = try RawConnection(file, isWriter: true)
    try connection.execute("DROP INDEX \(Self.index)")
    try connection.checkpoint()
  }
}
