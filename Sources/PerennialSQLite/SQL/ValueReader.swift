// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

extension ValueReader {
  /// The value in the statement's row; `nil` for a sum that does not fit.
  func value(
    _ statement: SQLiteStatement,
    _ column: Int,
    _ schema: StoreSchema,
    _ ids: ObjectIDMaker
  )
    -> PropertyValue?
  {
    if statement.isNull(column) { return .null }
    switch self {
    case .integerSum:
      let isInteger = sqlite3_column_type(statement.handle, Int32(column)) == SQLITE_INTEGER
      return isInteger ? .integer(statement.integer(column)) : nil
    case .object(let entity, let numberColumn):
      let number = numberColumn.flatMap { schema.entity(ofNumber: statement.integer($0)) }
      return .objectID(ids.id(number ?? entity, statement.integer(column)))
    case .attribute(let type): return Self.value(statement, column, type)
    }
  }

  private static func value(
    _ statement: SQLiteStatement,
    _ column: Int,
    _ type: AttributeType
  ) -> PropertyValue {
    switch type {
    case .int16, .int32, .int64: .integer(statement.integer(column))
    case .bool: .boolean(statement.integer(column) != 0)
    case .double, .float: .double(statement.double(column))
    case .date: .date(Date(timeIntervalSinceReferenceDate: statement.double(column)))
    case .decimal: .decimal(decimal(statement, column))
    case .string: .string(statement.text(column))
    case .url: .url(URL._stored(statement.text(column)))
    case .uuid: uuid(statement.bytes(column))
    case .binaryData, .transformable, .undefined, .objectID, .composite:
      .data(statement.data(column))
    }
  }

  /// Decimals are numbers of up to 15 digits, or text.
  private static func decimal(_ statement: SQLiteStatement, _ column: Int) -> Decimal {
    let isFloat = sqlite3_column_type(statement.handle, Int32(column)) == SQLITE_FLOAT
    let text =
      isFloat ? DecimalText.text(of: statement.double(column)) : statement.text(column)
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? 0
  }

  // Safe because the bytes are copied inside the call that lends them.
  private static func uuid(_ bytes: UnsafeRawBufferPointer) -> PropertyValue {
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    if bytes.count == 16 { withUnsafeMutableBytes(of: &uuid) { $0.copyMemory(from: bytes) } }
    return .uuid(UUID(uuid: uuid))
  }
}
