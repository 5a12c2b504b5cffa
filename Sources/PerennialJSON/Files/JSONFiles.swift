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
  /// How many times a store is copied anew because somebody has saved it in the meantime.
  private static let attemptCount = 5

  let busyTimeout: Duration
  let files: any FileSystem
  /// Values of more bytes go into files of their own, where an attribute allows it.
  let largestInlineCount: Int

  package init(busyTimeout: Duration) {
    self.init(busyTimeout: busyTimeout, files: SystemFiles())
  }

  init(
    busyTimeout: Duration,
    files: any FileSystem,
    largestInlineCount: Int = ExternalData.threshold
  ) {
    self.busyTimeout = busyTimeout
    self.files = files
    self.largestInlineCount = largestInlineCount
  }

  package func metadata(at url: URL) throws(PerennialError) -> PersistentStoreMetadata {
    let file = try StoreFile(url, files)
    return try header(of: contents(of: file), file).shown
  }

  package func setMetadata(
    _ metadata: PersistentStoreMetadata,
    at url: URL
  ) throws(PerennialError) {
    let file = try StoreFile(url, files)
    // Looked at first, so that no lock is made beside what is no store.
    try metadata.check(for: header(of: contents(of: file), file).identifier)
    let lock = try files.lock(file, patience: busyTimeout)
    defer { withExtendedLifetime(lock) {} }
    let text = try contents(of: file)
    var header = try header(of: text, file)
    header.metadata = metadata.values.filter { !$0.value.isNull }
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

  /// Deletes a store: its file first, because what is left then is no store, and can be deleted by another call.
  package func destroy(at url: URL) throws(PerennialError) {
    let file: StoreFile
    do throws(PerennialError) {
      file = try StoreFile(url, files)
    } catch {
      // What is no file is no store.
      if error.underlying == nil { return }
      throw error
    }
    let isThere = try status(of: file) != nil
    if isThere { try checkIsStore(file) }
    let lock = isThere ? try files.lock(file, patience: busyTimeout) : nil
    defer { withExtendedLifetime(lock) {} }
    do throws(FileFailure) {
      for path in [file.path, file.nextPath, file.lockPath] { try files.remove(path) }
      if isThere { try files.syncFolder(of: file.path) }
      if !file.sharesValues { try ExternalData(file, files).removeAll() }
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
  }

  package func replace(at url: URL, from source: URL) throws(PerennialError) {
    try copy(from: source, to: url, replaces: true)
  }

  /// Copies a store to where no file is.
  func copy(from source: URL, to url: URL) throws(PerennialError) {
    let file = try StoreFile(url, files)
    guard try status(of: file) == nil else { throw .fileExists(file.name) }
    try copy(from: source, to: url, replaces: false)
  }

  /// Copies a store.
  ///
  /// - Parameters:
  ///   - source: The store.
  ///   - url: Where the copy is to be.
  ///   - replaces: Whether the copy may take the place of a store. Whether there is one is certain under the lock only.
  /// - Throws: The store's error; nothing is changed then.
  private func copy(
    from source: URL,
    to url: URL,
    replaces: Bool
  ) throws(PerennialError) {
    let sourceFile = try StoreFile(source, files)
    let file = try StoreFile(url, files)
    guard file.path != sourceFile.path else {
      throw PerennialError(
        .persistentStoreSave,
        "The store '\(file.name)' cannot be replaced with itself.",
        recovery: "name two stores"
      )
    }
    _ = try header(of: contents(of: sourceFile), sourceFile)
    let isReplaced = try status(of: file) != nil
    if isReplaced {
      try checkIsStore(file)
    } else if !files.isWritable(file.path).folder {
      throw .cannotWriteCopy(file.name)
    }
    let hadLock = try status(of: file, at: file.lockPath) != nil
    let lock = try files.lock(file, patience: busyTimeout)
    defer { withExtendedLifetime(lock) {} }
    let old = try status(of: file)
    if !replaces, old != nil { throw .fileExists(file.name) }
    let values = ExternalData(file, files)
    var copied: Set<String> = []
    let names: [String]?
    do throws(PerennialError) {
      let (text, found) = try copyValues(of: sourceFile, to: file, noting: &copied)
      try put(file) { (output) throws(FileFailure) in
        try text.withBytes { bytes throws(FileFailure) in try output.write(bytes) }
      }
      names = found
    } catch {
      try? takeBack(copied, of: file, old, keepingLock: hadLock)
      throw error
    }
    // What belonged to the store that was replaced.
    if isReplaced, !file.sharesValues, let names, let unnamed = try? values.unnamed(names) {
      values.remove(unnamed)
    }
  }

  /// Removes what a copy that failed has left, unless its text is the store's by now.
  ///
  /// - Parameters:
  ///   - copied: The names of the large values that were not there.
  ///   - file: The store.
  ///   - old: What the store was before; `nil` when there was none.
  ///   - keepsLock: Whether the lock's file was there before: it may be another's file of that name.
  /// - Throws: What could not be told or removed; it only takes room.
  private func takeBack(
    _ copied: Set<String>,
    of file: StoreFile,
    _ old: FileStatus?,
    keepingLock keepsLock: Bool
  ) throws {
    let now = try status(of: file)
    let isOld = if let old { now?.isUnchanged(since: old) == true } else { now == nil }
    guard isOld else { return }
    ExternalData(file, files).takeBack(copied)
    if old == nil, !keepsLock { try files.remove(file.lockPath) }
  }

  /// Copies the large values of a store beside another one: their names are new ones everywhere.
  ///
  /// Who saves the source meanwhile may remove files that its text named before: then all begins anew.
  ///
  /// - Parameters:
  ///   - source: The store.
  ///   - target: The other one.
  ///   - copied: Gets the names of the values that were not there.
  /// - Returns: The source's text, and the names of the values; `nil` when both share them.
  /// - Throws: What could not be read or written.
  private func copyValues(
    of source: StoreFile,
    to target: StoreFile,
    noting copied: inout Set<String>
  ) throws(PerennialError) -> (FileContents, [String]?) {
    for _ in 0..<Self.attemptCount {
      let before = try status(of: source)
      let text = try contents(of: source)
      var failure: FileFailure?
      var names: [String] = []
      if source.valuesOwner == target.valuesOwner { return (text, nil) }
      do throws(FileFailure) {
        let values = ExternalData(source, files)
        names = try values.copy(to: ExternalData(target, files), noting: &copied)
      } catch {
        failure = error
      }
      guard let before, let after = try status(of: source), after.isUnchanged(since: before) else {
        continue
      }
      if let failure { throw PerennialError(failure, during: .saving, store: target.name) }
      return (text, names)
    }
    throw PerennialError(
      .persistentStoreTimeout,
      "The store '\(source.name)' is saved again and again while it is copied.",
      recovery: "copy it when nobody saves it"
    )
  }

  // MARK: Steps

  func status(
    of file: StoreFile,
    at path: String? = nil
  ) throws(PerennialError) -> FileStatus? {
    do throws(FileFailure) {
      return try files.status(of: path ?? file.path)
    } catch {
      throw PerennialError(error, during: .opening, store: file.name)
    }
  }

  func contents(of file: StoreFile) throws(PerennialError) -> FileContents {
    do throws(FileFailure) {
      return try files.open(file.path).contents()
    } catch {
      throw PerennialError(error, during: .opening, store: file.name)
    }
  }

  func header(
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

  /// Puts a text in the place of a store's, or where none is; there, nothing is left when that fails.
  func put(
    _ file: StoreFile,
    _ write: (any OpenFile) throws(FileFailure) -> Void
  ) throws(PerennialError) {
    let writer = DurableWriter(files: files, file: file, waitsForDisk: true)
    do throws(FileFailure) {
      let old = try files.status(of: file.path)
      _ = try writer.prepare(permissions: old?.permissions, write)
      try writer.put()
      do throws(FileFailure) {
        try writer.confirm()
      } catch {
        if old == nil { try? files.remove(file.path) }
        throw error
      }
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
