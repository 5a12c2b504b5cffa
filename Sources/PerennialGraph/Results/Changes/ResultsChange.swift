// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

/// How one list of results became the next: what a results controller reports at the end of an event.
///
/// Deletions name places in the list before, insertions name places in the list after; moves and updates name both.
/// Rows that only shift because others come or go are not reported. A moved row's values may have changed, too: a
/// move has no update beside it. Rows of deleted and inserted sections are reported as well; ``tableUpdates`` is
/// the form that a table view accepts.
///
/// Core Data: what `NSFetchedResultsControllerDelegate` is told.
public struct ResultsChange: Sendable, Equatable {
  /// A row's place in the list before and after.
  public struct RowChange: Sendable, Hashable {
    /// The place in the list before.
    public let from: IndexPath
    /// The place in the list after.
    public let to: IndexPath
  }

  /// The list before.
  public let before: ResultsSnapshot
  /// The list after.
  public let after: ResultsSnapshot
  /// The deleted sections of the list before, the last first.
  var deletedSectionPlaces: [Int] = []
  /// The inserted sections of the list after, the first first.
  var insertedSectionPlaces: [Int] = []
  /// The places of the rows that went, in the list before, the last first.
  public internal(set) var deletions: [IndexPath] = []
  /// The places of the rows that came, in the list after, the first first.
  public internal(set) var insertions: [IndexPath] = []
  /// The rows that have a new place among the others, or a new section, in the order that they had.
  public internal(set) var moves: [RowChange] = []
  /// The rows whose values may have changed and that kept their place among the others, in that order.
  public internal(set) var updates: [RowChange] = []
  /// Whether this is the first change of a stream or after a fetch; its list before was not reported.
  public internal(set) var isInitial = false

  /// No change.
  init(before: ResultsSnapshot, after: ResultsSnapshot) {
    self.before = before
    self.after = after
  }

  /// The first report of a list: all sections and rows come.
  static func initial(_ list: ResultsList) -> ResultsChange {
    let empty = ResultsList(naming: list.naming)
    var change = ResultsDifference.change(from: empty, to: list, changed: [])
    change.isInitial = true
    return change
  }

  /// The sections that went, by their places in the list before.
  public var deletedSections: IndexSet { IndexSet(deletedSectionPlaces) }

  /// The sections that came, by their places in the list after.
  public var insertedSections: IndexSet { IndexSet(insertedSectionPlaces) }

  /// Whether nothing is reported.
  public var isEmpty: Bool { events.isEmpty }
}

extension ResultsChange {
  /// One thing that a change reports.
  public enum Event: Sendable, Hashable {
    /// A section went from its place in the list before.
    case sectionDelete(Int, name: String)
    /// A section came to its place in the list after.
    case sectionInsert(Int, name: String)
    /// An object went from its place in the list before.
    case delete(ManagedObjectID, at: IndexPath)
    /// An object came to its place in the list after.
    case insert(ManagedObjectID, at: IndexPath)
    /// An object has a new place among the others, or a new section; its values may have changed.
    case move(ManagedObjectID, from: IndexPath, to: IndexPath)
    /// An object's values may have changed.
    case update(ManagedObjectID, from: IndexPath, to: IndexPath)
  }

  /// What the change reports: deleted sections (the last first), inserted ones, deleted rows (the last
  /// first), inserted ones, moves, updates.
  public var events: Events { Events(change: self) }

  /// The events of a change, made when they are asked for.
  public struct Events: Sendable, RandomAccessCollection {
    let change: ResultsChange

    /// The first event: 0.
    public var startIndex: Int { 0 }

    /// The number of events.
    public var endIndex: Int {
      change.deletedSectionPlaces.count + change.insertedSectionPlaces.count
        + change.deletions.count + change.insertions.count
        + change.moves.count + change.updates.count
    }

    /// The event at a place, which must exist.
    ///
    /// - Parameter position: A place below ``endIndex``; any other ends the program.
    /// - Returns: The event.
    public subscript(position: Int) -> Event {
      precondition(indices.contains(position), "There is no event \(position).")
      var place = position
      if place < change.deletedSectionPlaces.count {
        let section = change.deletedSectionPlaces[place]
        return .sectionDelete(section, name: change.before.list.sections[section].name)
      }
      place -= change.deletedSectionPlaces.count
      if place < change.insertedSectionPlaces.count {
        let section = change.insertedSectionPlaces[place]
        return .sectionInsert(section, name: change.after.list.sections[section].name)
      }
      place -= change.insertedSectionPlaces.count
      return rowEvent(place)
    }

    private func rowEvent(_ position: Int) -> Event {
      var place = position
      if place < change.deletions.count {
        let path = change.deletions[place]
        return .delete(id(at: path, in: change.before), at: path)
      }
      place -= change.deletions.count
      if place < change.insertions.count {
        let path = change.insertions[place]
        return .insert(id(at: path, in: change.after), at: path)
      }
      place -= change.insertions.count
      if place < change.moves.count {
        let move = change.moves[place]
        return .move(id(at: move.from, in: change.before), from: move.from, to: move.to)
      }
      let update = change.updates[place - change.moves.count]
      return .update(id(at: update.from, in: change.before), from: update.from, to: update.to)
    }

    private func id(at path: IndexPath, in snapshot: ResultsSnapshot) -> ManagedObjectID {
      guard let id = snapshot[path] else {
        preconditionFailure("A change names a row of its lists.")
      }
      return id
    }
  }
}
