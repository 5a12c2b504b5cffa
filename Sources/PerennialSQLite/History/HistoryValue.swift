// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// How values lie in the tables of the history.
enum HistoryValue {
  /// A preserved value as a column of its own has it: as the object's table does.
  static func stored(_ value: PropertyValue) -> SQLValue {
    switch value {
    case .null: .null
    case .boolean(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .double(let value): .double(value)
    case .decimal(let value): .text("\(value)")
    case .string(let value): .text(value)
    case .date(let value): .double(value.timeIntervalSinceReferenceDate)
    case .data(let value): .blob(value)
    case .uuid(let value): .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
    case .url(let value): .text(value.absoluteString)
    case .objectID(let value): .text(value.uriRepresentation.absoluteString)
    }
  }

  /// A preserved value of an attribute type that is not null; `nil` when it is none.
  static func value(
    _ statement: SQLiteStatement,
    _ column: Int,
    as type: AttributeType
  ) -> PropertyValue? {
    switch type {
    case .int16, .int32, .int64: .integer(statement.integer(column))
    case .bool: .boolean(statement.integer(column) != 0)
    case .double, .float: .double(statement.double(column))
    case .date: .date(Date(timeIntervalSinceReferenceDate: statement.double(column)))
    case .decimal:
      Decimal(string: statement.text(column), locale: Locale(identifier: "en_US_POSIX"))
        .map { .decimal($0) }
    case .string: .string(statement.text(column))
    case .url: URL(string: statement.text(column)).map { .url($0) }
    case .uuid: uuid(statement.bytes(column)).map { .uuid($0) }
    case .binaryData, .transformable, .undefined, .objectID, .composite:
      .data(statement.data(column))
    }
  }

  // Safe because the bytes are copied within the call, and a UUID has no padding.
  private static func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
    bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
  }
}
