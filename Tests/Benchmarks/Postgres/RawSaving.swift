// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// P4 and P5a by hand: the beginning, the changes and the commit of each save go out at once.
struct RawSaving {
  private let session: RawSession
  /// The commits' keys and versions, by their shas.
  private var rows: [String: (key: Int64, version: Int64)] = [:]

  /// Connects, prepares and reads.
  init(_ url: String) throws {
    session = try RawSession(url)
    try session.prepare("begin", "BEGIN")
    try session.prepare("commit", "COMMIT")
    try session.prepare(
      "several",
      """
      UPDATE zcommit AS t SET z_opt = n.v, zmessage = n.m
      FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS n (k, v, m)
      WHERE t.z_pk = n.k AND t.z_opt = n.v - 1
      """
    )
    try session.prepare(
      "one",
      "UPDATE zcommit SET z_opt = $2, zmessage = $3 WHERE z_pk = $1 AND z_opt = $2::bigint - 1"
    )
    try session.prepare("rows", "SELECT zsha, z_pk, z_opt FROM zcommit")
    let result = try session.run("rows")
    for row in 0..<Int32(result.count) {
      rows[result.text(row, 0)] = (result.integer(row, 1), result.integer(row, 2))
    }
  }

  /// Saves new messages of commits.
  func save(_ batches: [[(sha: String, message: String)]]) throws {
    let parameters = RawParameters()
    for batch in batches {
      parameters.removeAll()
      let known = batch.map { rows[$0.sha] ?? (0, 0) }
      if batch.count == 1 {
        parameters.append(known[0].key)
        parameters.append(known[0].version + 1)
        parameters.append(batch[0].message)
      } else {
        parameters.append(known.map(\.key))
        parameters.append(known.map { $0.version + 1 })
        parameters.append(batch.map(\.message))
      }
      try session.pipeline {
        try session.send("begin")
        try session.send(batch.count == 1 ? "one" : "several", parameters)
        try session.send("commit")
      }
    }
  }
}
