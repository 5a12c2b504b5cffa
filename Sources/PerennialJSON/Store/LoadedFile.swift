// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// The text of a store's file, read.
struct LoadedFile: Sendable {
  var header: StoreHeader
  var state: InMemoryState
  /// Which values lie in files of their own.
  var external = ExternalValues()
  /// Which file it was; it is kept open, so that no other gets its number.
  var status: FileStatus
  var file: any OpenFile

  /// The file with a history, if one is to be kept: it is written with the next save.
  ///
  /// - Parameters:
  ///   - options: Whether a history is kept.
  ///   - past: What the file was before. Where this one was written without a history, no token of the past one leads
  ///     to it.
  /// - Returns: The file.
  func keeping(_ options: HistoryOptions, after past: LoadedFile? = nil) -> LoadedFile {
    guard options.isOn else { return self }
    var pastHistory = past?.state.history
    pastHistory?.breakOff()
    var history =
      state.history ?? pastHistory ?? InMemoryHistory(keepsOldValues: false, keepsTexts: true)
    history.keepsOldValues = history.keepsOldValues || options.keepsOldValues
    var file = self
    file.state.history = history
    return file
  }
}

/// Reads the file of a store.
///
/// Safe because the bytes are used within the calls that lend them.
struct FileLoader {
  let files: any FileSystem
  let file: StoreFile
  let model: ModelLayout
  /// The versions of the model's entities.
  let hashes: VersionHashes
  /// The model as the next text will have it; `nil` to leave it as it is.
  var schema: ModelText?

  /// What the store's path leads to; `nil` when there is nothing.
  ///
  /// - Throws: `persistentStoreOpen` when it is no file.
  func status(_ activity: StoreActivity) throws(PerennialError) -> FileStatus? {
    let status: FileStatus?
    do throws(FileFailure) {
      status = try files.status(of: file.path)
    } catch {
      throw PerennialError(error, during: activity, store: file.name)
    }
    switch status?.kind {
    case .folder:
      throw .cannotOpen("The store '\(file.name)' is a folder.", "name a file inside it")
    case .other:
      throw .cannotOpen("The store '\(file.name)' is not an ordinary file.", "name a file")
    case .file, nil: return status
    }
  }

  /// Reads the whole store.
  ///
  /// Whoever saves meanwhile may remove large values that the text names which has been read: then the newer
  /// text is read.
  ///
  /// - Throws: `persistentStoreOpen`: what is wrong with the file; `incompatibleVersionHash` when it was
  ///   written with another version of the model. The file is left as it is.
  func load(_ activity: StoreActivity) throws(PerennialError) -> LoadedFile {
    while true {
      let (open, status, contents) = try read(activity)
      guard !contents.isEmpty else {
        throw .cannotOpen(
          "The file of the store '\(file.name)' is empty: it has lost its contents, or never had any.",
          "restore it from a copy, or remove it to begin a new store"
        )
      }
      let fault: JSONFault
      do throws(JSONFault) {
        let (header, state, external) = try contents.withBytes { bytes throws(JSONFault) in
          try parse(bytes)
        }
        return LoadedFile(
          header: header,
          state: state,
          external: external,
          status: status,
          file: open
        )
      } catch {
        fault = error
      }
      if try self.status(activity)?.isUnchanged(since: status) == false { continue }
      throw error(fault, in: contents)
    }
  }

  private func error(_ fault: JSONFault, in contents: FileContents) -> PerennialError {
    if let entities = fault.entities { return .incompatible(file.name, entities) }
    let line = fault.position.map { position in
      contents.withBytes { Self.line(position, in: $0) }
    }
    return PerennialError(fault, store: file.name, line: line)
  }

  private func parse(
    _ bytes: UnsafeRawBufferPointer
  ) throws(JSONFault) -> (StoreHeader, InMemoryState, ExternalValues) {
    var reader = try StateReader(bytes)
    var header = try reader.header()
    let differences = differences(of: header)
    guard differences.isEmpty else { throw JSONFault.incompatible(differences) }
    if let schema { header.schema = schema }
    let values = ExternalData(file, files)
    let (state, external) = try reader.state(
      of: model,
      header,
      values: values,
      isDraft: file.sharesValues
    )
    return (header, state, external)
  }

  /// The names of the entities for whose sake a file does not fit the model.
  private func differences(of header: StoreHeader) -> [String] {
    // Mostly a file has the model's very text.
    if let schema, schema.bytes == header.schema?.bytes {
      return header.hashes.differences(from: hashes)
    }
    return StoredModel.differences(
      of: header.hashes,
      encoded: header.schema?.encoded,
      from: model
    )
  }

  private func read(
    _ activity: StoreActivity
  ) throws(PerennialError) -> (any OpenFile, FileStatus, FileContents) {
    do throws(FileFailure) {
      let open = try files.open(file.path)
      // Looked at before, so that what is written in between is noticed the next time.
      let status = try open.status()
      return (open, status, try open.contents())
    } catch {
      throw PerennialError(error, during: activity, store: file.name)
    }
  }

  private static func line(_ position: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    bytes.prefix(position).reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
  }
}
