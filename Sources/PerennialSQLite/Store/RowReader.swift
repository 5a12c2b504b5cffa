// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// Writes the rows of a statement into pages.
///
/// A value whose storage class is not its attribute's is converted; text that is no UTF-8 is kept
/// as its bytes.
///
/// Safe because the bytes of a column are copied into the page before the next step.
struct RowReader: ~Copyable {
  private let plan: RowPlan
  private let schema: StoreSchema
  private let externalFiles: ExternalFiles
  private var builder: PageBuilder

  /// A reader.
  ///
  /// - Parameter expectsOne: Whether one row is expected: its page is small.
  init(plan: RowPlan, schema: StoreSchema, externalFiles: ExternalFiles, expectsOne: Bool) {
    self.plan = plan
    self.schema = schema
    self.externalFiles = externalFiles
    builder = expectsOne ? PageBuilder(byteCount: 512) : PageBuilder()
  }

  /// Reads all rows of a statement whose parameters are bound; the last page is kept for `finish`.
  mutating func read(
    _ statement: SQLiteStatement,
    _ body: (RowPage) -> Void
  ) throws(SQLiteFailure) {
    while try statement.step() {
      if builder.isFull, builder.hasRows { body(builder.seal()) }
      appendRow(of: statement)
    }
  }

  /// Gives the last page.
  mutating func finish(_ body: (RowPage) -> Void) {
    if builder.hasRows { body(builder.seal()) }
  }

  private mutating func appendRow(of statement: SQLiteStatement) {
    let handle = statement.handle
    let entity = concreteEntity(of: statement)
    builder.begin(
      key: sqlite3_column_int64(handle, 0),
      version: UInt32(truncatingIfNeeded: sqlite3_column_int64(handle, 2)),
      entity: plan.entities[entity].index,
      slotCount: plan.entities[entity].slotCount
    )
    let count = plan.entities[entity].loads.count
    for index in 0..<count {
      let load = plan.entities[entity].loads[index]
      let column = Int32(truncatingIfNeeded: load.column)
      let type = sqlite3_column_type(handle, column)
      if type == SQLITE_NULL { continue }
      switch load.kind {
      case .integer:
        builder.put(load.slot, word: UInt64(bitPattern: sqlite3_column_int64(handle, column)))
      case .double:
        builder.put(load.slot, word: sqlite3_column_double(handle, column).bitPattern)
      case .text, .blob:
        builder.put(load.slot, bytes: statement.bytes(load.column))
      case .bool:
        builder.put(load.slot, word: sqlite3_column_int64(handle, column) != 0 ? 1 : 0)
      case .reference:
        putReference(load, statement)
      case .decimal:
        putDecimal(load, statement, type)
      case .markedBlob:
        putMarkedBlob(load, statement)
      }
    }
    if !plan.entities[entity].constants.isEmpty { putConstants(entity) }
    builder.end()
  }

  /// The place in the plan of the row's entity; a row of an unknown number counts as the first.
  private func concreteEntity(of statement: SQLiteStatement) -> Int {
    guard plan.entities.count > 1, let entity = schema.entity(ofNumber: statement.integer(1)) else {
      return 0
    }
    let place = entity - plan.firstEntity
    return plan.entities.indices.contains(place) ? place : 0
  }

  private mutating func putReference(_ load: RowPlan.Load, _ statement: SQLiteStatement) {
    let key = statement.integer(load.column)
    guard key != 0 else { return }
    var entity = load.destination
    if load.entityColumn >= 0,
      let found = schema.entity(ofNumber: statement.integer(load.entityColumn))
    {
      entity = found
    }
    let reference = ObjectReference(key: key, entity: entity)
    builder.put(load.slot, word: UInt64(bitPattern: reference.word))
  }

  /// Decimals are kept as text in a slot: SQLite holds them as numbers of 15 digits.
  private mutating func putDecimal(
    _ load: RowPlan.Load,
    _ statement: SQLiteStatement,
    _ type: Int32
  ) {
    guard type == SQLITE_FLOAT else {
      builder.put(load.slot, bytes: statement.bytes(load.column))
      return
    }
    let value = sqlite3_column_double(statement.handle, Int32(load.column))
    var text = DecimalText.text(of: value)
    text.withUTF8 { builder.put(load.slot, bytes: UnsafeRawBufferPointer($0)) }
  }

  private mutating func putMarkedBlob(_ load: RowPlan.Load, _ statement: SQLiteStatement) {
    let bytes = statement.bytes(load.column)
    switch bytes.first {
    case ExternalFiles.inlineMark:
      builder.put(load.slot, bytes: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    case ExternalFiles.fileMark:
      let data = externalFiles.data(named: bytes.dropFirst())
      data?.withUnsafeBytes { builder.put(load.slot, bytes: $0) }
    default: builder.put(load.slot, bytes: bytes)
    }
  }

  private mutating func putConstants(_ entity: Int) {
    for constant in plan.entities[entity].constants {
      constant.value.withSlotValue(as: constant.type) { value in
        switch value {
        case .null: break
        case .word(let word): builder.put(constant.slot, word: word)
        case .bytes(let bytes): builder.put(constant.slot, bytes: bytes)
        }
      }
    }
  }
}

/// The text of decimals that SQLite keeps as floating-point numbers.
enum DecimalText {
  /// Up to 15 significant digits, without an exponent.
  static func text(of value: Double) -> String {
    let posix = Locale(identifier: "en_US_POSIX")
    let short = String(format: "%.15g", locale: posix, value)
    guard short.contains("e"), let decimal = Decimal(string: short, locale: posix) else {
      return short
    }
    return NSDecimalNumber(decimal: decimal).description(withLocale: posix)
  }
}
