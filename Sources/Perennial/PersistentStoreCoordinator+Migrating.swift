// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
public import PerennialStore

extension PersistentStoreCoordinator {
  /// Copies all objects of a store into a new store of any kind, which then takes the store's place.
  ///
  /// Objects keep their keys and versions, and ordered relationships their order. The application's metadata are
  /// copied, the history is not. The new store has an identifier of its own, so that IDs of the old one lead to
  /// nothing here. The old store is closed and stays as it is. A decimal keeps the digits that the new store can
  /// hold.
  ///
  /// Saves of this container wait meanwhile. What others save meanwhile may be copied in part.
  ///
  /// Core Data: `migratePersistentStore(_:to:options:type:)`.
  ///
  /// - Parameters:
  ///   - store: A store of this coordinator.
  ///   - description: The new store, which must not exist. Without a configuration, it gets the old store's.
  /// - Returns: The new store.
  /// - Throws: As ``copyPersistentStore(_:to:)`` and ``addPersistentStore(_:)``; the old store then stays here, and a
  ///   file that was made for the new one is deleted.
  @discardableResult
  public func migratePersistentStore(
    _ store: Store,
    to description: StoreDescription
  ) throws(PerennialError) -> Store {
    let source = try opened(store)
    guard let combined = coordinator.combined else { throw .oneStoreOnly }
    var description = description
    description.configuration = description.configuration ?? store.configurationName
    guard managedObjectModel.places(forConfiguration: description.configuration) != nil else {
      throw .noConfiguration(description.configuration ?? "", managedObjectModel)
    }
    var isCopied = false
    // Its watcher may have to outlive the pause, also after an error.
    var opened: Opening?
    let opening: Opening
    do throws(PerennialError) {
      opening = try coordinator.pausingSaves { () throws(PerennialError) -> Opening in
        if description.isFile {
          try copy(source, to: description)
          isCopied = true
        }
        let new = try open(description)
        opened = new
        if !description.isFile {
          try StoreTransfer(from: source, to: new.member.store, isDraft: false).run()
        }
        try combined.add(new.member, replacing: store.identifier)
        return new
      }
    } catch {
      // The file cannot go as long as it is open.
      opened = nil
      if isCopied { try? Self.destroyPersistentStore(at: description) }
      throw error
    }
    withExtendedLifetime(opened) {}
    note(opening.entry, replacing: store)
    return opening.entry.store
  }

  /// Copies all objects of a store into a new store of any kind, which is not opened.
  ///
  /// The copy appears under its name when it is complete. On a server, everything is one save into a store without
  /// objects, and is held in memory for that. Saves of this container wait meanwhile. What others save meanwhile
  /// may be copied in part: ``backUp(_:to:)`` copies one moment of a file.
  ///
  /// - Parameters:
  ///   - store: A store of this coordinator.
  ///   - description: The new store, which must not exist; one on a server must have no objects.
  /// - Throws: `persistentStoreSave` (134030) when the file exists, or the store on a server has an object;
  ///   `persistentStoreOpen` (134080) for a store in memory, which would be gone at once; `fetchCancelled`
  ///   (200009) when the task is cancelled; or what either store throws. Nothing is left then, except the tables
  ///   of a store on a server, without rows.
  public func copyPersistentStore(
    _ store: Store,
    to description: StoreDescription
  ) throws(PerennialError) {
    try copyPersistentStore(store, to: description, telling: nil)
  }

  /// As ``copyPersistentStore(_:to:)``, and tells how far it is.
  package func copyPersistentStore(
    _ store: Store,
    to description: StoreDescription,
    telling listener: StoreTransfer.Listener?
  ) throws(PerennialError) {
    let source = try opened(store)
    try coordinator.pausingSaves { () throws(PerennialError) in
      try copy(source, to: description, telling: listener)
    }
  }

  private func copy(
    _ source: any RowStore,
    to description: StoreDescription,
    telling listener: StoreTransfer.Listener? = nil
  ) throws(PerennialError) {
    if description.kind == .server {
      return try fill(description, from: source, isDraft: false, telling: listener)
    }
    let (files, url) = try StoreOpening.files(of: description)
    try Self.checkIsFree(url)
    let draft = StoreDraft(of: url.resolvingSymlinksInPath())
    defer { try? FileManager.default.removeItem(at: draft.folder) }
    do {
      try FileManager.default.createDirectory(
        at: draft.folder,
        withIntermediateDirectories: false
      )
    } catch {
      throw .cannotWriteCopy(url.lastPathComponent, underlying: error)
    }
    var inside = description
    inside.url = draft.url
    try fill(inside, from: source, isDraft: true, telling: listener)
    if Task.isCancelled { throw .fetchCancelled }
    try Self.checkIsFree(url)
    try files.replace(at: url, from: draft.url)
    StoreDraft.removeAll(of: url)
  }

  private static func checkIsFree(_ url: URL) throws(PerennialError) {
    if FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) {
      throw .fileExists(url.lastPathComponent)
    }
  }

  /// Makes a store and closes it.
  private func fill(
    _ description: StoreDescription,
    from source: any RowStore,
    isDraft: Bool,
    telling listener: StoreTransfer.Listener?
  ) throws(PerennialError) {
    let target = try StoreOpening.open(
      description,
      model: managedObjectModel.layout,
      log: EventLog(description)
    )
    try StoreTransfer(from: source, to: target, isDraft: isDraft, telling: listener).run()
  }
}
