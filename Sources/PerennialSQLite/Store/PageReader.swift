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

/// Writes the rows of a statement into pages.
///
/// A value whose storage class is not its attribute's is converted; text that is no UTF-8 is kept
/// as its bytes. A large value whose file is missing is NULL, as in Core Data; one that cannot be read is an error.
/// So is a row whose key no object can have, or one that leads to such a key: it would be taken for another one's.
///
/// Safe because the bytes of a column are copied into the page before the next step.
struct PageReader: ~Copyable {
  private let plan: RowPlan
  private let expectsOne: Bool
  /// Why the file of a large value could not be read, or what is wrong with a key: the page with the row is not
  /// given then.
  private var failure: SQLiteFailure?
  private var builder: PageBuilder

  /// A reader.
  ///
  /// When at most one row can come, its page is small and no other is asked for.
  init(_ plan: RowPlan, expectsOne: Bool = false) {
    self.plan = plan
    self.expectsOne = expectsOne
    builder = expectsOne ? PageBuilder(byteCount: PageBuilder.rowByteCount) : PageBuilder()
  }

  /// A reader of at most one row, which it puts together in a block of the caller's.
  init(_ plan: RowPlan, lending block: UnsafeMutableRawBufferPointer) {
    self.plan = plan
    expectsOne = true
    builder = PageBuilder(lending: block)
  }

  /// Reads all rows of a statement whose parameters are bound; the last page is kept for `finish`.
  ///
  /// The caller clears the statement: when at most one row can come, nobody has asked for its end.
  mutating func read(
    _ statement: SQLiteStatement,
    _ body: (RowPage) -> Void
  ) throws(SQLiteFailure) {
    let isAlone = plan.entities.count == 1
    let first = plan.entities[0]
    let handle = statement.handle
    while try statement.step() {
      if builder.isFull, builder.hasRows {
        try checkValues(statement)
        body(builder.seal())
      }
      if isAlone {
        append(statement, first, handle)
      } else {
        append(statement, plan.entities[concreteEntity(of: statement)], handle)
      }
      if expectsOne { break }
    }
    try checkValues(statement)
  }

  private func checkValues(_ statement: SQLiteStatement) throws(SQLiteFailure) {
    guard let failure else { return }
    statement.reset()
    throw failure
  }

  /// Reads all rows of a statement whose last column is the key of the row's owner.
  mutating func readMembers(
    _ statement: SQLiteStatement,
    _ rows: inout MemberRows,
    limit: Int
  ) throws(SQLiteFailure) {
    let entities = plan.entities
    let isAlone = entities.count == 1
    let first = entities[0]
    let handle = statement.handle
    let ownerColumn = sqlite3_column_count(handle) - 1
    while try statement.step() {
      let owner = sqlite3_column_int64(handle, ownerColumn)
      if rows.isFull(for: owner, limit: limit) {
        statement.reset()
        break
      }
      if builder.isFull, builder.hasRows { rows.append(builder.seal()) }
      rows.noteRow(of: owner, at: builder.rowCount)
      if isAlone {
        append(statement, first, handle)
      } else {
        append(statement, entities[concreteEntity(of: statement)], handle)
      }
    }
    try checkValues(statement)
  }

  @inline(__always)
  private mutating func append(
    _ statement: SQLiteStatement,
    _ entity: RowPlan.Entity,
    _ handle: OpaquePointer
  ) {
    let key = sqlite3_column_int64(handle, RowPlan.Column.key)
    if key < 1 || key > SQLiteStore.greatestKey { failure = .impossibleKey(key) }
    builder.begin(
      copying: entity.template,
      key: key,
      version: UInt32(truncatingIfNeeded: sqlite3_column_int64(handle, RowPlan.Column.version))
    )
    entity.loads.withUnsafeBufferPointer { loads in
      for index in loads.indices { put(loads[index], of: statement, handle) }
    }
    builder.end()
  }

  /// Gives the last page.
  mutating func finish(_ body: (RowPage) -> Void) {
    if builder.hasRows { body(builder.seal()) }
  }

