// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL
import PerennialStore

/// Packs slots of rows into parameters: an array for each column, for `unnest`, or row by row for `COPY`.
///
/// Numbers that are none (NaN) become null, as in SQLite; large values lie in their columns.
///
/// Safe because the rows lie in the pages of a change set, which the caller keeps until its save is done.
struct RowPacker: Sendable {
  /// What fills one column.
  private struct Column: Sendable {
    let slot: Int
    let kind: ColumnKind
    /// Whether it holds the number of the entity that the slot refers to.
    let isEntityNumber: Bool
  }

  /// The names of the columns.
  let names: [String]
  /// Their types.
  let types: [PostgresType]
  private let columns: [Column]
  /// The slots whose values have no fixed length.
  private let bytesSlots: [Int]
  private let numbers: [Int64]

  /// A packer of some slots of an entity; transient ones are left out.
  init(entity: Int, slots: some Sequence<Int>, schema: StoreSchema) {
    var names: [String] = []
    var types: [PostgresType] = []
    var columns: [Column] = []
    for slot in slots {
      guard let column = schema.column(of: slot, in: entity) else { continue }
      names.append(column.name)
      types.append(PostgresType(column.kind))
      columns.append(Column(slot: slot, kind: column.kind, isEntityNumber: false))
      guard let name = column.entityColumn else { continue }
      names.append(name)
      types.append(.integer)
      columns.append(Column(slot: slot, kind: column.kind, isEntityNumber: true))
    }
    self.names = names
    self.types = types
    self.columns = columns
    bytesSlots = columns.filter { $0.kind.hasBytes }.map(\.slot)
    numbers = schema.numbers
  }

  /// About how many bytes a row takes as parameters.
  func byteCount(_ row: UnsafeRawPointer) -> Int {
    var count = 12 * columns.count
    for slot in bytesSlots where !PackedRow.isNull(row, slot) {
      count += PackedRow.bytes(row, slot).count
    }
    return count
  }

  /// The rows in parts that one statement each takes: of a number, and no more bytes than wait to be sent.
  ///
  /// A row that is larger is a part of its own.
  func batches(_ rows: [UnsafeRawPointer], of limit: Int) -> [ArraySlice<UnsafeRawPointer>] {
    var batches: [ArraySlice<UnsafeRawPointer>] = []
    var start = 0
    var byteCount = 0
    for (index, row) in rows.enumerated() {
      let next = self.byteCount(row)
      if index - start == limit
        || index > start && byteCount + next > SavePipeline.greatestByteCount
      {
        batches.append(rows[start..<index])
        start = index
        byteCount = 0
      }
      byteCount += next
    }
    if start < rows.count { batches.append(rows[start...]) }
    return batches
  }

  /// Appends an array for each column.
  func packArrays(_ rows: ArraySlice<UnsafeRawPointer>, into parameters: inout PostgresFields) {
    for (column, type) in zip(columns, types) {
      var elements = PostgresFields()
      for row in rows { pack(column, of: row, into: &elements) }
      parameters.append(elements, arrayOf: type)
    }
  }

  /// Appends a value for each column.
  func packRow(_ row: UnsafeRawPointer, into fields: inout PostgresFields) {
    for column in columns { pack(column, of: row, into: &fields) }
  }

  @inline(__always)
  private func pack(
    _ column: Column,
    of row: UnsafeRawPointer,
    into fields: inout PostgresFields
  ) {
    let slot = column.slot
    if PackedRow.isNull(row, slot) { return fields.appendNull() }
    switch column.kind {
    case .integer, .bool: fields.append(PackedRow.integer(row, slot))
    case .double:
      let number = PackedRow.double(row, slot)
      if number.isNaN { fields.appendNull() } else { fields.append(number) }
    case .text: fields.appendText(PackedRow.bytes(row, slot))
    case .blob, .markedBlob: fields.appendBytes(PackedRow.bytes(row, slot))
    case .reference:
      let reference = PackedRow.reference(row, slot)
      fields.append(column.isEntityNumber ? numbers[reference.entity] : reference.key)
    case .decimal:
      let number = PostgresNumeric(String(decoding: PackedRow.bytes(row, slot), as: UTF8.self))
      if let number, number.isNumber { fields.append(number) } else { fields.appendNull() }
    }
  }
}

extension ColumnKind {
  /// Whether the values have no fixed length.
  fileprivate var hasBytes: Bool {
    switch self {
    case .integer, .bool, .double, .reference: false
    case .text, .blob, .markedBlob, .decimal: true
    }
  }
}

extension PostgresType {
  /// The type of a column.
  init(_ kind: ColumnKind) {
    self =
      switch kind {
      case .integer, .bool, .reference: .integer
      case .double: .double
      case .decimal: .numeric
      case .text: .text
      case .blob, .markedBlob: .bytes
      }
  }
}
#endif
