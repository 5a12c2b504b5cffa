// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// W9 by hand, in two ways: a blind upsert, and fetch by `IN (500 keys)`, compare, update.
struct RawUpsert {
  private static let batchSize = 500

  let connection: RawConnection

  /// Writes every row, whether it differs or not.
  func blind(_ workload: Workload) throws {
    try connection.transaction {
      let keys = try authorKeys(workload)
      let statement = try RawStatement(
        connection,
        """
        INSERT INTO ZCOMMIT(Z_ENT,Z_OPT,ZAUTHOR,ZDATE,ZMESSAGE,ZSHA,ZURL)
        VALUES (\(RawSchema.commitEntity),1,?,?,?,?,?)
        ON CONFLICT(ZSHA) DO UPDATE SET Z_OPT=Z_OPT+1,ZAUTHOR=excluded.ZAUTHOR,
        ZDATE=excluded.ZDATE,ZMESSAGE=excluded.ZMESSAGE,ZURL=excluded.ZURL
        """
      )
      let texts = TextBatch()
      for commit in workload.commits {
        statement.bind(1, keys[commit.author])
        statement.bind(2, commit.date)
        statement.bind(3, texts.append(commit.message))
        statement.bind(4, texts.append(commit.sha))
        statement.bind(5, texts.append(commit.url))
        try statement.run()
        texts.removeAll()
      }
    }
  }

  /// Writes only rows that differ.
  ///
  /// All commits must exist.
  func comparing(_ workload: Workload) throws {
    try connection.transaction {
      let keys = try authorKeys(workload)
      let update = try RawStatement(
        connection,
        """
        UPDATE ZCOMMIT SET Z_OPT=Z_OPT+1,ZAUTHOR=?,ZDATE=?,ZMESSAGE=?,ZURL=?
        WHERE Z_PK=? AND Z_OPT=?
        """
      )
      let select = try selection(of: Self.batchSize)
      var rest = workload.commits[...]
      while rest.count >= Self.batchSize {
        try merge(rest.prefix(Self.batchSize), authorKeys: keys, select: select, update: update)
        rest = rest.dropFirst(Self.batchSize)
      }
      let last = try selection(of: rest.count)
      try merge(rest, authorKeys: keys, select: last, update: update)
    }
  }

  private func merge(
    _ commits: ArraySlice<CommitRecord>,
    authorKeys: [Int64],
    select: RawStatement,
    update: RawStatement
  ) throws {
    let existing = try fetch(commits, with: select)
    for commit in commits {
      guard let row = existing[commit.sha] else {
        throw BenchmarkError("A commit of the workload is not in the store.")
      }
      let author = authorKeys[commit.author]
      let isEqual =
        row.message == commit.message && row.url == commit.url && row.date == commit.date
        && row.author == author
      if isEqual { continue }
      update.bind(1, author)
      update.bind(2, commit.date)
      update.bindCopy(3, commit.message)
      update.bindCopy(4, commit.url)
      update.bind(5, row.key)
      update.bind(6, row.version)
      try update.run()
    }
  }

  private func selection(of count: Int) throws -> RawStatement {
    let marks = Array(repeating: "?", count: count).joined(separator: ",")
    return try RawStatement(
      connection,
      "SELECT \(RawReads.columns) FROM ZCOMMIT WHERE ZSHA IN (\(marks))"
    )
  }

  private func fetch(
    _ commits: ArraySlice<CommitRecord>,
    with statement: RawStatement
  ) throws -> [String: RawCommit] {
    defer { statement.reset() }
    for (index, commit) in commits.enumerated() {
      statement.bindCopy(Int32(index + 1), commit.sha)
    }
    var rows: [String: RawCommit] = [:]
    rows.reserveCapacity(commits.count)
    while try statement.step() {
      let row = RawCommit(statement)
      rows[row.sha] = row
    }
    return rows
  }

  /// The primary keys of the workload's authors, found by e-mail, in the workload's order.
  private func authorKeys(_ workload: Workload) throws -> [Int64] {
    let statement = try RawStatement(connection, "SELECT Z_PK, ZEMAIL FROM ZAUTHOR")
    var keys: [String: Int64] = [:]
    while try statement.step() { keys[statement.text(1)] = statement.integer(0) }
    return try workload.authors.map { author in
      guard let key = keys[author.email] else {
        throw BenchmarkError("An author of the workload is not in the store.")
      }
      return key
    }
  }
}