  /// Writes one slot.
  ///
  /// Only what reads as zero or empty is asked whether it is NULL.
  @inline(__always)
  private mutating func put(
    _ load: RowPlan.Load,
    of statement: SQLiteStatement,
    _ handle: OpaquePointer
  ) {
    let column = load.column
    switch load.kind {
    case .integer:
      let value = sqlite3_column_int64(handle, column)
      if value == 0, sqlite3_column_type(handle, column) == SQLITE_NULL {
        return builder.fillNull(load.slot)
      }
      builder.fill(load.slot, word: UInt64(bitPattern: value))
    case .double:
      let value = sqlite3_column_double(handle, column)
      if value == 0, sqlite3_column_type(handle, column) == SQLITE_NULL {
        return builder.fillNull(load.slot)
      }
      builder.fill(load.slot, word: value.bitPattern)
    case .text, .blob:
      let start = sqlite3_column_blob(handle, column)
      if start == nil, sqlite3_column_type(handle, column) == SQLITE_NULL {
        return builder.fillNull(load.slot)
      }
      let count = Int(sqlite3_column_bytes(handle, column))
      builder.fill(load.slot, bytes: UnsafeRawBufferPointer(start: start, count: count))
    case .bool:
      let value = sqlite3_column_int64(handle, column)
      if value == 0, sqlite3_column_type(handle, column) == SQLITE_NULL {
        return builder.fillNull(load.slot)
      }
      builder.fill(load.slot, word: value != 0 ? 1 : 0)
    case .reference: putReference(load, handle)
    case .decimal: putDecimal(load, statement)
    case .markedBlob: putMarkedBlob(load, statement)
    }
  }

  /// The place in the plan of the row's entity; a row of an unknown number counts as the first.
  private func concreteEntity(of statement: SQLiteStatement) -> Int {
    let number = statement.integer(Int(RowPlan.Column.entity))
    guard let entity = plan.schema.entity(ofNumber: number) else { return 0 }
    let place = entity - plan.firstEntity
    return plan.entities.indices.contains(place) ? place : 0
  }

  private mutating func putReference(_ load: RowPlan.Load, _ handle: OpaquePointer) {
    let key = sqlite3_column_int64(handle, load.column)
    guard key > 0, key <= SQLiteStore.greatestKey else {
      if key != 0 { failure = .impossibleKey(key, isOfOther: true) }
      return builder.fillNull(load.slot)
    }
    var entity = load.destination
    if load.entityColumn >= 0,
      let found = plan.schema.entity(ofNumber: sqlite3_column_int64(handle, load.entityColumn)),
      plan.schema.model.entities[load.destination].family.contains(found)
    {
      entity = found
    }
    let reference = ObjectReference(key: key, entity: entity)
    builder.fill(load.slot, word: UInt64(bitPattern: reference.word))
  }

  /// Decimals are kept as text in a slot: SQLite holds them as numbers of 15 digits.
  private mutating func putDecimal(_ load: RowPlan.Load, _ statement: SQLiteStatement) {
    switch sqlite3_column_type(statement.handle, load.column) {
    case SQLITE_NULL: builder.fillNull(load.slot)
    case SQLITE_FLOAT:
      var text = DecimalText.text(of: sqlite3_column_double(statement.handle, load.column))
      text.withUTF8 { builder.fill(load.slot, bytes: UnsafeRawBufferPointer($0)) }
    default: builder.fill(load.slot, bytes: statement.bytes(Int(load.column)))
    }
  }

  private mutating func putMarkedBlob(_ load: RowPlan.Load, _ statement: SQLiteStatement) {
    guard !statement.isNull(Int(load.column)) else { return builder.fillNull(load.slot) }
    let bytes = statement.bytes(Int(load.column))
    switch bytes.first {
    case ExternalWrites.inlineMark:
      builder.fill(load.slot, bytes: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    case ExternalWrites.fileMark:
      let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
      do throws(FileFailure) {
        let contents = try plan.externalFiles.contents(named: name)
        guard builder.hasRoom(for: contents.count) else { throw FileFailure(.read, EFBIG) }
        contents.withBytes { builder.fill(load.slot, bytes: $0) }
      } catch {
        if !error.isAboutMissingFile { failure = SQLiteFailure(error, "read") }
        builder.fillNull(load.slot)
      }
    default: builder.fill(load.slot, bytes: bytes)
    }
  }
}

/// The text of decimals that SQLite keeps as floating-point numbers.
enum DecimalText {
  /// Up to 15 significant digits, without an exponent.
  static func text(of value: Double) -> String {
    // The shortest text of a number that was made of so many digits is those digits.
    let shortest = "\(value)"
    if shortest.utf8.count <= 16, !shortest.contains("e") {
      return shortest.hasSuffix(".0") ? String(shortest.dropLast(2)) : shortest
    }
    let posix = Locale(identifier: "en_US_POSIX")
    let short = String(format: "%.15g", locale: posix, value)
    guard short.contains("e"), let decimal = Decimal(string: short, locale: posix) else {
      return short
    }
    return NSDecimalNumber(decimal: decimal).description(withLocale: posix)
  }

  /// What a column keeps of a decimal: the double nearest to it, as conditions compare it.
  ///
  /// SQLite makes one of a text, too, but not always the nearest (of 0.002877 for instance): it rounds twice.
  static func stored(_ text: String) -> SQLValue {
    if let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { return .text(text) }
    return .double(number)
  }
}
