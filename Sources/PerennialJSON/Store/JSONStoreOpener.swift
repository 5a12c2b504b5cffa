// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Opens the file of a store, or makes it.
struct JSONStoreOpener {
  let loader: FileLoader
  let writer: DurableWriter
  let isReadOnly: Bool
  let busyTimeout: Duration

  private var file: StoreFile { loader.file }

  func open() throws(PerennialError) -> LoadedFile {
    if try loader.status(.opening) != nil {
      if !isReadOnly { try checkPermissions() }
      return try loader.load(.opening)
    }
    guard !isReadOnly else {
      throw .cannotOpen(
        "The store '\(file.name)' does not exist.",
        "check the URL, or open it without 'isReadOnly' to create it"
      )
    }
    return try create()
  }

  /// Whether the model has attributes for large values, or there are values of attributes that it had.
  func hasLargeValues() throws(PerennialError) -> Bool {
    if loader.model.entities.contains(where: { $0.slots.contains { $0.liesInFiles } }) {
      return true
    }
    do throws(FileFailure) {
      return try writer.files.status(of: file.valuesOwner + ".values") != nil
    } catch {
      throw PerennialError(error, during: .opening, store: file.name)
    }
  }

  /// A file that may not be written must not be replaced either, though its folder would allow it.
  private func checkPermissions() throws(PerennialError) {
    let isWritable = writer.files.isWritable(file.path)
    guard isWritable.file else {
      throw .cannotOpen(
        "The store '\(file.name)' cannot be written.",
        "allow writing to the file, or set 'isReadOnly' in the store's description"
      )
    }
    guard isWritable.folder else {
      throw .cannotOpen(
        "The folder of the store '\(file.name)' cannot be written, where a save makes a new file.",
        "allow writing to it, or set 'isReadOnly' in the store's description"
      )
    }
  }

  private func create() throws(PerennialError) -> LoadedFile {
    guard let lock = try takeLock() else { throw .locked(file.name) }
    // Another process may have made the store while this one waited for the lock.
    if try loader.status(.opening) != nil { return try loader.load(.opening) }
    var header = StoreHeader(identifier: UUID(), hashes: loader.hashes)
    header.schema = loader.schema
    let state = InMemoryState(model: loader.model)
    do throws(FileFailure) {
      let prepared = try writer.prepare(permissions: nil) { file throws(FileFailure) in
        var output = JSONOutput(file)
        try StateWriter(state, header).write(to: &output)
      }
      try writer.put()
      try writer.confirm()
      withExtendedLifetime(lock) {}
      return LoadedFile(
        header: header,
        state: state,
        status: prepared.status,
        file: prepared.file
      )
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
  }

  private func takeLock() throws(PerennialError) -> (any FileLock)? {
    do throws(FileFailure) {
      return try writer.files.lock(file.lockPath, patience: busyTimeout)
    } catch {
      switch error.step {
      case .lock where error.isAboutMissingFile:
        throw .cannotOpen(
          "The folder of the store '\(file.name)' does not exist.",
          "create it first, for example with FileManager.createDirectory"
        )
      case .lock where error.isForbidden:
        throw .cannotOpen(
          "The folder of the store '\(file.name)' cannot be written.",
          "allow writing to it, or choose another folder"
        )
      default: throw PerennialError(error, during: .opening, store: file.name)
      }
    }
  }
}
