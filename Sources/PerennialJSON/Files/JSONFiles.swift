// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialStore

/// What can be done with the file of a JSON store that is not open.
///
/// Whoever has a store open holds its lock only while it saves: nobody can tell that it is open. It goes on reading
/// what it has read, and refuses to save when the file is gone or another store's.
package struct JSONFiles: StoreFiles {
  private let busyTimeout: Duration
  private let files: any FileSystem

  package init(busyTimeout: Duration) {
    self.init(busyTimeout: busyTimeout, files: SystemFiles())
  }

  init(busyTimeout: Duration, files: any FileSystem) {
    self.busyTimeout = busyTimeout
    self.files = files
  }

  package func metadata(at url: URL) throws(PerennialError) -> PersistentStoreMetadata {
    let file = try StoreFile(url)
    return try header(of: contents(of: file), file).shown
  }

  package func setMetadata(
    _ metadata: PersistentStoreMetadata,
    at url: URL
  ) throws(PerennialError) {
    let file = try StoreFile(url)
    // Looked at first, so that no lock is made beside what is no store.
    try metadata.check(for: header(of: contents(of: file), file).identifier)
    let lock = try files.lock(file, patience: busyTimeout)
    defer { withExtendedLifetime(lock) {} }
    let text = try contents(of: file)
    var header = try header(of: text, file)
    header.metadata = metadata.values
    guard text.withBytes({ HeaderSplice($0) != nil }) else {
      throw PerennialError(
        .persistentStoreSave,
        "The store '\(file.name)' has been edited by hand: its metadata cannot be set in place.",
        recovery: "open the store, and set the metadata of the open store"
      )
    }
    try put(file) { (output) throws(FileFailure) in
      try text.withBytes { bytes throws(FileFailure) in
        var output = JSONOutput(output)
        try HeaderSplice(bytes)?.write(header, to: &output)
      }
    }
  }

  package func destroy(at url: URL) throws(PerennialError) {
    guard let file = try? StoreFile(url) else { return }
    let isThere = FileManager.default.fileExists(atPath: file.path)
    if isThere { try checkIsStore(file) }
    let lock = isThere ? try files.lock(file, patience: busyTimeout) : nil
    defer { withExtendedLifetime(lock) {} }
    do throws(FileFailure) {
      for path in [file.path, file.nextPath, file.lockPath] { try files.remove(path) }
      if isThere { try files.syncFolder(of: file.path) }
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
    if isThere { removeExternalFiles(of: file) }
  }

  package func replace(at url: URL, from source: URL) throws(PerennialError) {
    let sourceFile = try StoreFile(source)
    let file = try StoreFile(url)
    guard file.path != sourceFile.path else {
      throw PerennialError(
        .persistentStoreSave,
        "The store '\(file.name)' cannot be replaced with itself.",
        recovery: "name two stores"
      )
    }
    let text = try contents(of: sourceFile)
    _ = try header(of: text, sourceFile)
    if FileManager.default.fileExists(atPath: file.path) { try checkIsStore(file) }
    let lock = try files.lock(file, patience: busyTimeout)
    defer { withExtendedLifetime(lock) {} }
    try copyExternalFiles(of: sourceFile, to: file)
    try put(file) { (output) throws(FileFailure) in
      try text.withBytes { bytes throws(FileFailure) in try output.write(bytes) }
    }
  }

  // MARK: Large values

  /// Deletes the files of large values; what cannot be deleted only takes room.
  private func removeExternalFiles(of file: StoreFile) {
    let folder = ExternalData(store: URL(filePath: file.path)).folder
    try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
  }

  /// Copies the files of large values beside those of another store: their names are new ones everywhere.
  private func copyExternalFiles(
    of source: StoreFile,
    to target: StoreFile
  ) throws(PerennialError) {
    let from = ExternalData(store: URL(filePath: source.path)).folder
    let end = ExternalData(store: URL(filePath: target.path)).folder
    let manager = FileManager.default
    guard let names = try? manager.contentsOfDirectory(atPath: from.path(percentEncoded: false)),
      !names.isEmpty
    else { return }
    do {
      try manager.createDirectory(at: end, withIntermediateDirectories: true)
      for name in names where UUID(uuidString: name) != nil {
        let copy = end.appending(path: name)
        if manager.fileExists(atPath: copy.path(percentEncoded: false)) { continue }
        try manager.copyItem(at: from.appending(path: name), to: copy)
        let handle = try FileHandle(forWritingTo: copy)
        try handle.synchronize()
        try handle.close()
      }
      try ExternalData(store: URL(filePath: target.path)).synchronise()
    } catch {
      throw PerennialError(
        .persistentStoreSave,
        "The large values of the store '\(source.name)' cannot be copied.",
        recovery: "check that the folder of '\(target.name)' can be written and has room",
        underlying: error
      )
    }
  }

  // MARK: Steps

  private func contents(of file: StoreFile) throws(PerennialError) -> FileContents {
    do throws(FileFailure) {
      return try files.open(file.path).contents()
    } catch {
      throw PerennialError(error, during: .opening, store: file.name)
    }
  }

  private func header(
    of text: FileContents,
    _ file: StoreFile
  ) throws(PerennialError) -> StoreHeader {
    do throws(JSONFault) {
      return try text.withBytes { bytes throws(JSONFault) in
        var reader = try StateReader(bytes)
        return try reader.header()
      }
    } catch {
      throw PerennialError(error, store: file.name, line: nil)
    }
  }

  /// Throws when a file is no store; a store that is damaged, or empty, is one.
  private func checkIsStore(_ file: StoreFile) throws(PerennialError) {
    let text = try contents(of: file)
    let beginning = Array("{\n\"format\":\"\(JSONFormat.name)\"".utf8)
    if text.isEmpty || text.withBytes({ $0.starts(with: beginning) }) { return }
    _ = try header(of: text, file)
  }

  /// Writes a text beside a store, brings it to the disk, and gives it the store's name.
  private func put(
    _ file: StoreFile,
    _ write: (any OpenFile) throws(FileFailure) -> Void
  ) throws(PerennialError) {
    do throws(FileFailure) {
      try files.remove(file.nextPath)
      let permissions = try files.status(of: file.path)?.permissions
      do throws(FileFailure) {
        let next = try files.create(file.nextPath, permissions: permissions)
        try write(next)
        try next.sync()
        try files.rename(file.nextPath, to: file.path)
      } catch {
        try? files.remove(file.nextPath)
        throw error
      }
      try files.syncFolder(of: file.path)
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
  }
}

extension StoreHeader {
  /// What users see.
  var shown: PersistentStoreMetadata {
    PersistentStoreMetadata(
      storeID: identifier,
      storeType: "JSON",
      modelVersionHashes: hashes.byEntity,
      values: metadata
    )
  }
}
