// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The operations of the workload, named as in the targets of the performance page.
enum Operation: String, CaseIterable {
  case insert = "W1"
  case readAll = "W2"
  case fetchUntouched = "W3"
  case lookUp = "W5"
  case update = "W6"
  case delete = "W7"
  case toOne = "W8a"
  case toManyCount = "W8b"
  case upsertEqual = "W9a"
  case upsertChanged = "W9b"
  case batched = "W10"
  case memory = "W11"
  case scan = "P1"
  case accentScan = "P2"
  case words = "P3"
  case rareWords = "P4"
  case parse = "P5"
  case evaluate = "P6"
  case groupedCount = "Q1"
  case history = "H1"
  case batchInsert = "B1"
  case batchUpdate = "B2"
  case batchDelete = "B3"
  case results = "R1"
  case oneChange = "R2"
  case manyChanges = "R3"
  case controllers = "W13"
  case jsonOpen = "J1"
  case jsonSave = "J2"
  case jsonMemory = "J3"
  case jsonSavingMemory = "J4"
  case migrateAttribute = "G1"
  case migrateEntity = "G2"

  /// What is measured when nothing is named: the workload of the performance page.
  static let workload = allCases.filter { $0.rawValue.hasPrefix("W") }

  /// How many rows W10 shows of its sorted list.
  static let windowCount = 20

  /// How many objects W5, W6 and W7 work on: a tenth, at most 10,000.
  static func sampleCount(of rows: Int) -> Int { min(10_000, rows / 10) }

  /// One line for the reader of `--help`.
  var summary: String {
    switch self {
    case .insert: "insert N objects with their authors, one save"
    case .readAll: "fetch all and read every attribute"
    case .fetchUntouched: "fetch all, attributes untouched (rows loaded); raw is that of W2"
    case .lookUp: "10,000 fetches by the unique sha"
    case .update: "change the message of 10,000 fetched objects, save"
    case .delete: "delete 10,000 fetched objects, save"
    case .toOne: "fetch all and read the author's name of each, by faults"
    case .toManyCount: "fetch all authors and count the commits of each"
    case .upsertEqual: "upsert N that exist, nothing differs; raw is the blind upsert"
    case .upsertChanged: "upsert N that exist, every message differs; raw is the blind upsert"
    case .batched: "all IDs of 10 N rows sorted by an indexed date, then the first 20 rows"
    case .memory: "bytes per object while W2 runs over 10 N rows, in a process of its own"
    case .scan: "fetch by message CONTAINS[c] 'fix', 5 % of N; raw is LIKE '%fix%'"
    case .accentScan: "the same by CONTAINS[cd]; raw is that of P1"
    case .words: "P1 with a full-text index; raw is that of P1"
    case .rareWords: "P3 for a text that one in 10,000 has; raw is LIKE"
    case .parse: "nanoseconds to read a format of 60 characters"
    case .evaluate: "nanoseconds an object for date > constant in a store in memory"
    case .groupedCount: "dictionaries: the number of commits of each author, in one GROUP BY"
    case .history: "W1 into a store that keeps a history; raw is W1 into one that does not"
    case .batchInsert: "batch insertion of N dictionaries with their authors' IDs, one save"
    case .batchUpdate: "batch update: another url for all commits after a date"
    case .batchDelete: "batch deletion of all commits after a date"
    case .results: "performFetch in sections by author, batch size 20; raw is IDs and names"
    case .oneChange: "nanoseconds from a changed object to the report of R1's controller"
    case .manyChanges: "nanoseconds from 1,000 changed objects to the report of R1's controller"
    case .controllers:
      "nanoseconds for each of 1,000 controllers of N / 100 objects when N / 10 change"
    case .jsonOpen: "open a JSON store and count; raw is JSONDecoder into structs, same file"
    case .jsonSave: "save one change of a JSON store; raw is JSONEncoder of its structs, written"
    case .jsonMemory: "bytes per object while J1 runs, own process; raw is the structs alone"
    case .jsonSavingMemory: "the same while J1 runs and then J2"
    case .migrateAttribute:
      "migrate: an attribute is added, copy and counts included; raw is a copy of the file, with fsync"
    case .migrateEntity:
      "migrate: an added entity renumbers the rows; raw is one UPDATE of their table"
    }
  }

