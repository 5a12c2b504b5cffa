// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
public import PerennialStore

extension PersistentStoreCoordinator {
  /// Copies all objects of a store into a new store of any kind, and goes on with that one in its place.
  ///
  /// Objects keep their keys and versions, relationships their order; the application's metadata are copied,
  /// the history is not. The new store has an identifier of its own, so that IDs of the old one lead to
  /// nothing here. The old store is closed and stays as it is. A decimal keeps the digits that the new store
  /// can hold.
  ///
  /// Core Data: `migratePersistentStore(_:to:options:type:)`.
  ///
  /// - Parameters:
  ///   - store: A store of this coordinator.
  ///   - description: The new store, which must not exist.
  /// - Returns: The new store.
  /// - Throws: As ``copyPersistentStore(_:to:)`` and ``addPersistentStore(_:)``; the old store is then
  ///   still here.
  @discardableResult
  public func migratePersistentStore(
    _ store: Store,
    to description: StoreDescription
  ) throws(PerennialError) -> Store {
    let source = try opened(store)
    guard coordinator.combined != nil else { throw .oneStoreOnly }
    if description.url == nil {
      return try replaceInPlace(store, with: description) { target throws(PerennialError) in
        try StoreTransfer(from: source, to: target).run()
      }
    }
    try copyPersistentStore(store, to: description)
    return try replaceInPlace(store, with: description) { _ throws(PerennialError) in }
  }

  /// Copies all objects of a store into a new store of any kind, which is not opened.
  ///
  /// The copy appears under its name when it is complete.
  ///
  /// - Parameters:
  ///   - store: A store of this coordinator.
  ///   - description: The new store, which must not exist.
  /// - Throws: `persistentStoreSave` (134,030) when there is such a file; `persistentStoreOpen` (134,080)
  ///   for a store in memory, which would be gone at once; what either store throws. Nothing is left then.
  public func copyPersistentStore(
    _ store: Store,
    to description: StoreDescription
  ) throws(PerennialError) {
    let source = try opened(store)
    let (files, url) = try StoreOpening.files(of: description)
    guard !FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else {
      throw PerennialError(
        .persistentStoreSave,
        "There is a file '\(url.lastPathComponent)' already.",
        recovery: "name one that does not exist, or destroy it first"
      )
    }
    let draft = description.draft(beside: url)
    let draftURL = try StoreOpening.files(of: draft).1
    defer { try? files.destroy(at: draftURL) }
    try fill(draft, from: source)
    try files.replace(at: url, from: draftURL)
  }

  /// Makes a store and closes it.
  private func fill(
    _ description: StoreDescription,
    from source: any RowStore
  ) throws(PerennialError) {
    let target = try StoreOpening.open(
      description,
      model: managedObjectModel.layout,
      log: EventLog(description)
    )
    try StoreTransfer(from: source, to: target).run()
  }
}

extension StoreDescription {
  /// The same store under another name that nobody uses.
  fileprivate func draft(beside url: URL) -> StoreDescription {
    var draft = self
    let name = ".\(url.lastPathComponent)-\(UUID().uuidString)"
    draft.url = url.deletingLastPathComponent().appending(path: name)
    return draft
  }
}
