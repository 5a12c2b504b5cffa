// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What races have shown.
struct RaceCount: CustomStringConvertible {
  var saveCount = 0
  var conflictCount = 0
  var readCount = 0
  /// Acknowledged saves that are not there.
  var lostCount = 0
  /// Saves that are there twice, or that nobody has acknowledged.
  var surplusCount = 0
  /// Reads that saw a part of a save, and balances that do not fit at the end.
  var tornCount = 0
  /// Connections of a process to one store that wrote beside the first.
  var surplusWriterCount = 0
  /// What a copy of a process could do with the original's store, and could not with one that was closed.
  var forkBreachCount = 0

  var isKept: Bool {
    saveCount > 0 && readCount > 0 && conflictCount > 0
      && lostCount + surplusCount + tornCount + surplusWriterCount + forkBreachCount == 0
  }

  var description: String {
    "\(saveCount) saves, \(readCount) reads, \(conflictCount) conflicts, \(lostCount) lost, \(surplusCount) surplus, "
      + "\(tornCount) torn, \(surplusWriterCount) second writers, \(forkBreachCount) used after fork"
  }

  static func += (count: inout RaceCount, other: RaceCount) {
    count.saveCount += other.saveCount
    count.conflictCount += other.conflictCount
    count.readCount += other.readCount
    count.lostCount += other.lostCount
    count.surplusCount += other.surplusCount
    count.tornCount += other.tornCount
    count.surplusWriterCount += other.surplusWriterCount
    count.forkBreachCount += other.forkBreachCount
  }
}
