// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// The methods of a delegate that it turned out not to have: Swift does not say so, but their default
/// bodies do.
struct AbsentMethods: OptionSet {
  let rawValue: Int
  static let snapshot = AbsentMethods(rawValue: 1)
  static let difference = AbsentMethods(rawValue: 2)
}

// The three forms of one change: a stream, snapshots and differences of IDs, the delegate's calls.

extension FetchedResultsController {
  /// A stream of the changes from now on, each with the IDs before and after it.
  ///
  /// If the list has been fetched, the stream begins with the whole list, as a change whose
  /// ``ResultsChange/isInitial`` is true.
  ///
  /// ```swift
  /// for await change in controller.changes {
  ///   print(change.insertions.count, "new of", change.after.numberOfObjects)
  /// }
  /// ```
  ///
  /// Changes are values and may go anywhere. When you read one, the controller may already show a later list, but
  /// every change fits the one before. IDs are permanent, also those of unsaved objects, for which the store sets
  /// keys aside. The stream ends with the controller.
  ///
  /// - Returns: A new stream for every call. Changes wait in it until they are read.
  public var changes: AsyncStream<ResultsChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: ResultsChange.self)
    lastStream += 1
    streams[lastStream] = continuation
    updateTracking()
    if let initial = tracker.list { continuation.yield(.initial(initial)) }
    return stream
  }

  /// Whether the delegate is told by IDs, as far as is known.
  var delegateTakesIDs: Bool { delegate != nil && !absentMethods.contains(.snapshot) }

  /// Tells of what has become of the list.
  func tell(_ report: ResultsTracker.Report) {
    switch report {
    case .change(let change): tell(change)
    case .list(let list): tell(list)
    }
  }

  /// Tells of a list that a fetch has put in place of the one before.
  private func tell(_ list: ResultsList) {
    if !streams.isEmpty { yield(.initial(list)) }
    guard let delegate, !absentMethods.contains(.snapshot) else { return }
    delegate.controller(self, didChangeContentWith: ResultsSnapshot(list))
    updateTracking()
  }

  /// Tells of a change of the list.
  private func tell(_ change: ResultsChange) {
    yield(change)
    guard let delegate else { return }
    if !absentMethods.contains(.snapshot) {
      delegate.controller(self, didChangeContentWith: change.after)
      updateTracking()
      if !absentMethods.contains(.snapshot) { return }
    }
    if sectionNameKeyPath == nil, !absentMethods.contains(.difference) {
      delegate.controller(self, didChangeContentWith: change.difference)
      if !absentMethods.contains(.difference) { return }
    }
    tellOneByOne(change, delegate)
  }

  private func tellOneByOne(
    _ change: ResultsChange,
    _ delegate: any FetchedResultsControllerDelegate<Element>
  ) {
    let fetches = tracker.fetchCount
    delegate.controllerWillChangeContent(self)
    for event in change.events {
      // A fetch by the delegate makes the rest untrue.
      if tracker.fetchCount != fetches { break }
      tell(event, of: change, delegate)
    }
    delegate.controllerDidChangeContent(self)
  }

  private func tell(
    _ event: ResultsChange.Event,
    of change: ResultsChange,
    _ delegate: any FetchedResultsControllerDelegate<Element>
  ) {
    switch event {
    case .sectionDelete(let place, _):
      guard let section = sectionInfo(place, of: change.before) else { return }
      delegate.controller(self, didChange: section, atSectionIndex: place, for: .delete)
    case .sectionInsert(let place, _):
      guard let section = sectionInfo(place, of: change.after) else { return }
      delegate.controller(self, didChange: section, atSectionIndex: place, for: .insert)
    case .delete(_, let path): tell(.delete, change.before, path, nil, delegate)
    case .insert(_, let path): tell(.insert, change.after, nil, path, delegate)
    case .move(_, let from, let to): tell(.move, change.after, from, to, delegate)
    case .update(_, let from, let to): tell(.update, change.after, from, to, delegate)
    }
  }

  private func tell(
    _ type: FetchedResultsChangeType,
    _ snapshot: ResultsSnapshot,
    _ from: IndexPath?,
    _ to: IndexPath?,
    _ delegate: any FetchedResultsControllerDelegate<Element>
  ) {
    guard let path = type == .delete ? from : to, let row = snapshot.list.row(path) else { return }
    let reference = snapshot.list.references[row]
    let departed =
      type == .delete
      ? tracker.departed[reference] ?? managedObjectContext.forwardingObject(of: reference) : nil
    let object = departed ?? managedObjectContext.object(forFetched: reference)
    // Safe because the fetch has checked that the entity's class is `Element` or a subclass.
    let typed = unsafeDowncast(object, to: Element.self)
    delegate.controller(self, didChange: typed, at: from, for: type, newIndexPath: to)
  }

  private func yield(_ change: ResultsChange) {
    for (number, stream) in streams {
      if case .terminated = stream.yield(change) { streams[number] = nil }
    }
    updateTracking()
  }
}
