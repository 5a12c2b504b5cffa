// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL
import PerennialStore

/// Writes the rows of results into pages.
///
/// Columns have the types that a ``StoreSchema`` declares, in binary form: whoever made the tables otherwise gets
/// what the bytes say. But a row whose key no object can have, or one that leads to such a key, is an error: it would
/// be taken for another one's.
///
/// Safe because the bytes of a result are copied into the page within the call.
struct RowReader: ~Copyable {
  private let plan: RowPlan
  /// What is wrong with a key: the page with the row is not given then.
  private var failure: PostgresFailure?
  private var builder: PageBuilder

  /// A reader, whose page is small when at most one row comes.
  init(_ plan: RowPlan, expectsOne: Bool = false) {
    self.plan = plan
    builder = expectsOne ? PageBuilder(byteCount: PageBuilder.rowByteCount) : PageBuilder()
  }

  /// Reads the rows of a result; the last page is kept for ``finish(_:)``.
  mutating func read(
    _ result: PostgresResult,
    _ body: (RowPage) -> Void
  ) throws(PostgresFailure) {
    for row in 0..<result.count {
      if builder.isFull, builder.hasRows {
        try checkKeys()
        body(builder.seal())
      }
      append(result, row)
    }
    try checkKeys()
  }

  private func checkKeys() throws(PostgresFailure) {
    if let failure { throw failure }
  }

  /// Reads the rows of a result whose last column is the key of the row's owner.
  ///
  /// - Returns: Whether more rows are wanted.
  mutating func readMembers(
    _ result: PostgresResult,
    _ rows: inout MemberRows,
    limit: Int
  ) throws(PostgresFailure) -> Bool {
    let ownerColumn = result.columnCount - 1
    for row in 0..<result.count {
      let owner = result.integer(row, ownerColumn)
      if rows.isFull(for: owner, limit: limit) { return false }
      if builder.isFull, builder.hasRows { rows.append(builder.seal()) }
      rows.noteRow(of: owner, at: builder.rowCount)
      append(result, row)
      try checkKeys()
    }
    return true
  }

  /// Gives the last page.
  mutating func finish(_ body: (RowPage) -> Void) {
    if builder.hasRows { body(builder.seal()) }
  }

  private mutating func append(_ result: PostgresResult, _ row: Int) {
    let entities = plan.entities
    let entity = entities.count == 1 ? entities[0] : entities[concreteEntity(result, row)]
    let key = result.integer(row, Int(RowPlan.Column.key))
    if !PostgresFailure.possibleKeys.contains(key) { failure = .impossibleKey(key) }
    builder.begin(
      copying: entity.template,
      key: key,
      version: UInt32(truncatingIfNeeded: result.integer(row, Int(RowPlan.Column.version)))
    )
    entity.loads.withUnsafeBufferPointer { loads in
      for index in loads.indices { put(loads[index], result, row) }
    }
    builder.end()
  }

  /// The place in the plan of the row's entity; a row of an unknown number counts as the first.
  private func concreteEntity(_ result: PostgresResult, _ row: Int) -> Int {
    let number = result.integer(row, Int(RowPlan.Column.entity))
    guard let entity = plan.schema.entity(ofNumber: number) else { return 0 }
    let place = entity - plan.firstEntity
    return plan.entities.indices.contains(place) ? place : 0
  }

  /// Writes one slot; what has no bytes is null, or an empty text.
  @inline(__always)
  private mutating func put(_ load: RowPlan.Load, _ result: PostgresResult, _ row: Int) {
    let column = Int(load.column)
    switch load.kind {
    case .text, .blob, .markedBlob:
      let isNull = result.withBytes(row, column) { bytes in
        if bytes.count == 0, result.isNull(row, column) { return true }
        builder.fill(load.slot, bytes: bytes)
        return false
      }
      if isNull { builder.fillNull(load.slot) }
    case .integer: putWord(load.slot, result, row, column)
    case .double: putWord(load.slot, result, row, column)
    case .bool:
      if result.isNull(row, column) { return builder.fillNull(load.slot) }
      builder.fill(load.slot, word: result.integer(row, column) != 0 ? 1 : 0)
    case .reference: putReference(load, result, row)
    case .decimal: putDecimal(load, result, row)
    }
  }

  /// Copies the eight bytes of a number.
  @inline(__always)
  private mutating func putWord(_ slot: Int, _ result: PostgresResult, _ row: Int, _ column: Int) {
    let word = result.withBytes(row, column) { bytes in
      bytes.count == 8 ? UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) : nil
    }
    if let word { builder.fill(slot, word: word) } else { builder.fillNull(slot) }
  }

  private mutating func putReference(_ load: RowPlan.Load, _ result: PostgresResult, _ row: Int) {
    let key = result.integer(row, Int(load.column))
    guard PostgresFailure.possibleKeys.contains(key) else {
      if key != 0 { failure = .impossibleKey(key, isOfOther: true) }
      return builder.fillNull(load.slot)
    }
    var entity = load.destination
    if load.entityColumn >= 0,
      let found = plan.schema.entity(ofNumber: result.integer(row, Int(load.entityColumn))),
      plan.schema.model.entities[load.destination].family.contains(found)
    {
      entity = found
    }
    let reference = ObjectReference(key: key, entity: entity)
    builder.fill(load.slot, word: UInt64(bitPattern: reference.word))
  }

  /// Decimals are kept as text in a slot.
  private mutating func putDecimal(_ load: RowPlan.Load, _ result: PostgresResult, _ row: Int) {
    guard let number = result.numeric(row, Int(load.column)), number.isNumber else {
      return builder.fillNull(load.slot)
    }
    var text = number.shortest
    text.withUTF8 { builder.fill(load.slot, bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension PostgresFailure {
  /// The keys that objects can have.
  static let possibleKeys: ClosedRange<Int64> = 1...(1 << 47 - 1)

  /// A key that no object can have.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - isOfOther: Whether a relationship leads to it.
  /// - Returns: The failure.
  static func impossibleKey(_ key: Int64, isOfOther: Bool = false) -> PostgresFailure {
    let verb = isOfOther ? "leads to" : "has"
    return PostgresFailure(
      .unexpectedAnswer,
      "a row \(verb) the key \(key), which no object can have"
    )
  }
}
#endif
