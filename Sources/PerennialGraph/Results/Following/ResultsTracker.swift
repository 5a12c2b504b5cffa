// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

/// A fetched list that is kept in step with its context: what a results controller is without its type.
///
/// Invariants:
/// 1. While it is tracked, `list` is what a fetch would give now, but for `pending`.
/// 2. `list` does not change between a difference's being made and its being told.
final class ResultsTracker: LiveResult {
  let context: ManagedObjectContext
  private(set) var query: ResultsQuery?
  private(set) var list: ResultsList?
  /// Counts the lists, those of fetches too.
  private(set) var version = 0
  /// Counts the fetches that took the place of a list without telling how it had become another.
  private(set) var fetchCount = 0
  /// What may have changed since the list was made.
  private var pending = ResultsNews()
  /// The rows that were put in their places by comparing them with stored ones that may be newer than the
  /// list.
  ///
  /// Somebody may have saved what the context has not merged. `nil` when they are too many to be named.
  private var doubtful: Set<Int64>? = []
  /// What the context has changed since it saved last, where only stored values are shown: news when it saves.
  private var unsaved = ResultsNews()
  /// What has become of the list and was not told yet.
  private var report: Report?
  private var isDelivering = false
  /// The deleted objects of the change that is being told, as far as they have left the context.
  private(set) var departed: [ObjectReference: ManagedObject] = [:]
  /// What the context had done when the list was fetched without being tracked.
  private var fetchStamp: [Int] = []

  /// What is told.
  enum Report {
    case change(ResultsChange)
    /// A fetch has put a list in place of the one before.
    case list(ResultsList)
  }

  /// Tells what has become of the list.
  var tell: (Report) -> Void = { _ in }
  /// Whether IDs must outlive a save, as they are what is told.
  var wantsPermanentIDs = false {
    didSet { if wantsPermanentIDs, !oldValue { list = list.map { publish($0) } } }
  }

  /// Whether the list is kept in step.
  var isTracked = false {
    didSet {
      guard isTracked != oldValue else { return }
      if isTracked {
        if list != nil, fetchStamp != stamp { pending.hasUnknown = true }
        noteEarlierEdits()
        context.keepInStep(self)
      } else {
        context.dismiss(self)
        fetchStamp = stamp
      }
    }
  }

  init(_ context: ManagedObjectContext) { self.context = context }

  deinit { if isTracked { context.dismiss(self) } }

  var shownEntity: Int? { query?.store.entity }

  /// What changes with what a fetch here would find: also with the unsaved changes of the contexts above.
  private var stamp: [Int] {
    let contexts = [context] + context.contextsAbove(upTo: context.top)
    return [savesSeen] + contexts.flatMap { [$0.mutationCount, $0.membershipStamp] }
  }

  private var savesSeen: Int { context.coordinator.rowSaves.withLock { $0.reduce(0, &+) } }

  // MARK: Fetching

  /// Reads the list anew; ``deliver()`` tells.
  ///
  /// - Parameters:
  ///   - query: What to show.
  ///   - reportingChanges: Whether it is told how the list became another, and not just the new one.
  /// - Throws: What cannot be fetched; then everything is as before.
  func fetch(_ query: ResultsQuery, reportingChanges: Bool) throws(PerennialError) {
    let list = try publish(listAnew(ResultsReader(context: context, query: query)))
    self.query = query
    if case .list = report {
      // Whoever has not been told of the list before has nothing to compare with.
      report = .list(list)
    } else if reportingChanges {
      reportChange(to: list)
    } else {
      fetchCount += 1
      report = .list(list)
    }
    self.list = list
    version += 1
    fetchStamp = stamp
    pending = ResultsNews()
    noteEarlierEdits()
  }

  /// Notes that there are edits which a list of stored values has not heard of and will show when they are saved.
  private func noteEarlierEdits() {
    if query?.countsEdits == false, context.hasEdits { unsaved.hasUnknown = true }
  }

