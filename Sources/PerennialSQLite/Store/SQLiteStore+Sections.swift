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
    return try read { connection throws(SQLiteFailure) in
      var result = SectionedReferences()
      var section = SectionColumn(number: 2, reader: .attribute(types[0]))
      let rows = try connection.statement(.text(statement.sql)) { () throws(SQLiteFailure) in
        statement.sql
      }
      defer { rows.clear() }
      try rows.bind(statement.bindings)
      let reader = ReferenceReader(query, schema)
      while let reference = try reader.next(rows) {
        if section.isNew(in: rows), let value = section.value(rows, schema, objectIDs) {
          result.sections.append(.init(value: value, start: result.references.count))
        }
        result.references.append(reference)
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
    return try read { connection throws(SQLiteFailure) in
      var result: [SortKeys] = []
      let rows = try connection.statement(.text(statement.sql)) { () throws(SQLiteFailure) in
        statement.sql
      }
      defer { rows.clear() }
      try rows.bind(statement.bindings)
      let reader = ReferenceReader(query, schema)
      while let reference = try reader.next(rows) {
        let values = types.indices.map { place in
          ValueReader.attribute(types[place]).value(rows, place + 2, schema, objectIDs) ?? .null
        }
        result.append(SortKeys(reference: reference, values: values))
      }
      return result
    }
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
