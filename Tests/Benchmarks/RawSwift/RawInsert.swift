// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// W1 by hand: authors and commits in one transaction.
struct RawInsert {
  /// What the store uses: `INSERT OR ROLLBACK` with 16 rows.
  static let rowsOfTheStore = 16

  private static let head =
    "INSERT OR ROLLBACK INTO ZCOMMIT(Z_PK,Z_ENT,Z_OPT,ZAUTHOR,ZDATE,ZMESSAGE,ZSHA,ZURL) VALUES "
  private static let row = "(?,\(RawSchema.commitEntity),1,?,?,?,?,?)"

  let connection: RawConnection
  let rowsPerStatement: Int

  func run(_ workload: Workload) throws {
    try connection.transaction {
      try insert(workload.authors)
      try insert(workload.commits, firstKey: 1)
    }
  }

  /// Inserts authors, with keys from 1 on.
  func insert(_ authors: [AuthorRecord]) throws {
    try raiseKey(of: RawSchema.authorEntity, by: authors.count)
    try insertEach(authors)
  }

  /// Inserts commits, with successive keys.
  func insert(_ commits: [CommitRecord], firstKey: Int64) throws {
    try raiseKey(of: RawSchema.commitEntity, by: commits.count)
    let rest = try insert(commits[...], rows: rowsPerStatement, firstKey: firstKey)
    _ = try insert(rest, rows: 1, firstKey: firstKey)
  }

  private func raiseKey(of entity: Int64, by count: Int) throws {
    try connection.execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + \(count) WHERE Z_ENT = \(entity)"
    )
  }

  private func insertEach(_ authors: [AuthorRecord]) throws {
    let statement = try RawStatement(
      connection,
      """
      INSERT OR ROLLBACK INTO ZAUTHOR(Z_PK,Z_ENT,Z_OPT,ZEMAIL,ZNAME)
      VALUES (?,\(RawSchema.authorEntity),1,?,?)
      """
    )
    for (index, author) in authors.enumerated() {
      statement.bind(1, Int64(index + 1))
      statement.bindCopy(2, author.email)
      statement.bindCopy(3, author.name)
      try statement.run()
    }
  }

  /// Inserts as many commits as fill whole statements of `rows` rows, and returns the rest.
  private func insert(
    _ commits: ArraySlice<CommitRecord>,
    rows: Int,
    firstKey: Int64
  ) throws -> ArraySlice<CommitRecord> {
    let values = Array(repeating: Self.row, count: rows).joined(separator: ",")
    let statement = try RawStatement(connection, Self.head + values)
    let texts = TextBatch()
    var next = commits.startIndex
    while next + rows <= commits.endIndex {
      var parameter: Int32 = 1
      for index in next..<next + rows {
        bind(commits[index], key: firstKey + Int64(index), to: statement, at: parameter, texts)
        parameter += 6
      }
      try statement.run()
      texts.removeAll()
      next += rows
    }
    return commits[next...]
  }

  @inline(__always)
  private func bind(
    _ commit: CommitRecord,
    key: Int64,
    to statement: RawStatement,
    at first: Int32,
    _ texts: TextBatch
  ) {
    statement.bind(first, key)
    statement.bind(first + 1, Int64(commit.author + 1))
    statement.bind(first + 2, commit.date)
    statement.bind(first + 3, texts.append(commit.message))
    statement.bind(first + 4, texts.append(commit.sha))
    statement.bind(first + 5, texts.append(commit.url))
  }
}
