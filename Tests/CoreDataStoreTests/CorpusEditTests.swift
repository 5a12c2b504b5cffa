// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Corpus: editing stores that Core Data has written")
struct CorpusEditTests {
  @Test(arguments: CorpusStore.all)
  func `rows are added, changed and deleted, and all others stay`(_ corpus: CorpusStore) throws {
    let model = try corpus.model().layout
    let copy = try StoreFolder(corpus)
    let before = try Dump(copy)
    var changed: [String: Set<Int64>] = [:]
    var added: [String: Int64] = [:]
    do {
      let store = try SQLiteStore(url: copy.store, model: model)
      for entity in model.entities where !entity.description.isAbstract {
        let table = store.schema.table(of: entity.index)
        let (key, row) = try insert(entity, into: store)
        added[table, default: 0] += 1
        if let update = try update(entity, in: store, besides: key) {
          changed[table, default: []].insert(update.key)
          try store.save(update.change)
          let row = try #require(try store.rows(of: entity.index).first { $0.key == update.key })
          #expect(store.value(row, update.slot) == update.value, "\(entity.name)")
        }
        // The rows that were inserted are read again, and one of two goes.
        let found = try #require(try store.rows(of: entity.index).first { $0.key == key })
        for (name, value) in row.values {
          guard case .value(let value) = value, let slot = entity.slotsByName[name] else {
            continue
          }
          #expect(store.value(found, slot) == value, "\(entity.name).\(name)")
        }
        var deletion = ChangeSet()
        deletion.deletions = [model.deletion(entity.name, [(key, 1)])]
        try store.save(deletion)
        _ = try insert(entity, into: store)
      }
    }
    try check(before, try Dump(copy), changed, added, copy)
  }

  private func insert(
    _ entity: EntityLayout,
    into store: SQLiteStore
  ) throws -> (key: Int64, row: Row) {
    let key = try store.reserveKeys(root: entity.root, count: 1)
    var values: [String: Row.Value] = [:]
    for slot in entity.slots where !slot.isTransient && slot.relationship == nil {
      guard let type = slot.attributeType, slot.attribute?.derivationExpression == nil else {
        continue
      }
      values[slot.name] = .value(Self.sample(type, Int(key)))
    }
    let row = Row(key, values)
    try store.save(store.model.insertion([(entity.name, [row])]))
    return (key, row)
  }

  /// A value of a type that no other row has.
  private static func sample(_ type: AttributeType, _ number: Int) -> PropertyValue {
    switch type {
    case .int16, .int32, .int64: .integer(Int64(20_000 + number % 10_000))
    case .bool: .boolean(number.isMultiple(of: 2))
    case .double, .float: .double(Double(number) + 0.5)
    case .decimal: .decimal(Decimal(number) + Decimal(0.25))
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number) + 0.125))
    case .string: .string("Pérennial \(number)")
    case .url: .url(URL(filePath: "/\(number)"))
    case .uuid: .uuid(UUID())
    case .binaryData, .transformable, .undefined, .objectID, .composite:
      .data(Data([0, 1, 2, 3]) + Data("\(number)".utf8))
    }
  }

  /// A change of an attribute that no constraint names, of the entity's first row.
  private func update(
    _ entity: EntityLayout,
    in store: SQLiteStore,
    besides newcomer: Int64
  ) throws -> (key: Int64, slot: Int, value: PropertyValue, change: ChangeSet)? {
    let rows = try store.rows(of: entity.index).filter { $0.key < newcomer }
      .sorted { $0.key < $1.key }
    let constrained = Set(entity.constraints.flatMap(\.self))
    let slot = entity.slots.indices.first { slot in
      let layout = entity.slots[slot]
      return !layout.isTransient && layout.attribute?.derivationExpression == nil
        && layout.attributeType != nil && !constrained.contains(slot)
    }
    guard let row = rows.first, let slot, let type = entity.slots[slot].attributeType else {
      return nil
    }
    let name = entity.slots[slot].name
    let value = Self.sample(type, 7)
    let next = Row(row.key, version: row.version + 1, [name: .value(value)])
    var changes = ChangeSet()
    changes.updates = [store.model.update(entity.name, [name], [next])]
    return (row.key, slot, value, changes)
  }

  /// All tables of a store.
  private struct Dump {
    var tables: [String: RawTable] = [:]

    init(_ copy: StoreFolder) throws {
      let connection = try copy.connect()
      let names = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
      for name in names { tables[name] = try RawTable(name, on: connection) }
    }
  }

  private func check(
    _ before: Dump,
    _ after: Dump,
    _ changed: [String: Set<Int64>],
    _ added: [String: Int64],
    _ copy: StoreFolder
  ) throws {
    let connection = try copy.connect()
    #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
    #expect(Set(before.tables.keys) == Set(after.tables.keys))
    let counters: Set = ["Z_PRIMARYKEY", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
    for (name, table) in before.tables where !counters.contains(name) {
      let rows = after.tables[name]?.byKey ?? [:]
      guard table.rows.first?["Z_PK"] != nil else {
        if added[name] == nil { #expect(table == after.tables[name], "\(name)") }
        continue
      }
      #expect(rows.count == table.rows.count + Int(added[name] ?? 0), "\(name)")
      for (key, row) in table.byKey {
        var now = rows[key]
        guard changed[name]?.contains(key) == true else {
          #expect(now == row, "\(name) \(key)")
          continue
        }
        // One column has a new value, and the row its next version.
        #expect(now?["Z_OPT"]?.integer == (row["Z_OPT"]?.integer ?? 0) + 1)
        now?["Z_OPT"] = row["Z_OPT"]
        #expect(now?.count { row[$0.key] != $0.value } ?? 0 <= 1, "\(name) \(key)")
      }
    }
    // The counters of keys are those of the roots, and no key is given again.
    let old = before.tables["Z_PRIMARYKEY"]?.rows ?? []
    for row in after.tables["Z_PRIMARYKEY"]?.rows ?? [] {
      guard let number = row["Z_ENT"]?.integer, number < 16_000,
        let name = row["Z_NAME"]?.string
      else { continue }
      let counter = row["Z_MAX"]?.integer ?? 0
      if row["Z_SUPER"]?.integer ?? 0 != 0 {
        #expect(counter == old.first { $0["Z_NAME"] == .text(name) }?["Z_MAX"]?.integer, "\(name)")
      } else if let rows = after.tables["Z" + name.uppercased()]?.rows {
        #expect(counter >= rows.compactMap { $0["Z_PK"]?.integer }.max() ?? 0, "\(name)")
      }
    }
  }
}

extension SQLiteStore {
  /// The value of a slot of a row.
  func value(_ row: PageRow, _ slot: Int) -> PropertyValue {
    PackedRow.value(row.pointer, slot, in: model.entities[row.entity]) {
      model.objectID(of: $0, owner: identifier)
    }
  }
}
