// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import Perennial
import Synchronization

/// A store in a folder of CSV files, one for each table: what the article WritingAStore leads to.
///
/// A save writes all files into a new folder beside the old one, and then the name of that folder into
/// the file `CURRENT`, which happens at once or not at all.
///
/// Invariants: `contents` is what the current folder has; `CURRENT` names a folder that is complete.
public final class CSVStore: PersistentStore {
  /// It claims to keep what is saved, the history too, and perhaps that nobody else writes.
  public let capabilities: StoreCapabilities
  private let folder: URL
  private let contents = Mutex(CSVContents())

  /// A store in a folder, which is made when it does not exist.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - isUnshared: Whether nobody else writes to it, so that it need be read only once.
  /// - Throws: The error of the file system when the folder cannot be made.
  public init(folder: URL, isUnshared: Bool = false) throws {
    self.folder = folder
    capabilities = isUnshared ? [.durable, .history, .unshared] : [.durable, .history]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Reads the current folder.
  public func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? {
    guard let current = try currentFolder() else { return nil }
    let read = try CSVContents(folder: current)
    contents.withLock { $0 = read }
    return read.metadata
  }

  /// Writes a new folder with other metadata.
  public func write(_ metadata: PersistentStoreMetadata) throws {
    try change { $0.metadata = metadata }
  }

  /// All rows of the entities.
  public func fetch(_ request: StoreRequest) throws -> [StoreRow] {
    contents.withLock { contents in
      contents.tables[request.table, default: [:]].values
        .filter { request.entityNames.contains($0.entityName) }
    }
  }

  /// The rows of some keys.
  public func rows(of table: String, keys: [Int64]) throws -> [StoreRow] {
    contents.withLock { contents in keys.compactMap { contents.tables[table]?[$0] } }
  }

  /// The lists of some owners.
  public func members(
    of relationship: StoreRelationship,
    owners: [Int64]
  ) throws -> [Int64: [Int64]] {
    contents.withLock { contents in
      let lists = contents.lists[CSVContents.ListName(relationship)] ?? [:]
      return lists.filter { owners.contains($0.key) }
    }
  }

  /// Gives keys of those that have been set aside, or writes a new folder that sets more aside.
  public func reserveKeys(_ count: Int, of table: String) throws -> Int64 {
    let known = contents.withLock { $0.takeKeys(count, of: table) }
    if let known { return known }
    return try change { contents in
      contents.setKeysAside(count, of: table)
      return contents.takeKeys(count, of: table) ?? 0
    }
  }

  /// Writes a new folder with the changes.
  public func save(_ changes: StoreChanges) throws -> [StoreConflict] {
    try change { $0.apply(changes) }
    return []
  }

  // MARK: Files

  /// Changes the contents and the files, or neither.
  private func change<Result: Sendable>(_ body: (inout CSVContents) -> Result) throws -> Result {
    try contents.withLock { contents in
      var next = contents
      let result = body(&next)
      let name = "generation-\(UUID().uuidString)"
      let new = folder.appending(path: name)
      try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
      try next.write(to: new)
      let old = try currentFolder()
      try Data(name.utf8).write(to: folder.appending(path: "CURRENT"), options: .atomic)
      if let old { try? FileManager.default.removeItem(at: old) }
      contents = next
      return result
    }
  }

  /// The folder that `CURRENT` names; `nil` when there is no store.
  private func currentFolder() throws -> URL? {
    let file = folder.appending(path: "CURRENT")
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let name = try String(contentsOf: file, encoding: .utf8)
    guard name.hasPrefix("generation-"), !name.contains("/") else {
      throw StoreProblem(
        .unreadable,
        "The file 'CURRENT' does not name a folder of the store.",
        recovery: "restore it from a backup; everything has been left as it is"
      )
    }
    return folder.appending(path: name)
  }
}