  /// What Perennial must not exceed.
  enum Limit {
    /// A ratio to raw Swift.
    case ratio(Double)
    /// A number of bytes per object.
    case bytes(Double)
    /// A number of nanoseconds for each step of the work, which has no raw side.
    case nanoseconds(Double)
  }

  /// What Perennial must not exceed, else the bench fails.
  var limit: Limit {
    switch self {
    case .insert: .ratio(1.2)
    case .readAll: .ratio(0.85)
    case .fetchUntouched: .ratio(0.55)
    case .lookUp: .ratio(1.3)
    case .update: .ratio(2)
    case .delete: .ratio(1.3)
    case .toOne: .ratio(0.9)
    case .toManyCount: .ratio(2)
    case .upsertEqual: .ratio(1)
    case .upsertChanged: .ratio(1.5)
    case .batched: .ratio(1.5)
    case .memory: .bytes(420)
    case .scan: .ratio(1.3)
    case .accentScan: .ratio(3)
    case .words: .ratio(0.5)
    case .rareWords: .ratio(0.02)
    case .parse: .nanoseconds(5_000)
    case .evaluate: .nanoseconds(100)
    case .groupedCount: .ratio(1.1)
    case .history: .ratio(1.25)
    case .batchInsert: .ratio(1.3)
    case .batchUpdate, .batchDelete: .ratio(1.1)
    case .results: .ratio(1.5)
    case .oneChange: .nanoseconds(1_000_000)
    case .manyChanges: .nanoseconds(20_000_000)
    case .controllers: .nanoseconds(4_000_000)
    case .jsonOpen: .ratio(3)
    case .jsonSave, .jsonMemory, .jsonSavingMemory: .ratio(2)
    case .migrateAttribute: .ratio(3)
    case .migrateEntity: .ratio(2)
    }
  }

  /// What is looked for in the messages of P1 to P4; `nil` for the other operations.
  var word: String? {
    switch self {
    case .scan, .accentScan, .words: "fix"
    case .rareWords: "zephyr"
    default: nil
    }
  }

  /// Whether bytes are measured, in processes of their own.
  var isMemory: Bool { [.memory, .jsonMemory, .jsonSavingMemory].contains(self) }

  /// How many steps an operation takes whose limit is a time for each.
  func stepCount(rows: Int) -> Int {
    switch self {
    case .parse: 10_000
    case .oneChange: 100
    case .manyChanges: 5
    case .controllers: 1_000
    default: rows
    }
  }

  /// How many times the cost of a tenth of the rows all of them may take; `nil` where it is not
  /// asked.
  var greatestGrowth: Double? {
    switch self {
    case .batched, .results: 14
    case .memory, .parse, .oneChange, .manyChanges, .controllers: nil
    case .jsonMemory, .jsonSavingMemory, .migrateAttribute, .migrateEntity: nil
    default: 12
    }
  }

  /// Raw Swift ÷ raw C as once measured (table T2b); nil where there is no raw C loop.
  var measuredRatioToC: Double? {
    switch self {
    case .insert: 1.17
    case .readAll: 3.59
    case .lookUp: 1.06
    case .upsertEqual, .upsertChanged: 1.12
    default: nil
    }
  }

  /// What a repetition works on.
  enum Store {
    /// An empty store of its own.
    case empty
    /// A filled store of its own.
    case own
    /// A filled store that all repetitions share.
    case shared
    /// The store of ten times as many rows.
    case large
    /// A filled store that all repetitions share, with a full-text index.
    case indexed
  }

  /// What a repetition works on.
  var store: Store {
    switch self {
    case .insert, .history, .batchInsert: .empty
    case .delete, .batchUpdate, .batchDelete, .controllers: .own
    case .migrateAttribute, .migrateEntity: .own
    case .batched, .memory: .large
    case .words, .rareWords: .indexed
    default: .shared
    }
  }
}
