// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// A change in the form that the batch updates of a table or collection view accept.
///
/// It says nothing about rows of deleted and inserted sections, which the view handles with their sections. A row
/// that moves out of a deleted section is an insertion, one that moves into an inserted section a deletion. No row
/// of the list before is in two of ``deletedRows``, ``reloadedRows`` and the moves; no row of the list after is in
/// both ``insertedRows`` and the moves.
///
/// ```swift
/// let updates = change.tableUpdates
/// tableView.performBatchUpdates {
///   tableView.deleteSections(updates.deletedSections, with: .automatic)
///   tableView.insertSections(updates.insertedSections, with: .automatic)
///   tableView.deleteRows(at: updates.deletedRows, with: .automatic)
///   tableView.insertRows(at: updates.insertedRows, with: .automatic)
///   tableView.reloadRows(at: updates.reloadedRows, with: .automatic)
///   for move in updates.movedRows { tableView.moveRow(at: move.from, to: move.to) }
/// }
/// tableView.reconfigureRows(at: updates.reconfiguredRows)
/// ```
public struct ResultsTableUpdates: Sendable, Equatable {
  /// What the view shows after the updates; the data source must have it before they begin.
  public let after: ResultsSnapshot
  /// Sections to delete, by their places before.
  public let deletedSections: IndexSet
  /// Sections to insert, by their places after.
  public let insertedSections: IndexSet
  /// Rows to delete, by their places before, the last first.
  public internal(set) var deletedRows: [IndexPath] = []
  /// Rows to insert, by their places after, the first first.
  public internal(set) var insertedRows: [IndexPath] = []
  /// Rows to move, each from a place before to a place after.
  public internal(set) var movedRows: [ResultsChange.RowChange] = []
  /// Rows to show again, by their places before: their values may have changed.
  public internal(set) var reloadedRows: [IndexPath] = []
  /// Rows to show again once the batch is done, by their places after: they moved, and their values may
  /// have changed.
  public internal(set) var reconfiguredRows: [IndexPath] = []

  /// Whether there is nothing to do.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deletedRows.isEmpty
      && insertedRows.isEmpty && movedRows.isEmpty && reloadedRows.isEmpty
  }

  init(_ change: ResultsChange) {
    after = change.after
    deletedSections = change.deletedSections
    insertedSections = change.insertedSections
    let deleted = Set(change.deletedSectionPlaces)
    let inserted = Set(change.insertedSectionPlaces)
    deletedRows = change.deletions.filter { !deleted.contains($0[0]) }
    insertedRows = change.insertions.filter { !inserted.contains($0[0]) }
    reloadedRows = change.updates.map(\.from)
    for move in change.moves {
      add(
        move,
        isSourceGone: deleted.contains(move.from[0]),
        isTargetNew: inserted.contains(move.to[0])
      )
    }
    deletedRows.sort(by: >)
    insertedRows.sort()
  }

  private mutating func add(
    _ move: ResultsChange.RowChange,
    isSourceGone: Bool,
    isTargetNew: Bool
  ) {
    // Views take equal paths for no move at all, also when the sections there are not the same.
    if !isSourceGone, !isTargetNew, move.from != move.to {
      movedRows.append(move)
      reconfiguredRows.append(move.to)
      return
    }
    if !isSourceGone { deletedRows.append(move.from) }
    if !isTargetNew { insertedRows.append(move.to) }
  }
}

extension ResultsChange {
  /// The change in the form that the batch updates of a table or collection view accept.
  public var tableUpdates: ResultsTableUpdates { ResultsTableUpdates(self) }
}
