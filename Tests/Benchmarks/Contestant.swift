// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// What one repetition works on.
struct Trial {
  /// The store; empty when the operation starts empty, otherwise filled.
  let file: URL
  /// What is written, or what the store holds; the large store's is too large to be kept.
  let workload: Workload
  /// The number of commits in the store, or to be.
  let rows: Int

  /// The shas that are looked up in batches.
  var lookUpBatches: [[String]] {
    workload.lookUpBatches(Operation.sampleCount(of: rows), of: Operation.lookUpBatchCount)
  }
}

/// One side of a comparison.
struct Contestant {
  /// What a contestant is in the report.
  enum Role: Equatable {
    case ours
    case yardstick
    case rawC
    /// Shown beside the others; the text says what differs.
    case variant(String)
  }

  /// How the bench sees that the work was done.
  enum Check {
    /// The work returns the sum over all values that it read.
    case sum
    /// The work returns how many objects it fetched.
    case count
    /// The work wrote: the store must hold exactly the workload.
    case stored
  }

  let role: Role
  let check: Check
  /// Opens a new connection or context, which is not measured, and returns the work that is.
  ///
  /// Whatever the work makes (objects, arrays) is released within the measured time.
  let prepare: (Trial) throws -> () throws -> UInt64
}
