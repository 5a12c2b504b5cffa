// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation

/// What fails.
struct FaultMode: Sendable {
  /// A word for the command line.
  let name: String
  let kinds: UInt32
  /// Whether all calls that follow fail, too.
  let isSticky: Bool
  let isFull: Bool

  static let all = [
    FaultMode("broken-once", allFiles), FaultMode("broken-sticky", allFiles, isSticky: true),
    FaultMode("full-once", growth, isFull: true),
    FaultMode("full-sticky", growth, isSticky: true, isFull: true),
    FaultMode("memory-once", memory), FaultMode("memory-sticky", memory, isSticky: true),
  ]

  init(_ name: String, _ kinds: UInt32, isSticky: Bool = false, isFull: Bool = false) {
    self.name = name
    self.kinds = kinds
    self.isSticky = isSticky
    self.isFull = isFull
  }

  /// Whether it is SQLite's memory that fails.
  var isMemory: Bool { kinds == Self.memory }

  private static let memory = failing_memory.rawValue
  private static let allFiles = (failing_memory.rawValue - 1)
  /// The calls that need room.
  private static let growth = [
    failing_open, failing_write, failing_sync, failing_truncate, failing_rename, failing_folder,
    failing_map,
  ].reduce(0) { $0 | $1.rawValue }

  /// Runs a closure, in which a call of a number fails.
  ///
  /// - Returns: Why the closure ended, and what failed.
  func strike<Result>(
    _ number: Int,
    _ body: () throws -> Result
  ) -> (Swift.Result<Result, any Error>, failing_report) {
    failing_arm(
      failing_plan(
        kinds: kinds,
        number: UInt64(number),
        isSticky: isSticky,
        isFull: isFull
      )
    )
    let result = Swift.Result(catching: body)
    return (result, failing_disarm())
  }
}
