// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
package import PerennialPredicate
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
    guard let (statement, type) = try sectionStatement(query, key) else {
      return SectionedReferences(try fetchSortKeys(query, [key]))
    }
    let isOfOneEntity = schema.isOfOneEntity(
      query.entity,
      includesSubentities: query.includesSubentities
    )
    return try read { connection throws(SQLiteFailure) in
      var result = SectionedReferences()
      var section = SectionColumn(number: 1, reader: .attribute(type))
      let rows = try connection.statement(.text(statement.sql)) { () throws(SQLiteFailure) in
        statement.sql
      }
      defer { rows.clear() }
      try rows.bind(statement.bindings)
      while try rows.step() {
        if section.isNew(in: rows), let value = section.value(rows, schema, identifier) {
          result.sections.append(.init(value: value, start: result.references.count))
        }
        let entity = isOfOneEntity ? nil : schema.entity(ofNumber: rows.integer(2))
        result.references.append(
          ObjectReference(key: rows.integer(0), entity: entity ?? query.entity)
        )
      }
      return result
    }
  }

  /// The statement that gives keys, the values of sections, and the numbers of entities; `nil` when SQL
  /// cannot do all of it.
  private func sectionStatement(
    _ query: StoreQuery,
    _ key: FetchSort
  ) throws(PerennialError) -> (SelectStatement, AttributeType)? {
    var translation = try translation(of: query)
    let projection = try ProjectionQuery(query, sorts: [key], in: model)
    var translator = PredicateTranslator(schema: schema, store: identifier)
    let scope = PredicateTranslator.Scope(object: .init(entity: query.entity, alias: "t0"))
    guard translation.isComplete, case .attribute(let type) = projection.columns[1].type,
      case .value(let text, let kind)? =
        translator.operand(ExpressionNode.object.appending(key.steps), scope),
      kind != .opaque, text.bindings.isEmpty
    else { return nil }
    // Named, so that SQLite computes it once.
    translation.order = translation.order?.map { term in
      term.hasPrefix(text.sql) ? "s0" + term.dropFirst(text.sql.count) : term
    }
    var builder = SelectBuilder(query, output: .rows, schema: schema, translation: translation)
    let statement = builder.build(columns: "t0.Z_PK, \(text.sql) AS s0, t0.Z_ENT")
    return (statement, type)
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

  func value(_ row: SQLiteStatement, _ schema: StoreSchema, _ store: UUID) -> PropertyValue? {
    reader.value(row, number, schema, store)
  }
}
