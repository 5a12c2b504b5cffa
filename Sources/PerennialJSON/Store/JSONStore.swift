// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialStore
import Synchronization

/// A store in one JSON file, which is read as a whole and written as a whole.
///
/// In between it is a store in memory: what it is asked, it answers from its state. Before it answers
/// it looks whether somebody else has written the file, and reads it again then.
///
/// Invariants:
/// 1. The state is that of the file whose status is kept, or of one that this store wrote itself.
/// 2. The file is written only under the lock, and only after it has been looked at under it: so a
///    save is always made of the newest state, and what somebody else saved is never lost.
/// 3. Whoever holds `writing` may take `loaded`; never the other way.
/// 4. A text that has the store's name, or may have it after a crash, names only files of large values that are
///    whole and on the disk: they are written before the text, and removed after the next text is on the disk.
///
/// Core Data: a store of class `NSAtomicStore`.
package final class JSONStore: StateStore {
  package let model: ModelLayout
  package let identifier: UUID
  package let capabilities: StoreCapabilities = [.durable, .cacheableRows]
  package let tally = RequestTally()
  let file: StoreFile
  let files: any FileSystem
  let isReadOnly: Bool
  let busyTimeout: Duration
  private let historyOptions: HistoryOptions
  private let writer: DurableWriter
  private let loader: FileLoader
  /// Writes large values; `nil` when the model has no attribute for them, and none are left of one.
  private let values: ExternalWriter?
  /// Held during a save.
  private let writing = Mutex(())
  private let loaded: Mutex<Loaded>

  /// What the store knows of its file.
  struct Loaded: Sendable {
    var file: LoadedFile
    /// How many times somebody else's text has been read.
    var foreignCount: Int64 = 0
    /// What others have written, for whoever merges it; `nil` when nobody does.
    var foreignChanges: [ChangeSet]?
    /// The last change sets that may have been written, though their saves failed.
    var unconfirmed: [UInt64] = []
  }

  /// Opens a file, or makes a new store where there is none.
  ///
  /// - Parameters:
  ///   - url: The file. Its folder must exist.
  ///   - model: The model.
  ///   - isReadOnly: Whether nothing may be written, no lock either.
  ///   - busyTimeout: How long to wait for another process's lock.
  ///   - history: Whether to begin a history, if the store may be written; one that has a history goes on with it.
  ///   - waitsForDisk: Whether a save waits until it is on the disk, and survives a power loss.
  ///   - files: The file system.
  ///   - largestInlineCount: Values of more bytes go into files of their own, where an attribute allows it.
  /// - Throws: `persistentStoreOpen`, `persistentStoreTimeout`, or `incompatibleVersionHash` when the
  ///   store has another model. The file is then as it was.
  package convenience init(
    url: URL,
    model: ModelLayout,
    isReadOnly: Bool = false,
    busyTimeout: Duration = .seconds(5),
    history: HistoryOptions = HistoryOptions(),
    waitsForDisk: Bool = true,
    files: any FileSystem = SystemFiles(),
    largestInlineCount: Int = ExternalData.threshold
  ) throws(PerennialError) {
    let file = try StoreFile(url, files)
    try self.init(
      file,
      model: model,
      isReadOnly: isReadOnly,
      busyTimeout: busyTimeout,
      files: files,
      history: history,
      waitsForDisk: waitsForDisk,
      largestInlineCount: largestInlineCount
    )
  }

  init(
    _ file: StoreFile,
    model: ModelLayout,
    isReadOnly: Bool = false,
    busyTimeout: Duration = .seconds(5),
    files: any FileSystem,
    history: HistoryOptions = HistoryOptions(),
    waitsForDisk: Bool = true,
    largestInlineCount: Int = ExternalData.threshold
  ) throws(PerennialError) {
    let loader = FileLoader(
      files: files,
      file: file,
      model: model,
      hashes: model.versionHashes,
      schema: ModelText(model)
    )
    let writer = DurableWriter(files: files, file: file, waitsForDisk: waitsForDisk)
    let opener = JSONStoreOpener(
      loader: loader,
      writer: writer,
      isReadOnly: isReadOnly,
      busyTimeout: busyTimeout
    )
    let opened = try opener.open()
    self.model = model
    self.file = file
    self.files = files
    self.isReadOnly = isReadOnly
    self.busyTimeout = busyTimeout
    self.loader = loader
    self.writer = writer
    values =
      try opener.hasLargeValues()
      ? ExternalWriter(files: ExternalData(file, files), largestInlineCount: largestInlineCount)
      : nil
    historyOptions = isReadOnly ? HistoryOptions() : history
    identifier = opened.header.identifier
    loaded = Mutex(Loaded(file: opened.keeping(historyOptions)))
  }

  // MARK: Reading

  package func currentState() throws(PerennialError) -> InMemoryState {
    try loaded.withLock { loaded throws(PerennialError) in
      try refresh(&loaded, .reading)
      return loaded.file.state
    }
  }

  /// What the application keeps with the store.
  package func metadata() throws(PerennialError) -> [String: PropertyValue] {
    try loaded.withLock { loaded throws(PerennialError) in
      try refresh(&loaded, .reading)
      return loaded.file.header.metadata
    }
  }

  /// Reads the file again if somebody else has written it.
  ///
  /// When it is gone, what has been read is still good to read, but nothing is written in its place.
  private func refresh(
    _ loaded: inout Loaded,
    _ activity: StoreActivity
  ) throws(PerennialError) {
    guard let status = try loader.status(activity) else {
      if activity == .reading { return }
      throw PerennialError(FileFailure.gone, during: activity, store: file.name)
    }
    guard !status.isUnchanged(since: loaded.file.status) else {
      // Its permissions may be others now.
      loaded.file.status = status
      return
    }
    let next = try loader.load(activity).keeping(historyOptions, after: loaded.file)
    guard next.header.identifier == identifier else {
      throw .cannotOpen(
        "Another store has been put in the place of '\(file.name)' while it was open.",
        "open it anew"
      )
    }
    let changes = loaded.foreignChanges.map { _ in
      next.state.changes(since: loaded.file.state)
    }
    loaded.file = next
    loaded.foreignCount += 1
    if let changes, !changes.isEmpty { loaded.foreignChanges?.append(changes) }
  }

  // MARK: Writing

  package func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    let name = model.entities[root].name
    return try writing.withLock { _ throws(PerennialError) in
      let lock = try takeLock()
      let next = try newest().file.state.nextKeys[root]
      do throws(FileFailure) {
        var ledger = KeyLedger(try lock.read(), store: identifier)
        let first = max(ledger[name], next)
        if Int64(count) <= JSONFormat.greatestKey - first + 1 {
          ledger[name] = first + Int64(count)
          try lock.write(ledger.text(store: identifier))
          return first
        }
      } catch {
        throw PerennialError(error, during: .saving, store: file.name)
      }
      throw .noKeys(name, file.name)
    }
  }

  package func save(_ changes: ChangeSet) throws(SaveFailure) {
    tally.note(rows: 0)
    guard !changes.isEmpty else { return }
    try writing.withLock { _ throws(SaveFailure) in
      let lock: any FileLock
      let current: Loaded
      do throws(PerennialError) {
        lock = try takeLock()
        current = try newest()
      } catch {
        throw .failed(error)
      }
      let next = try current.file.state.saving(
        changes,
        store: identifier,
        isRepeated: current.unconfirmed.contains(changes.identifier)
      )
      do throws(PerennialError) {
        try write(next, current.file, under: lock, changes.identifier)
      } catch {
        throw .failed(error)
      }
    }
  }

  /// Sets or, with null values, removes entries of what the application keeps with the store.
  package func setMetadata(_ entries: [String: PropertyValue]) throws(PerennialError) {
    try writing.withLock { _ throws(PerennialError) in
      let lock = try takeLock()
      var file = try newest().file
      for (key, value) in entries { file.header.metadata[key] = value.isNull ? nil : value }
      try write(file.state, file, under: lock, 0)
    }
  }

  /// Deletes the beginning of the history.
  package func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    try writing.withLock { _ throws(PerennialError) in
      let lock = try takeLock()
      let file = try newest().file
      var state = file.state
      let count = state.history?.delete(before: place) ?? 0
      if count > 0 { try write(state, file, under: lock, 0) }
      return count
    }
  }

  private func newest() throws(PerennialError) -> Loaded {
    try loaded.withLock { loaded throws(PerennialError) in
      try refresh(&loaded, .saving)
      return loaded
    }
  }

  private func takeLock() throws(PerennialError) -> any FileLock {
    if isReadOnly { throw .readOnly(file.name) }
    return try files.lock(file, patience: busyTimeout)
  }

  /// Runs a closure while nobody can save, as far as that can be had: a store that is only read takes no lock.
  func whileUnchanged(
    _ body: () throws(PerennialError) -> Void
  ) throws(PerennialError) {
    if isReadOnly { return try body() }
    try writing.withLock { _ throws(PerennialError) in
      let lock = try takeLock()
      defer { withExtendedLifetime(lock) {} }
      try body()
    }
  }

  /// Writes a state, and takes it for the store's once the file has its name.
  private func write(
    _ state: InMemoryState,
    _ old: LoadedFile,
    under lock: any FileLock,
    _ changeSet: UInt64
  ) throws(PerennialError) {
    do throws(FileFailure) {
      var state = state
      let ledger = KeyLedger(try lock.read(), store: identifier)
      for entity in model.entities where entity.root == entity.index {
        state.nextKeys[entity.index] = max(state.nextKeys[entity.index], ledger[entity.name])
      }
      let (prepared, external) = try prepare(state, old)
      // Nobody reads in between, who would take the new file for somebody else's.
      try loaded.withLock { loaded throws(FileFailure) in
        loaded.unconfirmed.append(changeSet)
        if loaded.unconfirmed.count > 64 { loaded.unconfirmed.removeFirst() }
        try writer.put()
        loaded.file = LoadedFile(
          header: old.header,
          state: state,
          external: external,
          status: prepared.status,
          file: prepared.file
        )
      }
      try writer.confirm()
      removeValues(notOf: external, text: prepared.file)
      // Whoever watches the lock's file is told so.
      try? lock.write(ledger.text(store: identifier))
      loaded.withLock { $0.unconfirmed.removeAll { $0 == changeSet } }
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
  }

  /// Writes the new large values of a state, and its text, beside the store.
  private func prepare(
    _ state: InMemoryState,
    _ old: LoadedFile
  ) throws(FileFailure) -> (DurableWriter.Prepared, ExternalValues) {
    var external = ExternalValues()
    if let values {
      external = try values.values(of: state, after: old.state, old.external)
    }
    do throws(FileFailure) {
      let writer = StateWriter(state, old.header, external)
      let permissions = old.status.permissions
      let prepared = try self.writer.prepare(permissions: permissions) {
        file throws(FileFailure) in
        var output = JSONOutput(file)
        try writer.write(to: &output)
      }
      return (prepared, external)
    } catch {
      values?.files.remove(external.names.subtracting(old.external.names))
      throw error
    }
  }

  /// Removes the files of large values that the store's text does not name: those that it named before, and what
  /// crashes have left.
  ///
  /// The text must be on the disk, so that the one before it, which may name them, never comes back. Whoever is
  /// just reading that one finds a file missing, looks, and reads the new one. A file that cannot be removed now
  /// goes with a later save.
  private func removeValues(notOf external: ExternalValues, text: any OpenFile) {
    guard !file.sharesValues, let values = values?.files,
      let unnamed = try? values.unnamed(external.names),
      !unnamed.isEmpty
    else {
      return
    }
    do throws(FileFailure) {
      if !writer.waitsForDisk { try files.syncFolder(of: file.path) }
      values.remove(unnamed)
    } catch {
      return
    }
  }
}

extension JSONStore: WatchableStore {
  /// The lock's file: whoever saves writes it at the end.
  package var watchedPath: String? { file.lockPath }

  package func foreignDataVersion() throws(PerennialError) -> Int64 {
    try loaded.withLock { loaded throws(PerennialError) in
      try refresh(&loaded, .reading)
      return loaded.foreignCount
    }
  }

  package func noteForeignChanges() {
    loaded.withLock { $0.foreignChanges = $0.foreignChanges ?? [] }
  }

  package func takeForeignChanges() -> [ChangeSet]? {
    loaded.withLock { loaded in
      guard let changes = loaded.foreignChanges else { return nil }
      loaded.foreignChanges = []
      return changes.map { loaded.file.state.current($0) }
    }
  }
}

extension JSONStore: HistoryStore {
  package var keepsHistory: Bool { loaded.withLock { $0.file.state.history != nil } }
}
