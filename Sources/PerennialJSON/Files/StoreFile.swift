// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Where a store lies: its file, that of its lock, the one that becomes the next, and its large values.
struct StoreFile: Sendable {
  /// The file itself, symbolic links followed: what is put in its place must not replace a link.
  let path: String
  /// The file's name, for messages.
  let name: String

  /// The store whose large values this one has, too: a draft's are those of the store that it is a draft of.
  private let owner: String?

  var lockPath: String { path + ".lock" }
  var nextPath: String { path + ".new" }
  /// The store beside which the large values lie.
  var valuesOwner: String { owner ?? path }
  /// Whether another store names large values in the same folder, so that none may be removed.
  var sharesValues: Bool { owner != nil }

  /// Follows a URL.
  ///
  /// - Throws: `persistentStoreOpen` for a URL that is not that of a file, or a link to nowhere.
  init(_ url: URL, _ files: any FileSystem = SystemFiles()) throws(PerennialError) {
    guard url.isFileURL else {
      throw .cannotOpen("The store's URL is not that of a file.", "use URL(filePath:)")
    }
    name = url.lastPathComponent
    let path = url.path(percentEncoded: false)
    guard let target = try Self.target(ofLink: url) else {
      self.path = path
      owner = try Self.owner(ofDraft: url, files)
      return
    }
    let isThere = try Self.looking(at: name) { () throws(FileFailure) in
      try SystemFiles().status(of: target) != nil
    }
    guard isThere, target != path else {
      throw .cannotOpen(
        "The store '\(name)' is a symbolic link that leads nowhere.",
        "remove the link or make the file that it names"
      )
    }
    self.path = target
    owner = nil
  }

  /// What a symbolic link leads to; `nil` for anything else.
  private static func target(ofLink url: URL) throws(PerennialError) -> String? {
    let isLink = try looking(at: url.lastPathComponent) { () throws(FileFailure) in
      try SystemFiles().isLink(url.path(percentEncoded: false))
    }
    return isLink ? url.resolvingSymlinksInPath().path(percentEncoded: false) : nil
  }

  /// Looks at a file; one that is missing, or behind a link that leads in circles, is not there.
  private static func looking(
    at name: String,
    _ body: () throws(FileFailure) -> Bool
  ) throws(PerennialError) -> Bool {
    do throws(FileFailure) {
      return try body()
    } catch {
      if error.isAboutMissingFile { return false }
      throw PerennialError(error, during: .opening, store: name)
    }
  }

  /// The store that a file is a draft of by its place, and the file that has to say so.
  ///
  /// A folder in a draft's folder has another state of the same draft.
  static func draft(at url: URL) -> (store: String, mark: String)? {
    let name = url.lastPathComponent
    var folder = url
    for _ in 0..<2 {
      folder = folder.deletingLastPathComponent()
      let store = folder.deletingLastPathComponent().appending(path: name)
      if StoreDraft.isName(folder.lastPathComponent, of: store) {
        let mark = folder.appending(path: name + ".draft")
        return (store.path(percentEncoded: false), mark.path(percentEncoded: false))
      }
    }
    return nil
  }

  /// The store that a file is a draft of, if there is a mark.
  private static func owner(
    ofDraft url: URL,
    _ files: any FileSystem
  ) throws(PerennialError) -> String? {
    guard let draft = draft(at: url) else { return nil }
    do throws(FileFailure) {
      return try files.status(of: draft.mark) == nil ? nil : draft.store
    } catch {
      throw PerennialError(error, during: .opening, store: url.lastPathComponent)
    }
  }

  /// A path that is taken as it is.
  init(path: String) {
    self.path = path
    owner = nil
    name = URL(filePath: path).lastPathComponent
  }
}

extension ExternalData {
  /// The large values of a JSON store: `NAME.values/UUID`.
  init(_ file: StoreFile, _ files: any FileSystem) {
    let name = URL(filePath: file.valuesOwner).lastPathComponent
    self.init(store: file.valuesOwner, way: [name + ".values"], files: files)
  }
}

extension FileSystem {
  /// Keeps everybody else from writing a store, until the lock is released.
  func lock(
    _ file: StoreFile,
    patience: Duration
  ) throws(PerennialError) -> any FileLock {
    do throws(FileFailure) {
      if let lock = try lock(file.lockPath, patience: patience) { return lock }
    } catch {
      throw PerennialError(error, during: .saving, store: file.name)
    }
    throw .locked(file.name)
  }
}
