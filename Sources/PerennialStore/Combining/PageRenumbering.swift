// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Copies of rows with other keys.
///
/// Safe because a row is changed in the block of the builder that has just copied it.
struct PageRenumbering {
  let model: ModelLayout
  /// What is added to every key and reference.
  let offset: Int64

  /// From a store's own keys to those of all stores.
  static func combining(store: Int, _ model: ModelLayout) -> PageRenumbering {
    PageRenumbering(model: model, offset: StoreKey.offset(ofStore: store))
  }

  /// From the keys of all stores to a store's own.
  static func separating(store: Int, _ model: ModelLayout) -> PageRenumbering {
    PageRenumbering(model: model, offset: -StoreKey.offset(ofStore: store))
  }

  func page(_ page: RowPage) -> RowPage {
    guard offset != 0 else { return page }
    var builder = PageBuilder(byteCount: max(page.byteCount, 64))
    for index in 0..<page.count { append(page.row(index), to: &builder) }
    return builder.seal()
  }

  func row(_ row: PageRow) -> PageRow {
    guard offset != 0 else { return row }
    var builder = PageBuilder(byteCount: PageBuilder.rowByteCount)
    append(row.pointer, to: &builder)
    return PageRow(page: builder.seal(), index: 0)
  }

  private func append(_ row: UnsafeRawPointer, to builder: inout PageBuilder) {
    let entity = model.entities[PackedRow.entity(row)]
    builder.copy(row, byteCount: PackedRow.byteCount(row, entity))
    let copy = builder.row
    copy.storeBytes(of: PackedRow.key(row) + offset, as: Int64.self)
    for slot in entity.referenceSlots where !PackedRow.isNull(row, slot) {
      let reference = PackedRow.reference(row, slot)
      guard reference.key > 0 else { continue }
      let moved = ObjectReference(key: reference.key + offset, entity: reference.entity)
      PackedRow.setWord(copy, slot, UInt64(bitPattern: moved.word))
    }
  }
}
