// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The operations of the workload, named as in the targets of the performance page.
enum Operation: String, CaseIterable {
  case insert = "W1"
  case readAll = "W2"
  case fetchUntouched = "W3"
  case lookUp = "W5"
  case upsertEqual = "W9a"
  case upsertChanged = "W9b"

  /// How many look-ups W5 makes.
  static let lookUpCount = 10_000

  /// One line for the reader of `--help`.
  var summary: String {
    switch self {
    case .insert: "insert N objects with their authors, one save"
    case .readAll: "fetch all and read every attribute"
    case .fetchUntouched: "fetch all, attributes untouched (rows loaded); raw is that of W2"
    case .lookUp: "10,000 fetches by the unique sha"
    case .upsertEqual: "upsert N that exist, nothing differs; raw is the blind upsert"
    case .upsertChanged: "upsert N that exist, every message differs; raw is the blind upsert"
    }
  }

  /// The ratio to raw Swift that Perennial must not exceed.
  var target: Double {
    switch self {
    case .insert: 1.0
    case .readAll: 0.75
    case .fetchUntouched: 0.55
    case .lookUp: 1.15
    case .upsertEqual: 0.8
    case .upsertChanged: 1.3
    }
  }

  /// Raw Swift ÷ raw C as once measured (table T2b); nil where there is no raw C loop.
  var measuredRatioToC: Double? {
    switch self {
    case .insert: 1.17
    case .readAll: 3.59
    case .fetchUntouched: nil
    case .lookUp: 1.06
    case .upsertEqual, .upsertChanged: 1.12
    }
  }

  /// True when each repetition needs an empty store.
  var startsEmpty: Bool { self == .insert }

  /// True when each repetition writes what no other has written before.
  var needsRevision: Bool { self == .upsertChanged }
}