  /// Makes the change to a list from the one that was told last.
  private func reportChange(to new: ResultsList) {
    var untold: ResultsChange?
    if case .change(let change) = report { untold = change }
    let old = (untold?.before.list ?? list).map(rekeyed) ?? ResultsList(naming: new.naming)
    let rows = changed(touchedKeys, old, new).union(untold?.changedReferences ?? [])
    let change = ResultsChange(from: old, to: new, changed: rows)
    departed.merge(pending.departed) { first, _ in first }
    report = change.isEmpty ? nil : .change(change)
  }

  private var touchedKeys: Set<Int64> { query.flatMap { pending.touched[$0.root] } ?? [] }

  // MARK: Following

  func note(_ news: ResultsNews) { if list != nil { pending.formUnion(news) } }

  func prepare() {
    guard !isDelivering, report == nil, !pending.isEmpty, let query, let list else { return }
    if !query.countsEdits { leaveUnsaved() }
    guard !pending.isEmpty else { return }
    pending.translateKeys(in: context)
    do throws(PerennialError) {
      let next = try following(rekeyed(list), query)
      // Without a report nothing would let them go.
      departed = next.isEmpty ? [:] : pending.departed
      pending = ResultsNews()
      self.list = next.after.list
      if !next.isEmpty {
        version += 1
        report = .change(next)
      }
    } catch {
      // What was noted is looked at again at the end of the next event.
      context.lastFaultError = error
    }
  }

  /// Leaves for the next save what only that makes news of.
  private func leaveUnsaved() {
    if pending.hasSaved {
      pending.formUnion(unsaved)
      unsaved = ResultsNews()
    } else if !context.hasEdits {
      unsaved = ResultsNews()
    } else {
      unsaved.formUnion(pending)
      if !pending.hasMerged, !pending.hasUnknown, !pending.isReset { pending = ResultsNews() }
    }
  }

  /// The change from a list to what is to be shown now.
  private func following(
    _ old: ResultsList,
    _ query: ResultsQuery
  ) throws(PerennialError) -> ResultsChange {
    let reader = ResultsReader(context: context, query: query)
    var touched = pending.touched[query.root] ?? []
    guard !pending.hasUnknown, !pending.isReset, let related = try reader.keys(reaching: pending)
    else {
      let new = publish(try listAnew(reader))
      if pending.isReset { touched = Set(new.references.lazy.map(\.key)) }
      return .init(from: old, to: new, changed: changed(touched, old, new))
    }
    touched.formUnion(related)
    // Saved objects have other keys, which decide between equal rows; and what is changed while others
    // are told has not been noted yet.
    var moved = touched.union(savedKeys).union(openKeys(query.root))
    if pending.hasMerged { moved.formUnion(doubtful ?? []) }
    let isUncertain = pending.hasMerged && doubtful == nil
    if query.reached.contains(where: { isTouched($0) }) { moved.formUnion(reader.editedKeys) }
    let new = publish(try isUncertain ? listAnew(reader) : list(old, updating: moved, reader))
    return .init(from: old, to: new, changed: changed(touched, old, new))
  }

  private func isTouched(_ entity: Int) -> Bool {
    pending.touched[context.homes[entity].layout.root]?.isEmpty == false
  }

  private func list(
    _ old: ResultsList,
    updating keys: Set<Int64>,
    _ reader: ResultsReader
  ) throws(PerennialError) -> ResultsList {
    if keys.isEmpty { return old }
    let limit = max(Self.longUpdate, old.references.count / 10)
    let isLong = keys.count > limit
    let merged = context.mergedSaves
    // What a parent gives may have changed in an event that it has not ended.
    if !isLong, !reader.query.hasWindow, reader.query.transientSection == nil,
      context.parent == nil,
      let new = try reader.list(old, updating: keys)
    {
      if isCertain(since: merged) {
        doubtful = []
      } else if let count = doubtful?.count, count > limit {
        doubtful = nil
      } else {
        doubtful?.formUnion(keys)
      }
      return new
    }
    return try listAnew(reader)
  }

  /// Whether the store was just as the context knows it: nothing was saved since it had merged some saves.
  private func isCertain(since merged: Int?) -> Bool {
    merged.map { context.coordinator.isQuiet(since: $0) } ?? false
  }

