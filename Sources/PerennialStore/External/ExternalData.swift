// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

/// The files beside a store that hold its large values, in a folder of their own.
///
/// Neither the folder nor a file is reached through symbolic links. The files may be read by whoever may read
/// the store.
///
/// Invariants:
/// 1. A file whose name is a UUID is whole. Until then it has another name, which nobody reads.
/// 2. A name is made for one value and never used again, so that a file never changes.
///
/// Safe because the bytes of a value are read only while they are lent.
package struct ExternalData: Sendable {
  /// Values of more bytes than this go into files of their own.
  package static let threshold = 128 * 1024
  /// The most bytes of a value that is written, in a file as in a row of SQLite's.
  private static let greatestCount = 512 << 20
  /// The most bytes that are read of a file, whoever wrote it: as many as a row has room for.
  private static let greatestReadCount = 7 << 29
  /// What the name of a file ends with that is not whole yet.
  private static let draftEnd = ".new"

  private let files: any FileSystem
  /// The store's file, and the folder that it lies in; no folder where there are no files.
  private let store: String
  private let parent: String?
  /// The way from there to the files.
  private let way: [String]

  /// Files that lie where a way from a store's folder leads to.
  package init(store: String, way: [String], files: any FileSystem) {
    self.files = files
    self.store = store
    self.way = way
    parent = URL(filePath: store).deletingLastPathComponent().path(percentEncoded: false)
  }

  /// The files of a SQLite store, where Core Data has them: `.NAME_SUPPORT/_EXTERNAL_DATA/UUID`.
  ///
  /// A draft of a store has those of the store.
  package init(store: URL, files: any FileSystem = SystemFiles()) {
    let store = StoreDraft.store(of: store)
    let name = store.deletingPathExtension().lastPathComponent
    self.init(
      store: store.path(percentEncoded: false),
      way: [".\(name)_SUPPORT", "_EXTERNAL_DATA"],
      files: files
    )
  }

  /// No files: for a store whose values are all in its rows.
  package static let nowhere = ExternalData()

  private init() {
    files = SystemFiles()
    store = ""
    parent = nil
    way = []
  }

  /// The folder of the files.
  package var folder: URL { way.reduce(URL(filePath: parent ?? "")) { $0.appending(path: $1) } }

  // MARK: Reading

  /// The content of a file.
  ///
  /// - Throws: The system's failure; one that is about a missing file also for a name that is no UUID, or a
  ///   link; one that is about the size for more than a row has room for.
  package func contents(named name: String) throws(FileFailure) -> FileContents {
    guard UUID(uuidString: name) != nil, let folder = try openFolders().last else {
      throw FileFailure(.open, ENOENT)
    }
    return try folder.open(name).contents(atMost: Self.greatestReadCount)
  }

  /// The names of the values that there are.
  ///
  /// - Returns: The names; none where there is no folder.
  /// - Throws: The system's failure.
  package func names() throws(FileFailure) -> Set<String> {
    guard let folder = try openFolders().last else { return [] }
    return Set(try folder.names().filter { UUID(uuidString: $0) != nil })
  }

  /// The names of values, and of what is left of writing one, that nobody names.
  ///
  /// - Parameter names: What is named. Letters of either case are the same: they are for some file systems.
  /// - Returns: The names, in any order.
  /// - Throws: The system's failure.
  package func unnamed(_ names: some Sequence<String>) throws(FileFailure) -> [String] {
    guard let folder = try openFolders().last else { return [] }
    let named = Set(names.map { $0.uppercased() })
    return try folder.names().filter { name in
      guard let identifier = Self.identifier(of: name) else { return false }
      return name.hasSuffix(Self.draftEnd) || !named.contains(identifier.uuidString)
    }
  }

  // MARK: Writing

  /// Writes a value into a file of its own, which is on the disk then; its name is only after ``synchronise()``.
  ///
  /// - Parameter bytes: The value.
  /// - Returns: The file's name.
  /// - Throws: The system's failure, or one that is about the size; then there is no file.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) -> String {
    guard bytes.count <= Self.greatestCount else { throw FileFailure(.write, EFBIG) }
    let name = UUID().uuidString
    try write(bytes, as: name, in: makeFolders(), permissions: permissions())
    return name
  }

  /// Writes the names of the files to the disk, and those of the folders on the way to them.
  package func synchronise() throws(FileFailure) {
    for folder in try openFolders().reversed() { try folder.sync() }
  }

  /// Deletes files; one that cannot be deleted only takes room.
  package func remove(_ names: some Sequence<String>) {
    guard let folder = try? openFolders().last else { return }
    for name in names where Self.identifier(of: name) != nil { try? folder.remove(name) }
  }

  /// Copies all values to the files of another store, where they are on the disk then.
  ///
  /// - Parameters:
  ///   - other: The other files.
  ///   - copied: Gets the names of those that were not there, also when the others fail.
  /// - Returns: The names of all.
  /// - Throws: The system's failure.
  package func copy(
    to other: ExternalData,
    noting copied: inout Set<String>
  ) throws(FileFailure) -> [String] {
    guard let source = try openFolders().last else { return [] }
    let names = try source.names().filter { UUID(uuidString: $0) != nil }
    guard !names.isEmpty else { return [] }
    let target = try other.makeFolders()
    let permissions = try permissions()
    let there = Set(try target.names())
    for name in names where !there.contains(name) {
      let contents = try source.open(name).contents(atMost: Self.greatestReadCount)
      try contents.withBytes { bytes throws(FileFailure) in
        try other.write(bytes, as: name, in: target, permissions: permissions)
      }
      copied.insert(name)
    }
    try other.synchronise()
    return names
  }

  /// Deletes all files, and the folders if nothing else is in them.
  package func removeAll() throws(FileFailure) {
    let folders = try openFolders()
    guard let folder = folders.last else { return }
    for name in try folder.names() where Self.identifier(of: name) != nil {
      try folder.remove(name)
    }
    try removeEmptyFolders(folders)
  }

  /// Deletes files of a copy that failed, and the folders if nothing else is in them; what cannot be deleted only
  /// takes room.
  package func takeBack(_ names: Set<String>) {
    remove(names)
    if let folders = try? openFolders() { try? removeEmptyFolders(folders) }
  }

  // MARK: Steps

  private func removeEmptyFolders(_ folders: [any OpenFolder]) throws(FileFailure) {
    for (name, outer) in zip(way, folders).reversed() {
      guard let inner = try outer.folder(name), try inner.names().isEmpty else { return }
      try outer.removeFolder(name)
    }
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer,
    as name: String,
    in folder: any OpenFolder,
    permissions: UInt32?
  ) throws(FileFailure) {
    let draft = name + Self.draftEnd
    // What an earlier copy of the value left when it ended in the middle.
    try folder.remove(draft)
    let file = try folder.create(draft, permissions: permissions)
    do throws(FileFailure) {
      try file.write(bytes)
      try file.sync()
      try folder.rename(draft, to: name)
    } catch {
      try? folder.remove(draft)
      throw error
    }
  }

  /// The UUID of a value's name, or of one that is being written.
  private static func identifier(of name: String) -> UUID? {
    UUID(uuidString: name.hasSuffix(draftEnd) ? String(name.dropLast(draftEnd.count)) : name)
  }

  private func permissions() throws(FileFailure) -> UInt32? {
    try files.status(of: store)?.permissions
  }

  /// The store's folder and those on the way from there; empty when the way ends before the files.
  private func openFolders() throws(FileFailure) -> [any OpenFolder] {
    guard let parent else { return [] }
    var folders = [try files.folder(parent)]
    for name in way {
      guard let next = try folders[folders.count - 1].folder(name) else { return [] }
      folders.append(next)
    }
    return folders
  }

  private func makeFolders() throws(FileFailure) -> any OpenFolder {
    guard let parent else { throw FileFailure(.openFolder, ENOENT) }
    // Whoever may read the store may look into the folders.
    let permissions = try permissions().map { $0 | ($0 & 0o444) >> 2 }
    var folder = try files.folder(parent)
    for name in way {
      try folder.makeFolder(name, permissions: permissions)
      guard let next = try folder.folder(name) else { throw FileFailure(.openFolder, ENOENT) }
      folder = next
    }
    return folder
  }
}
