// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// What a store gives, with keys of all stores.
///
/// A store that was filled alone may have longer keys than it can have beside others: with its number in front they
/// would be those of another store's rows.
///
/// Safe because a row is looked at while its page is held.
extension CombinedStore.Member {
  private var moving: PageRenumbering { .combining(store: number, store.model) }

  /// Fetches rows.
  ///
  /// - Parameters:
  ///   - query: What to fetch, in the store's own keys.
  ///   - body: Is given every page as the store has it, and with keys of all stores.
  /// - Throws: As the store; `persistentStoreOpen` for a key that leaves no room for the store's number.
  func fetchRows(
    _ query: StoreQuery,
    _ body: (_ own: RowPage, _ combined: RowPage) -> Void
  ) throws(PerennialError) {
    var failure: PerennialError?
    try store.fetchRows(query) { page in
      guard failure == nil else { return }
      do throws(PerennialError) {
        body(page, try combined(page))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  func combined(_ page: RowPage) throws(PerennialError) -> RowPage {
    let model = store.model
    for index in 0..<page.count { try check(page.row(index), of: model) }
    return moving.page(page)
  }

  func combined(_ row: PageRow) throws(PerennialError) -> PageRow {
    try check(row.pointer, of: store.model)
    return moving.row(row)
  }

  func combined(_ reference: ObjectReference) throws(PerennialError) -> ObjectReference {
    ObjectReference(
      key: try combined(reference.key, of: reference.entity),
      entity: reference.entity
    )
  }

  func combined(
    _ references: [ObjectReference]
  ) throws(PerennialError) -> [ObjectReference] {
    try references.map { reference throws(PerennialError) in try combined(reference) }
  }

  func combined(_ rows: [SortKeys]) throws(PerennialError) -> [SortKeys] {
    try rows.map { row throws(PerennialError) in
      SortKeys(reference: try combined(row.reference), values: row.values)
    }
  }

  /// Keys of rows of whatever entity.
  func combined(_ keys: [Int64]) throws(PerennialError) -> [Int64] {
    try keys.map { key throws(PerennialError) in try combined(key, of: nil) }
  }

  private func combined(_ key: Int64, of entity: Int?) throws(PerennialError) -> Int64 {
    guard StoreKey.fits(key) else { throw misfit(key, of: entity) }
    return StoreKey.combined(key, store: number)
  }

  private func check(_ row: UnsafeRawPointer, of model: ModelLayout) throws(PerennialError) {
    let entity = PackedRow.entity(row)
    let key = PackedRow.key(row)
    guard StoreKey.fits(key) else { throw misfit(key, of: entity) }
    for slot in model.entities[entity].referenceSlots where !PackedRow.isNull(row, slot) {
      let reference = PackedRow.reference(row, slot)
      guard reference.key <= 0 || StoreKey.fits(reference.key) else {
        throw misfit(reference.key, of: reference.entity)
      }
    }
  }

  private func misfit(_ key: Int64, of entity: Int?) -> PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "The store \(store.identifier) has the key \(key), which it cannot have beside other stores.",
      recovery: "open it in a container of its own, or give its rows keys below 2^40",
      entity: entity.map { store.model.entities[$0].name }
    )
  }
}
