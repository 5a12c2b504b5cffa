// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A disk: what would outlive a loss of power, and what was told it since and may or may not.
///
/// Nothing is promised of what has not been brought to the disk: any part of it may be there, in any order,
/// as POSIX has it. A file's contents are brought there by syncing the file, its name by syncing the
/// folder; real file systems keep more than that.
struct Disk {
  private let root = DiskFolder()
  private var handles: [UInt64: DiskEntry] = [:]
  /// How many operations there were.
  private(set) var operationCount = 0
  /// Whether the disk says that something is safe and does nothing: what would be with sync off.
  private let ignoresSyncs: Bool

  init(ignoresSyncs: Bool = false) { self.ignoresSyncs = ignoresSyncs }

  /// A disk on which files are safe.
  init(_ files: DiskContents) throws {
    self.init()
    for path in files.folders { try apply(.makeFolder(path)) }
    for (path, bytes) in files.files {
      try apply(.open(handle: 0, path: path))
      try apply(.write(handle: 0, place: 0, bytes[...]))
      try apply(.sync(handle: 0))
    }
    root.syncAll()
  }

  /// Does what a program told the disk.
  mutating func apply(_ operation: DiskOperation) throws {
    operationCount += 1
    switch operation {
    case .open(let handle, let path): handles[handle] = try open(path)
    case .write(let handle, let place, let bytes):
      file(handle)?.pending.append(.bytes(bytes, place: place))
    case .truncate(let handle, let length): file(handle)?.pending.append(.length(length))
    case .sync(let handle):
      if ignoresSyncs { break }
      switch handles[handle] {
      case .file(let file)?: file.sync()
      case .folder(let folder)?: folder.sync()
      case nil: break
      }
    case .makeFolder(let path): try change(path, .folder(DiskFolder()))
    case .rename(let path, let target):
      let entry = try entry(path)
      try change(target, entry)
      try change(path, nil)
    case .link(let path, let name): try change(name, entry(path))
    case .remove(let path): try change(path, nil)
    case .mark: break
    }
  }

  private func file(_ handle: UInt64) -> DiskFile? {
    if case .file(let file)? = handles[handle] { file } else { nil }
  }

  // MARK: Names

  private func open(_ path: String) throws -> DiskEntry {
    if path.isEmpty { return .folder(root) }
    if let known = try folder(of: path).live[name(of: path)] { return known }
    let file = DiskEntry.file(DiskFile())
    try change(path, file)
    return file
  }

  private func entry(_ path: String) throws -> DiskEntry {
    guard let entry = try folder(of: path).live[name(of: path)] else {
      throw TrialFailure("the record names '\(path)', which nobody has made")
    }
    return entry
  }

  private func change(_ path: String, _ entry: DiskEntry?) throws {
    try folder(of: path).change(name(of: path), entry, operationCount)
  }

  private func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }

  private func folder(of path: String) throws -> DiskFolder {
    var folder = root
    for name in path.split(separator: "/").dropLast() {
      guard case .folder(let next)? = folder.live[String(name)] else {
        throw TrialFailure("the record names '\(path)', whose folder nobody has made")
      }
      folder = next
    }
    return folder
  }

  // MARK: What is there

  /// What is there as long as the power is.
  var contents: DiskContents {
    var contents = DiskContents()
    root.collect("", into: &contents) {
      $0.live
    } _: {
      $0.bytes
    }
    return contents
  }

  /// What is there after the power has gone.
  func contents(after loss: inout PowerLoss) -> DiskContents {
    var contents = DiskContents()
    // The folders first: a rename is kept or lost as a whole, whatever else is.
    root.collect("", into: &contents) {
      loss.names(in: $0)
    } _: {
      loss.bytes(of: $0)
    }
    return contents
  }
}

/// The files and folders of a disk, by their paths.
struct DiskContents: Equatable {
  var folders: [String] = []
  var files: [String: [UInt8]] = [:]
}

/// What a name leads to.
enum DiskEntry {
  case file(DiskFile)
  case folder(DiskFolder)
}

/// A file: its bytes on the disk, and the changes since.
final class DiskFile {
  enum Change {
    case bytes(ArraySlice<UInt8>, place: Int)
    case length(Int)
  }

  private(set) var durable: [UInt8] = []
  var pending: [Change] = []

  /// The bytes as long as the power is there.
  var bytes: [UInt8] {
    var bytes = durable
    for change in pending { bytes.apply(change) }
    return bytes
  }

  func sync() {
    for change in pending { durable.apply(change) }
    pending = []
  }
}

extension [UInt8] {
  mutating func apply(_ change: DiskFile.Change) {
    switch change {
    case .bytes(let new, let place): put(new, at: place)
    case .length(let length): setLength(length)
    }
  }

  mutating func put(_ new: ArraySlice<UInt8>, at place: Int) {
    setLength(Swift.max(count, place + new.count))
    replaceSubrange(place..<place + new.count, with: new)
  }

  /// Cuts, or adds zeros.
  mutating func setLength(_ length: Int) {
    if length < count {
      removeLast(count - length)
    } else {
      append(contentsOf: repeatElement(0, count: length - count))
    }
  }
}

/// A folder: its names on the disk, and the changes since.
final class DiskFolder {
  struct Change {
    let name: String
    /// `nil` when the name was removed.
    let entry: DiskEntry?
    /// The changes of one operation are kept together, or lost.
    let operation: Int
  }

  private(set) var durable: [String: DiskEntry] = [:]
  private(set) var live: [String: DiskEntry] = [:]
  private(set) var pending: [Change] = []

  func change(_ name: String, _ entry: DiskEntry?, _ operation: Int) {
    live[name] = entry
    pending.append(Change(name: name, entry: entry, operation: operation))
  }

  func sync() {
    durable = live
    pending = []
  }

  func syncAll() {
    sync()
    for case .folder(let folder) in live.values { folder.syncAll() }
  }

  func collect(
    _ path: String,
    into contents: inout DiskContents,
    _ names: (DiskFolder) -> [String: DiskEntry],
    _ bytes: (DiskFile) -> [UInt8]
  ) {
    for (name, entry) in names(self).sorted(by: { $0.key < $1.key }) {
      switch entry {
      case .file(let file): contents.files[path + name] = bytes(file)
      case .folder(let folder):
        contents.folders.append(path + name)
        folder.collect(path + name + "/", into: &contents, names, bytes)
      }
    }
  }
}
