// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Copies a store to a place under its final name: wholly or not at all.
///
/// The copy is made in a folder of its own, and written to the disk. Large values, whose names are never
/// used again, come before the main file, so that whoever opens the copy finds them; those of the store that
/// is replaced go after it. Nothing that SQLite kept beside a file of the same name may be there when the main
/// file comes: it would be taken for the copy's log.
struct StoreCopy {
  private let source: SQLiteConnection
  private let sourceNames: StoreNames
  private let target: StoreNames
  private let draft: StoreDraft
  private let steps: FileSteps
  /// Whether the copy may take the place of a file.
  private let replaces: Bool

  init(
    from source: SQLiteConnection,
    _ sourceNames: StoreNames,
    to target: StoreNames,
    replaces: Bool,
    _ steps: FileSteps
  ) {
    self.source = source
    self.sourceNames = sourceNames
    self.target = target
    draft = StoreDraft(of: target.url)
    self.steps = steps
    self.replaces = replaces
  }

  func run() throws(PerennialError) {
    var copied: Set<String> = []
    var isWhole = false
    let wasThere = (try? steps.isThere(target.path)) != false
    defer {
      if !isWhole || isNotInPlace, wasThere || isAlone { takeBack(copied) }
      try? steps.removeFolder(draft.folder)
    }
    do {
      try steps.makeFolder(draft.folder, permissions: 0o700)
      let values = try copyAll(noting: &copied)
      isWhole = true
      // A folder beside no store may be of one whose file is elsewhere for a while.
      let isReplacing = try steps.isThere(target.path)
      try put()
      try? target.removeDrafts(steps)
      if isReplacing { removeReplaced(except: values) }
    } catch let error as PerennialError {
      throw error
    } catch let failure as SQLiteFailure {
      throw PerennialError(failure, during: .saving, store: target.name)
    } catch {
      throw .cannotWriteCopy(target.name, underlying: error)
    }
  }

  /// Copies the rows and the large values of one moment.
  ///
  /// A value goes after the save that no longer names it: those of the rows are all there as long as nobody
  /// has saved since.
  ///
  /// - Parameter copied: Gets the names of the large values that were not there.
  /// - Returns: The names of the large values.
  /// - Throws: What could not be read or written, or a store that is written all the time.
  private func copyAll(noting copied: inout Set<String>) throws -> Set<String> {
    for _ in 0..<Self.attemptLimit {
      let version = try source.integers("PRAGMA data_version")
      let former = try sourceNames.externalNames()
      try copyDatabase()
      let values = try copyValues(noting: &copied)
      if former.isEmpty, values.isEmpty { return values }
      if try source.integers("PRAGMA data_version") == version { return values }
    }
    throw PerennialError(
      .persistentStoreTimeout,
      "The store '\(sourceNames.name)' is being written all the time: its large values cannot be copied.",
      recovery: "try again when less is saved"
    )
  }

  private static let attemptLimit = 8

  private func copyDatabase() throws {
    let names = StoreNames(draft.url)
    // What another attempt has made.
    try steps.remove(names.path)
    try names.removeCompanions(steps)
    let connection = try SQLiteConnection(path: names.path, access: .create, busyTimeout: .zero)
    try connection.execute("PRAGMA synchronous = FULL")
    try source.copy(to: connection)
  }

  private func copyValues(noting copied: inout Set<String>) throws -> Set<String> {
    let names = try sourceNames.externalNames()
    guard !names.isEmpty else { return [] }
    // The values of a draft lie where the store's will.
    let isDraft = StoreDraft.store(of: sourceNames.url) != sourceNames.url
    guard isDraft || !target.sharesLargeValues(with: sourceNames) else {
      throw PerennialError.sharedValues(target.name, with: sourceNames.name)
    }
    let folder = target.externalFolder
    try steps.makeFolder(folder.deletingLastPathComponent())
    try steps.makeFolder(folder)
    for name in try names.subtracting(target.externalNames()) {
      let value = sourceNames.externalFolder.appending(path: name)
      // Nobody reads a value through a link, and a pipe would hold the copy up.
      guard try isOrdinary(value) else { continue }
      let copy = draft.folder.appending(path: name)
      do {
        try steps.copy(value, to: copy)
      } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
        // A save has just put another value in its place; the caller sees that.
        continue
      }
      try steps.rename(
        copy.path(percentEncoded: false),
        to: folder.appending(path: name).path(percentEncoded: false)
      )
      copied.insert(name)
    }
    for folder in [folder, folder.deletingLastPathComponent()] {
      try steps.synchronise(folder.path(percentEncoded: false))
    }
    return names
  }

  private func isOrdinary(_ value: URL) throws -> Bool {
    let path = value.path(percentEncoded: false)
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return attributes[.type] as? FileAttributeType == .typeRegular
    } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
      return false
    }
  }

  /// Gives the copy its name.
  private func put() throws {
    let path = draft.url.path(percentEncoded: false)
    let isTaken = try steps.isThere(target.path)
    let model = isTaken ? target.path : sourceNames.path
    try steps.copyPermissions(of: model, to: path)
    try steps.synchronise(path)
    if replaces {
      try target.take(path, steps, isNew: !isTaken)
    } else {
      try target.takeFree(path, steps)
    }
  }

  /// Whether the copy, which was whole, has not got its name for certain.
  private var isNotInPlace: Bool {
    (try? steps.isThere(draft.url.path(percentEncoded: false))) == true
      || (try? steps.isThere(target.path)) == false
  }

  /// Whether nobody else has made the store meanwhile, or is about to: the large values are theirs, too.
  private var isAlone: Bool {
    (try? steps.isThere(target.path)) == false
      && StoreDraft.folders(of: target.url).allSatisfy {
        $0.lastPathComponent == draft.folder.lastPathComponent
      }
  }

  /// Deletes the large values of a copy that failed; what cannot be deleted only takes room.
  private func takeBack(_ names: Set<String>) {
    remove(names)
    let folder = target.externalFolder
    for folder in [folder, folder.deletingLastPathComponent()] {
      try? steps.removeEmptyFolder(folder)
    }
  }

  /// Deletes what belonged to the store that was replaced; what cannot be deleted only takes room.
  private func removeReplaced(except values: Set<String>) {
    guard let isShared = try? ExternalData.isShared(by: target.url), !isShared,
      let names = try? target.externalNames()
    else { return }
    remove(names.subtracting(values))
  }

  private func remove(_ names: Set<String>) {
    for name in names {
      try? steps.remove(target.externalFolder.appending(path: name).path(percentEncoded: false))
    }
  }
}
