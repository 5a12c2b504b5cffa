// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialStore

/// The lock that keeps others from saving a JSON store while it is migrated.
///
/// Who has the store open goes on reading it until the migrated one has its name, and then finds that it is of
/// another model (134100).
final class JSONMigrationLock: MigrationLock {
  let lock: any FileLock

  init(_ lock: any FileLock) { self.lock = lock }
}

extension JSONFiles: MigratableFiles {
  package func storedModel(
    at url: URL,
    among known: [ManagedObjectModel]
  ) throws(PerennialError) -> StoredModel {
    let file = try StoreFile(url, files)
    let header = try header(of: contents(of: file), file)
    return StoredModel(hashes: header.hashes, encoded: header.schema?.encoded)
  }

  package func lockForMigration(at url: URL) throws(PerennialError) -> any MigrationLock {
    let file = try StoreFile(url, files)
    // Looked at first, so that no lock is made beside what is no store.
    _ = try header(of: contents(of: file), file)
    return JSONMigrationLock(try files.lock(file, patience: .zero))
  }

  /// Copies the text of a store into a draft's folder, and marks the draft as one.
  ///
  /// Large values need no link: the mark says that the draft shares those of the store, and removes none.
  package func makeDraft(
    of url: URL,
    in draft: StoreDraft,
    _ lock: any MigrationLock
  ) throws(PerennialError) {
    let file = try StoreFile(url, files)
    guard let place = StoreFile.draft(at: draft.url), place.store == file.path else {
      throw PerennialError(
        .migration,
        "The draft of the store '\(file.name)' is not in the store's folder.",
        recovery: "make it beside the file itself, symbolic links followed"
      )
    }
    let target = StoreFile(path: draft.url.path(percentEncoded: false))
    let text = try contents(of: file)
    do throws(FileFailure) {
      _ = try files.create(place.mark, permissions: nil)
      let permissions = try files.status(of: file.path)?.permissions
      let copy = try files.create(target.path, permissions: permissions)
      try text.withBytes { bytes throws(FileFailure) in try copy.write(bytes) }
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
  }

  package func migrate(
    _ url: URL,
    _ mapping: ModelMapping,
    _ monitor: MigrationMonitor
  ) throws(PerennialError) {
    let file = try StoreFile(url, files)
    let hashes = mapping.source.versionHashes
    let loader = FileLoader(files: files, file: file, model: mapping.source, hashes: hashes)
    let old = try loader.load(.opening)
    let target = InMemoryStore(model: mapping.destination)
    try RowMigration(from: InMemoryStore(old.state), to: target, mapping).run(monitor)
    var state = target.currentState()
    state.continueKeys(of: old.state, along: mapping)
    state.history = old.state.history?.migrated(along: mapping)
    try write(state, after: old, mapping, file)
    try monitor.step()
  }

  /// Writes the text of a migrated store, and the values that go into files now.
  private func write(
    _ state: InMemoryState,
    after old: LoadedFile,
    _ mapping: ModelMapping,
    _ file: StoreFile
  ) throws(PerennialError) {
    var header = StoreHeader(
      identifier: old.header.identifier,
      hashes: state.model.versionHashes
    )
    header.metadata = old.header.metadata
    header.schema = ModelText(state.model)
    let writer = ExternalWriter(
      files: ExternalData(file, files),
      largestInlineCount: largestInlineCount
    )
    let external: ExternalValues
    do throws(FileFailure) {
      let carried = old.external.carried(along: mapping, old.state)
      external = try writer.values(of: state, after: state, carried)
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
    do throws(PerennialError) {
      try put(file) { (output) throws(FileFailure) in
        var output = JSONOutput(output)
        try StateWriter(state, header, external).write(to: &output)
      }
    } catch {
      writer.files.remove(external.names.subtracting(old.external.names))
      throw error
    }
  }

  package func keep(
    _ url: URL,
    as backup: URL,
    _ lock: any MigrationLock
  ) throws(PerennialError) {
    let file = try StoreFile(backup, files)
    try replace(at: backup, from: url)
    // Nobody has the backup open: a lock that stays would only be one file more.
    try? files.remove(file.lockPath)
  }

  /// Gives a draft the name of its store.
  ///
  /// What there was before shares the large values of the store, which then all stay. Until the draft has the store's
  /// name, the store is the old one.
  package func put(
    _ draft: URL,
    over url: URL,
    previous: URL?,
    _ lock: any MigrationLock
  ) throws(PerennialError) {
    let file = try StoreFile(url, files)
    let source = try StoreFile(draft, files)
    if let previous { try keep(url, as: previous, lock) }
    do throws(FileFailure) {
      try files.open(source.path).sync()
      try files.rename(source.path, to: file.path)
      try files.syncFolder(of: file.path)
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
    if previous == nil { removeValues(beside: file) }
    tell(lock)
  }

  /// Tells whoever watches the lock's file that there is another text; the file keeps the keys that are taken.
  private func tell(_ lock: any MigrationLock) {
    if let lock = (lock as? JSONMigrationLock)?.lock, let taken = try? lock.read() {
      try? lock.write(taken)
    }
  }

  /// Removes the large values that the store's text does not name; all stay when that cannot be said.
  private func removeValues(beside file: StoreFile) {
    let values = ExternalData(file, files)
    guard let all = try? values.unnamed([]), !all.isEmpty,
      let text = try? contents(of: file), let header = try? header(of: text, file),
      case let stored = StoredModel(hashes: header.hashes, encoded: header.schema?.encoded),
      let model = stored.model?.layout, let unnamed = try? unnamed(by: file, model)
    else { return }
    values.remove(unnamed)
  }

  /// The large values that the text of a store does not name.
  private func unnamed(by file: StoreFile, _ model: ModelLayout) throws(PerennialError) -> [String]
  {
    let hashes = model.versionHashes
    let loader = FileLoader(files: files, file: file, model: model, hashes: hashes)
    let names = try loader.load(.opening).external.names
    return try listing(file) { values throws(FileFailure) in try values.unnamed(names) }
  }

  private func listing<Names>(
    _ file: StoreFile,
    _ body: (ExternalData) throws(FileFailure) -> Names
  ) throws(PerennialError) -> Names {
    do throws(FileFailure) {
      return try body(ExternalData(file, files))
    } catch {
      throw PerennialError(
        .migration,
        "The large values of the store '\(file.name)' cannot be listed: \(error.message).",
        recovery: "check the disk and try again; the store is as it was",
        underlying: error
      )
    }
  }

  package func largeValues(beside url: URL) throws(PerennialError) -> Set<String>? {
    try names(beside: StoreFile(url, files))
  }

  private func names(beside file: StoreFile) throws(PerennialError) -> Set<String> {
    try listing(file) { values throws(FileFailure) in try values.names() }
  }

  package func largeValues(
    namedBy draft: URL,
    _ model: ModelLayout
  ) throws(PerennialError) -> Set<String> {
    let file = try StoreFile(draft, files)
    let all = try names(beside: file)
    return all.isEmpty ? [] : try all.subtracting(unnamed(by: file, model))
  }

  package func removeLargeValues(_ names: Set<String>, beside url: URL) {
    guard let file = try? StoreFile(url, files) else { return }
    ExternalData(file, files).remove(names)
  }
}

extension InMemoryState {
  /// Takes over which keys have been given, so that none is given again.
  fileprivate mutating func continueKeys(of old: InMemoryState, along mapping: ModelMapping) {
    for root in model.entities where root.superentity == nil {
      for source in mapping.sourceRoots(ofRoot: root.index) {
        nextKeys[root.index] = max(nextKeys[root.index], old.nextKeys[source])
      }
    }
  }
}

extension ExternalValues {
  /// The files of the values that are the same after a migration, and may lie in files.
  fileprivate func carried(along mapping: ModelMapping, _ old: InMemoryState) -> ExternalValues {
    var carried = ExternalValues()
    for (place, file) in all {
      guard let row = old.tables[place.root][place.key],
        let entity = mapping.mapping(ofSource: row.entity),
        let slot = entity.slots.firstIndex(of: place.slot)
      else { continue }
      let layout = mapping.destination.entities[entity.destination]
      guard layout.slots[slot].liesInFiles,
        layout.slots[slot].attribute?.derivationExpression == nil
      else { continue }
      carried.note(file, at: Place(root: layout.root, key: place.key, slot: slot))
    }
    return carried
  }
}
