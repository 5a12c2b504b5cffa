// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CPostgres
import Foundation

/// What hand-written code makes of a row.
struct RawServerCommit {
  let key: Int64
  let version: Int64
  let author: Int64
  let date: Date
  let message: String
  let sha: String
  let url: String

  static let columns = "z_pk, z_opt, zauthor, zdate, zmessage, zsha, zurl"

  @inline(__always)
  init(_ result: RawResult, _ row: Int32) {
    key = result.integer(row, 0)
    version = result.integer(row, 1)
    author = result.integer(row, 2)
    date = result.date(row, 3)
    message = result.text(row, 4)
    sha = result.text(row, 5)
    url = result.text(row, 6)
  }

  @inline(__always)
  var sum: UInt64 { rowSum(message: message, sha: sha, url: url, date: date) }
}

/// P2, P3 and P5b by hand.
struct RawReading {
  private let session: RawSession

  /// Connects and prepares.
  init(_ url: String) throws {
    session = try RawSession(url)
    let select = "SELECT \(RawServerCommit.columns) FROM zcommit"
    try session.prepare("all", select)
    try session.prepare("several", select + " WHERE zsha = ANY ($1)")
    try session.prepare("one", select + " WHERE zsha = $1")
  }

  /// All commits as an array of structs.
  func readAll() throws -> UInt64 { Self.sum(of: Self.commits(of: try session.run("all"))) }

  /// The same, but the rows are taken as they arrive.
  func readAsTheyArrive(_ count: Int) throws -> UInt64 {
    var commits: [RawServerCommit] = []
    commits.reserveCapacity(count)
    try session.send("all")
    PQsetSingleRowMode(session.connection)
    while let next = PQgetResult(session.connection) {
      let result = try session.check(RawResult(next))
      if result.count == 1 { commits.append(RawServerCommit(result, 0)) }
    }
    return Self.sum(of: commits)
  }

  /// The commits with these shas.
  func lookUp(_ batches: [[String]]) throws -> UInt64 {
    let parameters = RawParameters()
    var sum: UInt64 = 0
    for shas in batches {
      parameters.removeAll()
      if shas.count == 1 { parameters.append(shas[0]) } else { parameters.append(shas) }
      let result = try session.run(shas.count == 1 ? "one" : "several", parameters)
      sum &+= Self.sum(of: Self.commits(of: result))
    }
    return sum
  }

  private static func commits(of result: RawResult) -> [RawServerCommit] {
    let count = result.count
    var commits: [RawServerCommit] = []
    commits.reserveCapacity(count)
    for row in 0..<Int32(count) { commits.append(RawServerCommit(result, row)) }
    return commits
  }

  private static func sum(of commits: [RawServerCommit]) -> UInt64 {
    commits.reduce(0) { $0 &+ $1.sum }
  }
}
