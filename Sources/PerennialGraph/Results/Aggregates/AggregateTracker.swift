// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// Aggregates that are kept in step with their context: what live aggregates are without their type.
///
/// Invariant: `table` is what a fetch would give now, but for `pending`.
final class AggregateTracker: LiveResult {
  /// The groups that a change brought, took away or left with other values.
  struct Change {
    var inserted: [AggregateTable.Group] = []
    var updated: [AggregateTable.Group] = []
    var deleted: [AggregateTable.Group] = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    static let order = FetchSort("")

    mutating func sort() {
      inserted.sort { Self.order.order($0.key, $1.key) < 0 }
      updated.sort { Self.order.order($0.key, $1.key) < 0 }
      deleted.sort { Self.order.order($0.key, $1.key) < 0 }
    }
  }

  let context: ManagedObjectContext
  private let query: ResultsQuery
  private let columns: [AggregateTable.Column]
  private let isGrouped: Bool

  private var table: AggregateTable
  /// The groups in the order of their values.
  private var order: [GroupKey] = []
  /// What may have changed since the table was made.
  private var pending = ResultsNews()
  /// What has changed and was not told yet.
  private var change: Change?
  private var isDelivering = false
  /// Counts the changes.
  private(set) var version = 0

  /// Tells of a change.
  var tell: (Change) -> Void = { _ in }

  /// Reads the aggregates, which follow the context from now on.
  init(
    _ context: ManagedObjectContext,
    _ query: ResultsQuery,
    _ columns: [AggregateTable.Column],
    isGrouped: Bool
  ) throws(PerennialError) {
    self.context = context
    self.query = query
    self.columns = columns
    self.isGrouped = isGrouped
    table = AggregateTable(columns, isGrouped: isGrouped)
    order = table.groups.keys.map { $0 }
    _ = try read()
    context.keepInStep(self)
  }

  deinit { context.dismiss(self) }

  var shownEntity: Int? { query.store.entity }

  func note(_ news: ResultsNews) { pending.formUnion(news) }

  func prepare() {
    guard !isDelivering, change == nil, !pending.isEmpty else { return }
    pending.translateKeys(in: context)
    do throws(PerennialError) {
      let next = try follow()
      pending = ResultsNews()
      if !next.isEmpty {
        version += 1
        change = next
      }
    } catch {
      // What was noted is looked at again at the end of the next event.
      context.lastFaultError = error
    }
  }

  func deliver() {
    guard !isDelivering else { return }
    while let change {
      self.change = nil
      isDelivering = true
      tell(change)
      isDelivering = false
      prepare()
    }
  }

  /// The groups in the order of their values.
  var groups: [AggregateTable.Group] { order.compactMap { table.groups[$0] } }

  func group(of value: PropertyValue) -> AggregateTable.Group? { table.groups[GroupKey(value)] }

  // MARK: Reading

  /// Reads everything anew.
  ///
  /// - Returns: What is not as it was.
  func read() throws(PerennialError) -> Change {
    var new = AggregateTable(columns, isGrouped: isGrouped)
    _ = new.update(removing: EmptyCollection(), adding: try reader.rows())
    let old = table
    table = new
    pending = ResultsNews()
    let keys = Set(old.groups.keys).union(new.groups.keys)
    return difference(from: Dictionary(uniqueKeysWithValues: keys.map { ($0, old.groups[$0]) }))
  }

  private var reader: ResultsReader { ResultsReader(context: context, query: query) }

  /// Brings the table up to date.
  private func follow() throws(PerennialError) -> Change {
    var touched = pending.touched[query.root] ?? []
    // What a parent gives may have changed in an event that it has not ended.
    // To aggregates of stored values edits are no news before they are saved.
    guard context.parent == nil, !pending.hasUnknown, !pending.isReset,
      query.countsEdits || !pending.hasSaved,
      let related = try reader.keys(reaching: pending),
      touched.count + related.count <= Self.longUpdate
    else { return try read() }
    touched.formUnion(related)
    touched.formUnion(savedKeys())
    // Objects with changes need not lead where their rows do.
    if query.reached.contains(where: isTouched) { touched.formUnion(reader.editedKeys) }
    let rows = try reader.rows(of: touched.sorted(), filtered: true)
    return difference(from: table.update(removing: touched, adding: rows))
  }

  private func isTouched(_ entity: Int) -> Bool {
    pending.touched[context.homes[entity].layout.root]?.isEmpty == false
  }

  /// From how many changed rows on everything is read anew.
  private static let longUpdate = 10_000

  /// The old and the new keys of rows whose objects have been saved or forgotten.
  private func savedKeys() -> Set<Int64> {
    var keys: Set<Int64> = []
    for reference in table.unsavedRows {
      let current = context.current(reference)
      guard current != reference else { continue }
      keys.insert(reference.key)
      if let current { keys.insert(current.key) }
    }
    return keys
  }

  /// What has become of some groups, whose places are corrected.
  private func difference(from old: [GroupKey: AggregateTable.Group?]) -> Change {
    var change = Change()
    for (key, before) in old {
      switch (before, table.groups[key]) {
      case (nil, let group?): change.inserted.append(group)
      case (let group?, nil): change.deleted.append(group)
      case (let before?, let after?):
        if !before.isSame(as: after, columns) { change.updated.append(after) }
      case (nil, nil): break
      }
    }
    change.sort()
    let deleted = Set(change.deleted.lazy.map { GroupKey($0.key) })
    if !deleted.isEmpty { order.removeAll { deleted.contains($0) } }
    if !change.inserted.isEmpty {
      order += change.inserted.map { GroupKey($0.key) }
      order.sort { Change.order.order($0.value, $1.value) < 0 }
    }
    return change
  }
}
