// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// An object of `detectConflicts(for:)`.
struct WatchedObject {
  let object: ManagedObject
  /// The version that is to be stored: the one that the object had then.
  var version: UInt32
}

/// What a context keeps about conflicts: those of the last attempt, the report, and what to look at.
///
/// Invariants:
/// 1. `conflicts` are those of the last save, fetch or processing that failed with any; empty after a save
///    that succeeded or a rollback.
/// 2. `report` belongs to the unit of work that is going on, or, when `isReportClosed`, to the last.
struct MergeState {
  var conflicts: [SavingConflict] = []
  private(set) var report: MergeReport?
  private var isReportClosed = false
  /// The objects of which the next save checks that they are stored as they were read, whatever rows they have taken
  /// since.
  var watched: [ObjectIdentifier: WatchedObject] = [:]
  /// The permanent IDs that new objects have got; used in the context without a parent only.
  var published = PublishedKeys()
  /// The keys of survivors by the keys of permanent IDs that absorbed objects had.
  var absorbedKeys: [Int: [Int64: Int64]] = [:]
  /// The numbers of the stores that new objects were assigned to, by their temporary keys and root
  /// entities; used in the context without a parent only.
  var assignedStores: [ObjectReference: Int] = [:]
  /// Whether objects were given unique values in this unit of work: see ``Newcomers``.
  var hasNewcomers = false
  /// Who refers to what, as long as a round of conflicts goes on.
  var holders = ReferenceHolders()
  /// The saves that delete rules of this unit of work have seen; `nil` when none has been applied.
  var rulesMark: SaveMark?
  /// The number of the saves when delete rules last took care that the members that they read are those of now.
  var membersMark: Int?
  /// Objects that the policy changed and that have not been told yet.
  var touched: [ObjectIdentifier: ManagedObject] = [:]

  /// The version that is to be stored of a watched object; `nil` for another.
  func watchedVersion(of object: ManagedObject) -> UInt32? {
    watched.isEmpty ? nil : watched[ObjectIdentifier(object)]?.version
  }

  /// Begins a save: a report of an earlier one is over.
  mutating func beginSave() {
    conflicts = []
    if isReportClosed { report = nil }
    isReportClosed = false
  }

  /// Adds to the report of this unit of work.
  mutating func add(_ entry: MergeReport.Entry) {
    report?.entries.append(entry)
  }

  /// Makes room for one more entry in the report of this unit of work, or only counts it.
  ///
  /// - Returns: Whether there is room.
  mutating func makeRoom() -> Bool {
    if isReportClosed { report = nil }
    isReportClosed = false
    if report == nil { report = MergeReport() }
    guard report?.entries.count == MergeReport.entryLimit else { return true }
    report?.omittedCount += 1
    return false
  }

  /// Ends the unit of work: its changes were saved or dropped.
  mutating func endWork() {
    isReportClosed = true
    conflicts = []
    watched = [:]
    touched = [:]
    hasNewcomers = false
    rulesMark = nil
    membersMark = nil
  }
}
