// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
package import PerennialPredicate
import PerennialSQL
package import PerennialStore

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

extension SQLiteStore {
  package func fetchReferences(
    _ query: StoreQuery,
    sectionedBy key: FetchSort
  ) throws(PerennialError) -> SectionedReferences {
    guard let (statement, types) = try sectionStatement(query, values: [key]) else {
      return SectionedReferences(try projectedSortKeys(query, [key]))
    }
    let isOfOneEntity = isOfOneEntity(query)
    return try read { connection throws(SQLiteFailure) in
      var result = SectionedReferences()
      var section = SectionColumn(number: 2, reader: .attribute(types[0]))
      let rows = try connection.statement(.text(statement.sql)) { () throws(SQLiteFailure) in
        statement.sql
      }
      defer { rows.clear() }
      try rows.bind(statement.bindings)
      while try rows.step() {
        if section.isNew(in: rows), let value = section.value(rows, schema, objectIDs) {
          result.sections.append(.init(value: value, start: result.references.count))
        }
        result.references.append(try reference(rows, query, isOfOneEntity))
      }
      return result
    }
  }

  package func fetchSortKeys(
    _ query: StoreQuery,
    _ sorts: [FetchSort]
  ) throws(PerennialError) -> [SortKeys] {
    guard let (statement, types) = try sectionStatement(query, values: sorts) else {
      return try projectedSortKeys(query, sorts)
    }
    let isOfOneEntity = isOfOneEntity(query)
    return try read { connection throws(SQLiteFailure) in
      var result: [SortKeys] = []
      let rows = try connection.statement(.text(statement.sql)) { () throws(SQLiteFailure) in
        statement.sql
      }
      defer { rows.clear() }
      try rows.bind(statement.bindings)
      while try rows.step() {
        let values = types.indices.map { place in
          ValueReader.attribute(types[place]).value(rows, place + 2, schema, objectIDs) ?? .null
        }
        let reference = try self.reference(rows, query, isOfOneEntity)
        result.append(SortKeys(reference: reference, values: values))
      }
      return result
    }
  }

  private func isOfOneEntity(_ query: StoreQuery) -> Bool {
    schema.isOfOneEntity(query.entity, includesSubentities: query.includesSubentities)
  }

  private func reference(
    _ row: SQLiteStatement,
    _ query: StoreQuery,
    _ isOfOneEntity: Bool
  ) throws(SQLiteFailure) -> ObjectReference {
    let key = row.integer(0)
    guard key >= 1, key <= Self.greatestKey else { throw .impossibleKey(key) }
    let entity = isOfOneEntity ? nil : schema.entity(ofNumber: row.integer(1))
    return ObjectReference(key: key, entity: entity ?? query.entity)
  }
}

/// A column whose values make sections: a value is made only where it differs from the one before.
private struct SectionColumn {
  let number: Int
  let reader: ValueReader
  private var type: Int32 = -1
  private var integer: Int64 = 0
  private var double = 0.0
  private var bytes: [UInt8] = []

  init(number: Int, reader: ValueReader) {
    self.number = number
    self.reader = reader
  }

  /// Whether the statement's row has another value than the one before, which is kept.
  mutating func isNew(in row: SQLiteStatement) -> Bool {
    let type = sqlite3_column_type(row.handle, Int32(number))
    defer { self.type = type }
    switch type {
    case SQLITE_NULL: return self.type != type
    case SQLITE_INTEGER:
      let value = row.integer(number)
      defer { integer = value }
      return self.type != type || integer != value
    case SQLITE_FLOAT:
      let value = row.double(number)
      defer { double = value }
      return self.type != type || double != value
    default:
      // Safe because the bytes are looked at before the next step.
      let value = row.bytes(number)
      if self.type == type, value.count == bytes.count,
        bytes.withUnsafeBytes({ value.elementsEqual($0) })
      {
        return false
      }
      bytes = Array(value)
      return true
    }
  }

  func value(
    _ row: SQLiteStatement,
    _ schema: StoreSchema,
    _ ids: ObjectIDMaker
  ) -> PropertyValue? {
    reader.value(row, number, schema, ids)
  }
}
