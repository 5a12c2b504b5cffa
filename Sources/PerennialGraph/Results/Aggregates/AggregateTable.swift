// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// The aggregates of all groups, and what each row has contributed to them.
///
/// Invariants:
/// 1. A group is there as long as a row is in it; without a grouping there is always one.
/// 2. No accumulator is stale between two updates.
struct AggregateTable {
  /// What to compute of which value of a row.
  struct Column {
    let function: AggregateFunction
    /// The place among a row's values; `nil` for the objects' number.
    let place: Int?
    let type: AttributeType
  }

  /// The aggregates of one group.
  struct Group {
    let key: PropertyValue
    fileprivate(set) var count = 0
    fileprivate var accumulators: [Accumulator]

    fileprivate var isStale: Bool { accumulators.contains { $0.isStale } }

    fileprivate mutating func add(_ values: [PropertyValue], _ columns: [Column]) {
      count += 1
      for (place, column) in columns.enumerated() {
        if let value = column.place { accumulators[place].add(values[value]) }
      }
    }

    fileprivate mutating func remove(_ values: [PropertyValue], _ columns: [Column]) {
      count -= 1
      for (place, column) in columns.enumerated() {
        if let value = column.place { accumulators[place].remove(values[value]) }
      }
    }

    /// Adds a row again to accumulators that were cleared.
    fileprivate mutating func refill(
      _ places: [Int],
      _ values: [PropertyValue],
      _ columns: [Column]
    ) {
      for place in places {
        if let value = columns[place].place { accumulators[place].add(values[value]) }
      }
    }

    /// Whether two groups have as many objects and the same aggregates.
    func isSame(as other: Group, _ columns: [Column]) -> Bool {
      count == other.count
        && values(columns).elementsEqual(other.values(columns)) { $0.isSame(as: $1) }
    }

    /// The aggregates' values.
    func values(_ columns: [Column]) -> [PropertyValue] {
      zip(columns, accumulators).map { column, accumulator in
        column.function == .count ? .integer(Int64(count)) : accumulator.value
      }
    }
  }

  private struct Row {
    let reference: ObjectReference
    let group: GroupKey
    let values: [PropertyValue]
  }

  let columns: [Column]
  /// Whether the first value of a row says its group.
  private let isGrouped: Bool
  private var rows: [Int64: Row] = [:]
  private(set) var groups: [GroupKey: Group] = [:]
  /// The rows of objects that have not been saved.
  private(set) var unsavedRows: Set<ObjectReference> = []

  init(_ columns: [Column], isGrouped: Bool) {
    self.columns = columns
    self.isGrouped = isGrouped
    if !isGrouped { makeGroup(GroupKey(.null)) }
  }

  /// Takes rows out and puts rows in.
  ///
  /// - Parameters:
  ///   - keys: The keys of rows to take out, those among `newRows` included.
  ///   - newRows: Rows with their values.
  /// - Returns: The groups that are concerned, as they were.
  mutating func update(
    removing keys: some Sequence<Int64>,
    adding newRows: [SortKeys]
  ) -> [GroupKey: Group?] {
    var before: [GroupKey: Group?] = [:]
    for key in keys {
      guard let row = rows.removeValue(forKey: key) else { continue }
      if before[row.group] == nil { before[row.group] = .some(groups[row.group]) }
      groups[row.group]?.remove(row.values, columns)
      if key < 0 { unsavedRows.remove(row.reference) }
    }
    for row in newRows {
      let key = GroupKey(isGrouped ? row.values[0] : .null)
      if before[key] == nil { before[key] = .some(groups[key]) }
      add(row, to: key)
    }
    refill(before.keys.filter { groups[$0]?.isStale == true })
    for key in before.keys where isGrouped && groups[key]?.count == 0 { groups[key] = nil }
    return before
  }

  private mutating func add(_ row: SortKeys, to key: GroupKey) {
    if groups[key] == nil { makeGroup(key) }
    rows[row.reference.key] = Row(reference: row.reference, group: key, values: row.values)
    groups[key]?.add(row.values, columns)
    if row.reference.key < 0 { unsavedRows.insert(row.reference) }
  }

  private mutating func makeGroup(_ key: GroupKey) {
    groups[key] = Group(
      key: key.value,
      accumulators: columns.map { Accumulator($0.function, of: $0.type) }
    )
  }

  /// Computes what could not take a value back from the values that are left.
  private mutating func refill(_ stale: [GroupKey]) {
    guard !stale.isEmpty else { return }
    var places: [GroupKey: [Int]] = [:]
    for key in stale {
      guard let group = groups[key] else { continue }
      places[key] = columns.indices.filter { group.accumulators[$0].isStale }
      for place in places[key] ?? [] { groups[key]?.accumulators[place].clear() }
    }
    for row in rows.values {
      guard let stalePlaces = places[row.group] else { continue }
      groups[row.group]?.refill(stalePlaces, row.values, columns)
    }
  }
}

/// What rows of one group have in common, where all values that are no numbers are the same.
struct GroupKey: Hashable {
  let value: PropertyValue

  init(_ value: PropertyValue) { self.value = value }

  static func == (left: Self, right: Self) -> Bool { left.value.isSame(as: right.value) }

  func hash(into hasher: inout Hasher) {
    if value.isNaN { hasher.combine(0) } else { hasher.combine(value) }
  }
}
