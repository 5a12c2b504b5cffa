// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The operations of the workload, named as in the targets of the performance page.
enum Operation: String, CaseIterable {
  case insert = "W1"
  case readAll = "W2"
  case fetchUntouched = "W3"
  case fetchFaults = "W3ids"
  case search = "W4"
  case lookUp = "W5"
  case lookUpBatches = "W5batch"
  case update = "W6"
  case delete = "W7"
  case toOne = "W8a"
  case toManyCount = "W8b"
  case upsertEqual = "W9a"
  case upsertChanged = "W9b"
  case first = "W10"
  case firstIndexed = "W10idx"
  case batchedIndexed = "W10ids"
  case batched = "W10idsnoidx"
  case memory = "W11"
  case memoryOfFew = "W11n"
  case faultMemory = "W11faults"
  case listMemory = "W11ids"
  case countMatches = "W12"
  case controllers = "W13a"
  case sectionedController = "W13b"
  case open = "W14"
  case readNumber = "A1"
  case readEditedNumber = "A2"
  case readText = "A3"
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
  case jsonOpen = "J1"
  case jsonSave = "J2"
  case jsonMemory = "J3"
  case jsonSavingMemory = "J4"
  case migrateAttribute = "G1"
  case migrateEntity = "G2"

  /// What is measured when nothing is named: the workload of the performance page.
  static let workload = allCases.filter { $0.rawValue.hasPrefix("W") }

  /// How many rows W10 and W14 show of their lists.
  static let windowCount = 20

  /// How many shas one query of W5batch looks for.
  static let lookUpBatchCount = 500

  /// How many objects W5, W6, W7 and W13 work on: a tenth, at most 10,000.
  static func sampleCount(of rows: Int) -> Int { min(10_000, rows / 10) }

  /// What is looked for in the messages of W4, W12 and P1 to P4; `nil` for the other operations.
  var word: String? {
    switch self {
    case .search, .countMatches, .scan, .accentScan, .words: "fix"
    case .rareWords: "zephyr"
    default: nil
    }
  }

  /// Whether bytes are measured, in processes of their own.
  var isMemory: Bool {
    switch self {
    case .memory, .memoryOfFew, .faultMemory, .listMemory, .jsonMemory, .jsonSavingMemory: true
    default: false
    }
  }

  /// How often the work does the same within one measurement, for what is over in no time; the time
  /// is that of one.
  var turnCount: Int {
    switch self {
    case .firstIndexed, .open: 20
    default: 1
    }
  }

  /// How many steps an operation takes whose threshold is a time for each.
  func stepCount(rows: Int) -> Int {
    switch self {
    case .parse: 10_000
    case .readNumber, .readEditedNumber, .readText: 1_000_000
    case .oneChange: 100
    case .manyChanges: 5
    case .controllers: 1_000
    default: rows
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
    /// The store of ten times as many rows, 1,000,000 at most unless there are more anyway.
    case large
    /// The same without an index on the date.
    case largeUnindexed
    /// A filled store that all repetitions share, with a full-text index.
    case indexed
  }

  /// What a repetition works on.
  var store: Store {
    switch self {
    case .insert, .history, .batchInsert: .empty
    case .delete, .batchUpdate, .batchDelete, .controllers, .sectionedController: .own
    case .migrateAttribute, .migrateEntity: .own
    case .firstIndexed, .batchedIndexed, .memory, .faultMemory, .listMemory: .large
    case .first, .batched: .largeUnindexed
    case .words, .rareWords: .indexed
    default: .shared
    }
  }

  /// Whether the operation works on a large store.
  var isLarge: Bool { store == .large || store == .largeUnindexed }
}
