// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What is attacked: each part has a kind of child process of its own.
enum HostilePart: String, CaseIterable {
  case files, predicates, texts

  /// How many there are of it usually, and in a short run.
  var counts: (usual: Int, short: Int) {
    switch self {
    case .files: (100_000, 1_000)
    case .predicates: (1_000_000, 10_000)
    case .texts: (100_000, 2_000)
    }
  }

  /// How many a child process judges.
  var batchCount: Int {
    switch self {
    case .files: 2_000
    case .predicates: 50_000
    case .texts: 10_000
    }
  }

  /// What judges them.
  func makeJudge(_ scratch: Scratch) throws -> any HostileJudge {
    switch self {
    case .files: try HostileFiles(scratch)
    case .predicates: try HostilePredicates(scratch)
    case .texts: try HostileTexts(scratch)
    }
  }
}

/// Makes something hostile of a seed, uses it, and tells what must not be; `nil` when all is well.
protocol HostileJudge {
  mutating func judge(_ seed: UInt64) throws -> String?
}
