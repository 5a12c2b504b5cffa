// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What is measured on a server.
enum PostgresOperation: String, CaseIterable {
  case insert = "P1"
  case readAll = "P2"
  case lookUpBatches = "P3a"
  case lookUpAll = "P3b"
  case saveMany = "P4"
  case saveOne = "P5a"
  case lookUpOne = "P5b"

  var summary: String {
    switch self {
    case .insert: "insert N commits and their authors, one save; raw: \(RawInsertion.summary)"
    case .readAll: "fetch N commits and read all attributes; raw: an array of structs"
    case .lookUpBatches: "10,000 commits by their shas, 100 at a time"
    case .lookUpAll: "10,000 commits by their shas at once"
    case .saveMany: "change 1,000 objects and save"
    case .saveOne: "change an object and save, 200 times one after the other"
    case .lookUpOne: "a commit by its sha, 1,000 times one after the other"
    }
  }

  /// How many commits it is about, of so many.
  func count(of rows: Int) -> Int {
    switch self {
    case .insert, .readAll: rows
    case .lookUpBatches, .lookUpAll: min(rows, 10_000)
    case .saveMany, .lookUpOne: min(rows, 1_000)
    case .saveOne: min(rows, 200)
    }
  }

  /// How many are asked for, or saved, at a time.
  var batchSize: Int {
    switch self {
    case .insert, .readAll, .lookUpAll, .saveMany: .max
    case .lookUpBatches: 100
    case .saveOne, .lookUpOne: 1
    }
  }
}
