// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// Binds slots of packed rows to the parameters of a statement, in the order of its columns.
///
/// Text and data are bound without a copy: the row must outlive the step. Safe because the rows lie
/// in the pages of a change set, which the caller keeps until its save is done.
struct RowBinder: Sendable {
  private struct Slot: Sendable {
    let slot: Int
    let kind: ColumnKind
    let hasEntityColumn: Bool
  }

  private let slots: [Slot]
  private let numbers: [Int64]
  /// The columns, in the order of the parameters.
  let columns: [String]

  /// A binder of some slots of an entity; transient ones are left out.
  init(entity: Int, slots: some Sequence<Int>, schema: StoreSchema) {
    var columns: [String] = []
    self.slots = slots.compactMap { slot in
      guard let column = schema.column(of: slot, in: entity) else { return nil }
      columns.append(column.name)
      if let name = column.entityColumn { columns.append(name) }
      return Slot(slot: slot, kind: column.kind, hasEntityColumn: column.entityColumn != nil)
    }
    self.columns = columns
    numbers = schema.numbers
  }

  /// Binds a row's slots.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - statement: The statement.
  ///   - first: The first parameter.
  ///   - external: Takes large values; without it they lie in the columns.
  /// - Returns: The first parameter after them.
  /// - Throws: What SQLite says, or that a large value cannot be written.
  @inline(__always)
  func bind(
    _ row: UnsafeRawPointer,
    to statement: SQLiteStatement,
    from first: Int,
    _ external: ExternalWrites?
  ) throws(SQLiteFailure) -> Int {
    var index = first
    for slot in slots {
      if PackedRow.isNull(row, slot.slot) {
        statement.bindNull(index)
        if slot.hasEntityColumn {
          index += 1
          statement.bindNull(index)
        }
      } else {
        switch slot.kind {
        case .integer, .bool: statement.bind(index, PackedRow.integer(row, slot.slot))
        case .double: statement.bind(index, PackedRow.double(row, slot.slot))
        case .text: try statement.bindText(index, PackedRow.bytes(row, slot.slot))
        case .decimal:
          try statement.bind(index, DecimalText.stored(String._load(row, slot.slot)))
        case .blob: try statement.bindBlob(index, PackedRow.bytes(row, slot.slot))
        case .markedBlob:
          try bindMarked(PackedRow.bytes(row, slot.slot), to: statement, index, external)
        case .reference:
          let reference = PackedRow.reference(row, slot.slot)
          statement.bind(index, reference.key)
          if slot.hasEntityColumn {
            index += 1
            statement.bind(index, numbers[reference.entity])
          }
        }
      }
      index += 1
    }
    return index
  }

  private func bindMarked(
    _ bytes: UnsafeRawBufferPointer,
    to statement: SQLiteStatement,
    _ index: Int,
    _ external: ExternalWrites?
  ) throws(SQLiteFailure) {
    if let external, bytes.count > ExternalData.threshold {
      return try statement.bindCopy(index, external.write(bytes))
    }
    var marked = [ExternalWrites.inlineMark]
    marked.reserveCapacity(bytes.count + 1)
    marked.append(contentsOf: bytes)
    try statement.bindCopy(index, marked)
  }
}
