// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Rows of members that were read for several owners at once, until each owner is asked for.
///
/// Rows, not objects: what is never asked for costs no object.
struct MemberBatch {
  /// The relationship.
  let entity: Int
  let toMany: Int
  private let rows: MemberRows
  /// The number of the run of every owner that has not been asked for; -1 for one without members.
  private var runs: [Int64: Int]

  init(_ relationship: RelationshipLayout, toMany: Int, owners: [Int64], _ rows: MemberRows) {
    entity = relationship.entity
    self.toMany = toMany
    self.rows = rows
    runs = Dictionary(minimumCapacity: owners.count)
    for owner in owners where owner < rows.end { runs[owner] = -1 }
    for (number, run) in rows.runs.enumerated() { runs[run.owner] = number }
  }

  /// The owners that have not been asked for.
  var restCount: Int { runs.count }

  /// The number of an owner's rows, if they are here and have not been given.
  func count(_ owner: Int64) -> Int? {
    runs[owner].map { number in number < 0 ? 0 : rows.runs[number].count }
  }

  /// Calls a closure with the rows of an owner, which are given once.
  ///
  /// - Returns: Whether the owner's rows are here.
  mutating func take(_ owner: Int64, _ body: (RowPage, Int) -> Void) -> Bool {
    guard let number = runs.removeValue(forKey: owner) else { return false }
    if number >= 0 { rows.visit(rows.runs[number], body) }
    return true
  }
}

/// What was read of to-many relationships beyond what was asked for.
///
/// It is dropped by whatever drops `RelationshipChanges.loaded`, and when anybody in the process has
/// saved since.
struct MemberBatches {
  /// How many there may be of one relationship.
  private static let limit = 8

  /// The numbers of members as the store has them.
  var counts: [RelationshipChanges.OwnerKey: Int] = [:]
  private var batches: [MemberBatch] = []
  private var epoch = 0

  /// Whether nothing is kept.
  var isEmpty: Bool { batches.isEmpty && counts.isEmpty }

  /// Drops everything when saves were made since it was read.
  mutating func prepare(epoch: Int) {
    guard epoch != self.epoch else { return }
    self = MemberBatches()
    self.epoch = epoch
  }

  /// Adds a batch, in place of the oldest when there are many of its relationship.
  mutating func append(_ batch: MemberBatch) {
    let others = batches.indices.filter {
      batches[$0].entity == batch.entity && batches[$0].toMany == batch.toMany
    }
    if others.count == Self.limit { batches.remove(at: others[0]) }
    if batch.restCount > 0 { batches.append(batch) }
  }

  /// The number of an owner's members whose rows wait to be taken.
  func count(_ key: RelationshipChanges.OwnerKey) -> Int? {
    for batch in batches where batch.entity == key.entity && batch.toMany == key.toMany {
      if let count = batch.count(key.owner) { return count }
    }
    return nil
  }

  /// Drops what was read of one owner.
  mutating func forget(_ key: RelationshipChanges.OwnerKey) {
    counts[key] = nil
    _ = take(key) { _, _ in }
  }

  /// Calls a closure with the rows of an owner's members, which are given once.
  ///
  /// - Returns: Whether they are here.
  mutating func take(
    _ key: RelationshipChanges.OwnerKey,
    _ body: (RowPage, Int) -> Void
  ) -> Bool {
    for index in batches.indices
    where batches[index].entity == key.entity && batches[index].toMany == key.toMany {
      guard batches[index].take(key.owner, body) else { continue }
      if batches[index].restCount == 0 { batches.remove(at: index) }
      return true
    }
    return false
  }
}
