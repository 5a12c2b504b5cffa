// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// P1 by hand: authors and commits in one transaction, many rows in a statement, all in one pipeline.
struct RawInsertion {
  /// How many rows a statement inserts: fewer and more are slower.
  static let rowsPerStatement = 100
  static let summary = "INSERTs of \(rowsPerStatement) rows in a pipeline"

  private let session: RawSession
  private let commitEntity: Int64
  private let authorEntity: Int64

  /// Connects and prepares.
  init(_ url: String) throws {
    session = try RawSession(url)
    let entities = try session.execute("SELECT z_ent FROM z_primarykey ORDER BY z_name")
    authorEntity = entities.decimal(0, 0)
    commitEntity = entities.decimal(1, 0)
    try session.prepare("begin", "BEGIN")
    try session.prepare("commit", "COMMIT")
    try session.prepare("keys", "UPDATE z_primarykey SET z_max = z_max + $1 WHERE z_ent = $2")
    for rows in [1, Self.rowsPerStatement] {
      try prepare("authors", "zauthor", ["zemail", "zname"], authorEntity, rows)
      try prepare(
        "commits",
        "zcommit",
        ["zauthor", "zdate", "zmessage", "zsha", "zurl"],
        commitEntity,
        rows
      )
    }
  }

  private func prepare(
    _ name: String,
    _ table: String,
    _ columns: [String],
    _ entity: Int64,
    _ rows: Int
  ) throws {
    let count = columns.count + 1
    let values = (0..<rows).map { row in
      let marks = (1...count).map { "$\(row * count + $0)" }
      return "(\(marks.joined(separator: ", ")), \(entity), 1)"
    }
    let names = ["z_pk"] + columns + ["z_ent", "z_opt"]
    try session.prepare(
      "\(name)\(rows)",
      "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES \(values.joined(separator: ", "))"
    )
  }

  func run(_ workload: Workload) throws {
    let parameters = RawParameters()
    try session.pipeline {
      try session.send("begin")
      for (count, entity) in [
        (workload.authors.count, authorEntity), (workload.commits.count, commitEntity),
      ] {
        parameters.removeAll()
        parameters.append(Int64(count))
        parameters.append(entity)
        try session.send("keys", parameters)
      }
      try send("authors", workload.authors, parameters) { index, author in
        parameters.append(Int64(index + 1))
        parameters.append(author.email)
        parameters.append(author.name)
      }
      try send("commits", workload.commits, parameters) { index, commit in
        parameters.append(Int64(index + 1))
        parameters.append(Int64(commit.author + 1))
        parameters.append(commit.date.timeIntervalSinceReferenceDate)
        parameters.append(commit.message)
        parameters.append(commit.sha)
        parameters.append(commit.url)
      }
      try session.send("commit")
    }
  }

  /// Sends as many rows as fill whole statements, and the rest one by one.
  private func send<Record>(
    _ name: String,
    _ records: [Record],
    _ parameters: RawParameters,
    _ append: (Int, Record) -> Void
  ) throws {
    let whole = records.count - records.count % Self.rowsPerStatement
    for (rows, range) in [(Self.rowsPerStatement, 0..<whole), (1, whole..<records.count)] {
      for start in stride(from: range.lowerBound, to: range.upperBound, by: rows) {
        parameters.removeAll()
        for index in start..<start + rows { append(index, records[index]) }
        try session.send("\(name)\(rows)", parameters)
      }
    }
  }
}

extension RawResult {
  /// A number in decimal digits, as statements without parameters give it.
  func decimal(_ row: Int32, _ column: Int32) -> Int64 { Int64(text(row, column)) ?? 0 }
}