  /// The list, read anew.
  private func listAnew(_ reader: ResultsReader) throws(PerennialError) -> ResultsList {
    let merged = context.mergedSaves
    let list = try reader.list()
    doubtful = isCertain(since: merged) ? [] : reader.editedKeys
    return list
  }

  /// From how many changed rows on a list is read anew, or from a tenth of its rows on.
  private static let longUpdate = 1_000

  /// The rows of two lists whose objects may have changed.
  private func changed(
    _ keys: Set<Int64>,
    _ old: ResultsList,
    _ new: ResultsList
  ) -> Set<ObjectReference> {
    guard !keys.isEmpty else { return [] }
    let filter = KeyFilter(keys)
    var references: Set<ObjectReference> = []
    for reference in old.references where filter.contains(reference.key) {
      references.insert(reference)
    }
    for reference in new.references where filter.contains(reference.key) {
      references.insert(reference)
    }
    return references
  }

  // MARK: Keys

  /// The keys that rows of the list have got by being saved.
  private var savedKeys: Set<Int64> = []

  /// The list with the keys that saved objects have now.
  private func rekeyed(_ list: ResultsList) -> ResultsList {
    savedKeys = []
    guard !list.temporaryIDs.isEmpty else { return list }
    var list = list
    var saved: [(row: Int, reference: ObjectReference)] = []
    for (row, reference) in list.references.enumerated() where reference.key < 0 {
      if let current = context.current(reference) {
        if current != reference { saved.append((row, current)) }
      } else {
        touch(reference)
      }
    }
    var shown = rows(of: Set(saved.map(\.reference.key)), in: list)
    for (row, current) in saved {
      let reference = list.references[row]
      // One that has merged with another row of the list is not shown any more.
      guard shown.insert(current.key).inserted else {
        touch(reference)
        continue
      }
      list.references[row] = current
      list.temporaryIDs[reference] = nil
      savedKeys.insert(current.key)
    }
    return list
  }

  private func touch(_ reference: ObjectReference) {
    pending.touch([reference.key], root: context.homes[reference.entity].layout.root)
  }

  /// Which of some keys a list has.
  private func rows(of keys: Set<Int64>, in list: ResultsList) -> Set<Int64> {
    if keys.isEmpty { return [] }
    let filter = KeyFilter(keys)
    return Set(list.references.lazy.map(\.key).filter { filter.contains($0) })
  }

  /// Gives unsaved objects their permanent IDs, if these are what is told.
  private func publish(_ list: ResultsList) -> ResultsList {
    guard wantsPermanentIDs, !list.temporaryIDs.isEmpty else { return list }
    var list = list
    // Those that are still unsaved, which a child may not have looked at yet.
    let unsaved = list.temporaryIDs.keys.filter { context.current($0) == $0 }
    let objects = unsaved.map { context.object(for: $0) }
    // Where the store cannot reserve keys the objects keep their temporary IDs.
    try? context.obtainPermanentIDs(for: objects)
    for object in objects { list.temporaryIDs[object._reference] = object.objectID }
    return list
  }

  /// The keys of objects that have changed in an event that goes on.
  private func openKeys(_ root: Int) -> Set<Int64> {
    var news = ResultsNews()
    for object in context.notices.openObjects { news.note(object, in: context) }
    return news.touched[root] ?? []
  }

  // MARK: Telling

  func deliver() {
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while let report {
      self.report = nil
      let told = departed
      tell(report)
      // What a fetch by those who were told has brought is told next.
      let objects = departed
      departed = departed.filter { told[$0.key] == nil }
      withExtendedLifetime(objects) {}
      isDelivering = false
      prepare()
      isDelivering = true
    }
  }
}

extension ResultsChange {
  fileprivate init(from old: ResultsList, to new: ResultsList, changed: Set<ObjectReference>) {
    self = ResultsDifference.change(from: old, to: new, changed: changed)
  }

  /// The rows whose objects may have changed.
  fileprivate var changedReferences: Set<ObjectReference> {
    let rows = (moves + updates).lazy.compactMap { before.list.row($0.from) }
    return Set(rows.map { before.list.references[$0] })
  }
}
