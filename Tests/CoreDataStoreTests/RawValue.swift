// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore
import Testing

@testable import PerennialSQLite

/// Compares slots of rows with raw columns, by the table of FORMAT 2.4 alone.
///
/// Safe because the rows outlive the comparison, and a UUID's bytes are copied.
struct RawValue {
  private let store: SQLiteStore
  private let copy: StoreFolder

  init(_ store: SQLiteStore, _ copy: StoreFolder) {
    self.store = store
    self.copy = copy
  }

  func agrees(_ row: PageRow, _ slot: Int, with columns: [String: SQLValue]) throws -> Bool {
    let entity = store.model.entities[row.entity]
    let layout = entity.slots[slot]
    if layout.isTransient { return store.schema.column(of: slot, in: row.entity) == nil }
    let column = try #require(store.schema.column(of: slot, in: row.entity))
    // The rule for names, with a number behind where subentities have the same one.
    let name = "Z" + layout.name.uppercased().replacing(".", with: "_")
    let suffix = column.name.dropFirst(name.count)
    guard column.name.hasPrefix(name), suffix.allSatisfy(\.isNumber) else { return false }
    let raw = try #require(columns[column.name])
    if let relationship = layout.relationship {
      guard let key = raw.integer else { return PackedRow.isNull(row.pointer, slot) }
      let reference = PackedRow.reference(row.pointer, slot)
      let destination = store.model.entities[relationship.destination]
      guard destination.family.count > 1 else {
        return reference.key == key && reference.entity == destination.index
      }
      let number = store.schema.number(of: relationship.destination)
      let entityColumn = try #require(columns["Z\(number)_\(column.name.dropFirst())"])
      return reference.key == key
        && store.schema.number(of: reference.entity) == entityColumn.integer
    }
    let attribute = try #require(layout.attribute)
    let value = PackedRow.value(row.pointer, slot, in: entity) {
      store.model.objectID(of: $0, owner: store.identifier)
    }
    return agrees(value, raw, attribute)
  }

  private func agrees(
    _ value: PropertyValue,
    _ raw: SQLValue,
    _ attribute: AttributeDescription
  ) -> Bool {
    switch (value, raw) {
    case (.null, .null): true
    case (.integer(let value), _): raw.integer == value
    case (.boolean(let value), _): raw.integer.map { ($0 != 0) == value } ?? false
    case (.double(let value), _): raw.number == value
    case (.date(let value), _): raw.number == value.timeIntervalSinceReferenceDate
    case (.decimal(let value), .integer(let raw)): value == Decimal(raw)
    case (.decimal(let value), .double(let raw)):
      abs(NSDecimalNumber(decimal: value).doubleValue - raw) <= abs(raw) * 1e-14
    case (.string(let value), .text(let raw)): value == raw
    case (.url(let value), .text(let raw)): value.absoluteString == raw
    case (.uuid(let value), .blob(let raw)):
      raw.count == 16 && withUnsafeBytes(of: value.uuid) { Data($0) } == raw
    case (.data(let value), .blob(let raw)):
      attribute.allowsExternalBinaryDataStorage ? agrees(value, marked: raw) : value == raw
    case (.null, .blob(let raw)):
      // A file that is missing.
      attribute.allowsExternalBinaryDataStorage && raw.first == 2
    default: false
    }
  }

  /// A value behind its mark: 1 before bytes, 2 before the name of a file (FORMAT 2.9).
  private func agrees(_ value: Data, marked raw: Data) -> Bool {
    switch raw.first {
    case 1: value == raw.dropFirst()
    case 2:
      value
        == (try? Data(
          contentsOf: copy.url.appending(
            path: ".store_SUPPORT/_EXTERNAL_DATA/"
              + String(decoding: raw.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
          )
        ))
    default: value == raw
    }
  }
}

extension SQLiteStore {
  /// All rows of just one entity.
  func rows(of entity: Int) throws -> [PageRow] {
    var query = StoreQuery(entity: entity)
    query.includesSubentities = false
    var rows: [PageRow] = []
    try fetchRows(query) { page in
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    return rows
  }
}
