// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// What one repetition works on.
struct PostgresTrial {
  let operation: PostgresOperation
  let workload: Workload
  /// Its commits in no order.
  let shuffled: [CommitRecord]
  /// The messages of this repetition end with it.
  let revision: Int

  /// The commits that are looked up, or changed: spread over all, in no order, in batches.
  var batches: [ArraySlice<CommitRecord>] {
    let count = operation.count(of: workload.commits.count)
    return stride(from: 0, to: count, by: min(operation.batchSize, count)).map {
      shuffled[$0..<min(count, $0 + min(operation.batchSize, count))]
    }
  }

  /// The message that a commit gets: as long as the old one, and another one in each repetition.
  func newMessage(_ commit: CommitRecord) -> String {
    commit.message.dropLast(ending.utf8.count) + ending
  }

  /// What new messages end with.
  var ending: String { "#" + String(String(10_000 + revision).dropFirst()) }
}

/// One side of a comparison.
struct PostgresContestant {
  /// What a side is in the report.
  enum Role: Equatable {
    case ours
    case raw
    /// Shown beside the others.
    case variant(String)
  }

  let role: Role
  /// Connects, which is not measured, and returns the work that is; it returns the sum over what it reads, or 0.
  let prepare: (PostgresTrial) throws -> () throws -> UInt64
}
