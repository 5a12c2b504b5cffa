// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// What the column of a new table is made of, for the rows of one old entity.
struct ColumnSource {
  /// The old column whose value it is, as it is or changed; `nil` when it is of no column.
  let carrier: String?
  /// How the value is changed, in SQL, or `nil` when it is not; the closure gives columns their names.
  private let change: (((String) -> String) -> String)?
  /// The parameters of the change.
  let values: [SQLValue]

  /// The value of a column as it is.
  static func column(_ name: String) -> Self { Self(carrier: name, change: nil, values: []) }

  /// A value of its own.
  static func value(_ value: SQLValue) -> Self {
    value == .null
      ? Self(carrier: nil, change: { _ in "NULL" }, values: [])
      : Self(carrier: nil, change: { _ in "?" }, values: [value])
  }

  /// The value of a column, changed.
  static func changed(
    _ name: String,
    _ values: [SQLValue] = [],
    _ change: @escaping ((String) -> String) -> String
  ) -> Self {
    Self(carrier: name, change: change, values: values)
  }

  static var null: Self { value(.null) }

  /// Whether the value is that of the column.
  var isPlain: Bool { change == nil }
  var isNull: Bool { carrier == nil && values.isEmpty }

  /// The value in SQL.
  func sql(_ name: (String) -> String) -> String { change?(name) ?? name(carrier ?? "NULL") }
}

/// Finds what the columns of new tables are made of.
struct ColumnSources {
  let mapping: ModelMapping
  let old: StoreSchema
  let new: StoreSchema

  /// The sources of all columns that rows of an entity have; the others are null.
  func sources(of entity: EntityMapping) -> [String: ColumnSource] {
    let before = old.model.entities[entity.source]
    let after = new.model.entities[entity.destination]
    var sources: [String: ColumnSource] = [:]
    for (place, slot) in after.slots.enumerated() {
      guard let column = new.column(of: place, in: entity.destination) else { continue }
      guard let origin = entity.slots[place],
        let past = old.column(of: origin, in: entity.source)
      else {
        sources[column.name] = .value(Self.initial(slot, column.kind))
        continue
      }
      if let relationship = before.slots[origin].relationship {
        add(relationship, slot, past, column, to: &sources)
      } else {
        sources[column.name] = attribute(before.slots[origin], past, slot, column)
      }
    }
    return sources
  }

  /// How the numbers of old entities become those of new ones; `nil` when all stay.
  func renumbering(_ entities: some Sequence<Int>, _ column: String) -> String? {
    var cases: [String] = []
    var changes = false
    for entity in entities {
      guard let place = mapping.destinations[entity] else { continue }
      let (number, after) = (old.number(of: entity), new.number(of: place))
      cases.append("WHEN \(number) THEN \(after)")
      changes = changes || number != after
    }
    return changes ? "CASE \(column) \(cases.joined(separator: " ")) END" : nil
  }

  // MARK: Attributes

  /// What a new column holds in rows that had no such attribute.
  static func initial(_ slot: SlotLayout, _ kind: ColumnKind) -> SQLValue {
    guard let value = slot.attribute?.defaultValue else { return .null }
    switch (kind, HistoryValue.stored(value)) {
    case (.double, .integer(let number)): return .double(Double(number))
    case (.decimal, .text(let text)): return DecimalText.stored(text)
    case (.markedBlob, .blob(let data)): return .blob(Data([ExternalWrites.inlineMark]) + data)
    case (_, let stored): return stored
    }
  }

  /// How bytes get the mark that says where they lie, or lose it; `nil` when they stay as they are.
  ///
  /// Large values have been brought into the column before: see `LargeValues`.
  static func change(from past: ColumnKind, to kind: ColumnKind) -> ((String) -> String)? {
    switch (past, kind) {
    // What has no mark is a value, too.
    case (.markedBlob, .blob):
      { "CASE WHEN substr(\($0), 1, 1) = x'01' THEN substr(\($0), 2) ELSE \($0) END" }
    case (.blob, .markedBlob):
      { "CASE WHEN \($0) IS NOT NULL THEN CAST(x'01' || \($0) AS BLOB) END" }
    default: nil
    }
  }

  private func attribute(
    _ before: SlotLayout,
    _ past: SlotColumn,
    _ slot: SlotLayout,
    _ column: SlotColumn
  ) -> ColumnSource {
    let change = Self.change(from: past.kind, to: column.kind)
    let initial = Self.initial(slot, column.kind)
    let fills = before.mayBeEmpty && !slot.isOptional && initial != .null
    guard change != nil || fills else { return .column(past.name) }
    return .changed(past.name, fills ? [initial] : []) { name in
      let value = change?(name(past.name)) ?? name(past.name)
      return fills ? "IFNULL(\(value), ?)" : value
    }
  }

  // MARK: To-one relationships

  private func add(
    _ relationship: RelationshipLayout,
    _ slot: SlotLayout,
    _ past: SlotColumn,
    _ column: SlotColumn,
    to sources: inout [String: ColumnSource]
  ) {
    let family = old.model.entities[relationship.destination].family
    // Those that are gone, or that the relationship cannot lead to any more.
    let reach = slot.relationship.map { new.model.entities[$0.destination].family } ?? 0..<0
    let kept = family.filter { mapping.destinations[$0].map(reach.contains) ?? false }
    let removed = family.filter { !kept.contains($0) }.map { old.number(of: $0) }
    let list = removed.map(String.init).joined(separator: ", ")
    sources[column.name] = .column(past.name)
    if let entityColumn = past.entityColumn, !removed.isEmpty {
      sources[column.name] = .changed(past.name) { name in
        "CASE WHEN \(name(entityColumn)) IN (\(list)) THEN NULL ELSE \(name(past.name)) END"
      }
    }
    if let order = column.orderColumn {
      sources[order] = past.orderColumn.map { .column($0) } ?? .null
    }
    guard let entityColumn = column.entityColumn else { return }
    if let before = past.entityColumn {
      let isChanged = renumbering(kept, before) != nil || !removed.isEmpty
      sources[entityColumn] =
        isChanged
        ? .changed(before) { name in
          renumbering(kept, name(before))
            ?? "CASE WHEN \(name(before)) NOT IN (\(list)) THEN \(name(before)) END"
        } : .column(before)
    } else if let place = mapping.destinations[relationship.destination] {
      let number = new.number(of: place)
      sources[entityColumn] = .changed(past.name) { name in
        "CASE WHEN \(name(past.name)) IS NOT NULL THEN \(number) END"
      }
    }
  }
}
