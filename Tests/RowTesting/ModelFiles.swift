// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialStore
import Synchronization

/// Files in memory: they record what is done to them, fail and crash where a test wants it, and know
/// what a crash of the machine leaves.
///
/// Invariants: a file's `kept` bytes are those of its last sync; `keptNames` are, of every folder, the names of
/// its last sync.
///
/// Safe because the bytes that are written are copied within the call.
package final class ModelFiles: FileSystem {
  /// What goes wrong, at the n-th step from 0.
  package enum Trouble: Sendable, Hashable {
    /// The step fails, the next ones succeed.
    case failure(step: Int, code: Int32)
    /// The step and all that follow fail: the process is gone.
    case end(step: Int)
    /// So many bytes are written, then the process is gone.
    case endWriting(byteCount: Int)
  }

  /// What the process must not write.
  package enum Prohibition: Sendable { case file, folder }

  /// A file or a folder.
  struct Node: Sendable {
    var kind = FileStatus.Kind.file
    var bytes: [UInt8] = []
    var kept: [UInt8] = []
    var changes = 0
    var permissions: UInt32
  }

  struct Disk: Sendable {
    var nodes: [UInt64: Node] = [:]
    var names: [String: UInt64] = [:]
    var keptNames: [String: UInt64] = [:]
    var next: UInt64 = 1
    var steps: [FileFailure.Step] = []
    var trouble: Trouble?
    var prohibition: Prohibition?
    var byteCount = 0
    var hasEnded = false
    var locked: Set<String> = []
    var told: [String] = []
    var interruption: (step: FileFailure.Step, body: @Sendable () -> Void)?
  }

  private let disk: Mutex<Disk>

  package init() { disk = Mutex(Disk()) }

  private init(_ disk: Disk) { self.disk = Mutex(disk) }

  // MARK: For tests

  /// What happens from now on; steps and bytes count from here.
  package func begin(_ trouble: Trouble?) {
    disk.withLock {
      $0.steps = []
      $0.byteCount = 0
      $0.trouble = trouble
      $0.hasEnded = false
    }
  }

  /// Forbids writing to all files, or to all folders.
  package func forbid(_ prohibition: Prohibition?) {
    disk.withLock { $0.prohibition = prohibition }
  }

  /// Runs a closure before the next step of a kind, as another process may.
  package func interrupt(before step: FileFailure.Step, _ body: @escaping @Sendable () -> Void) {
    disk.withLock { $0.interruption = (step, body) }
  }

  package var steps: [FileFailure.Step] { disk.withLock { $0.steps } }
  /// The locks that were written to, which whoever watches them hears.
  package var told: [String] { disk.withLock { $0.told } }
  package var names: Set<String> { disk.withLock { Set($0.names.keys) } }

  /// How many bytes have been written.
  package var byteCount: Int { disk.withLock { $0.byteCount } }

  package func bytes(_ path: String) -> [UInt8]? {
    disk.withLock { disk in disk.names[path].flatMap { disk.nodes[$0]?.bytes } }
  }

  package func permissions(_ path: String) -> UInt32? {
    disk.withLock { disk in disk.names[path].flatMap { disk.nodes[$0]?.permissions } }
  }

  /// Puts a file in place that is on the disk; without bytes, it is taken away.
  package func put(_ bytes: [UInt8]?, at path: String) {
    disk.withLock { disk in
      let node = bytes.map { Node(bytes: $0, kept: $0, permissions: 0o644) }
      disk.names[path] = node.map { disk.add($0) }
      disk.keptNames[path] = disk.names[path]
    }
  }

  /// The files after a crash of the machine, or of the process alone.
  ///
  /// - Parameters:
  ///   - keepsBytes: Whether the system had written bytes that nobody waited for.
  ///   - keepsNames: Whether it had written names that nobody waited for.
  /// - Returns: What is left.
  package func afterCrash(keepsBytes: Bool, keepsNames: Bool) -> ModelFiles {
    var disk = self.disk.withLock { $0 }
    if !keepsNames {
      let kept = disk.keptNames
      disk.names = kept.filter { kept[Self.folder(of: $0.key)] != nil || Self.isTop($0.key) }
    }
    for number in disk.nodes.keys where !keepsBytes {
      let kept = disk.nodes[number]?.kept ?? []
      disk.nodes[number]?.bytes = kept
    }
    disk.trouble = nil
    disk.hasEnded = false
    disk.locked = []
    return ModelFiles(disk)
  }

  // MARK: Steps

  /// Takes a step, or fails instead.
  func take<Result: Sendable>(
    _ step: FileFailure.Step,
    _ body: (inout Disk) throws(FileFailure) -> Result
  ) throws(FileFailure) -> Result {
    let interruption = disk.withLock { disk -> (@Sendable () -> Void)? in
      guard disk.interruption?.step == step else { return nil }
      defer { disk.interruption = nil }
      return disk.interruption?.body
    }
    interruption?()
    return try disk.withLock { disk throws(FileFailure) in
      try disk.begin(step)
      return try body(&disk)
    }
  }

  func tell(_ path: String) { disk.withLock { $0.told.append(path) } }

  func unlock(_ path: String) { _ = disk.withLock { $0.locked.remove(path) } }

  static func folder(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  private static func isTop(_ path: String) -> Bool { folder(of: path).isEmpty }
}

extension ModelFiles {
  package func status(of path: String) throws(FileFailure) -> FileStatus? {
    try take(.look) { disk in disk.names[path].map { disk.status($0) } }
  }

  package func isWritable(_ path: String) -> (file: Bool, folder: Bool) {
    disk.withLock { ($0.prohibition != .file, $0.prohibition != .folder) }
  }

  package func open(_ path: String) throws(FileFailure) -> any OpenFile {
    ModelFile(
      self,
      try take(.open) { disk throws(FileFailure) in try disk.number(of: path, .open) }
    )
  }

  package func create(
    _ path: String,
    permissions: UInt32?
  ) throws(FileFailure) -> any OpenFile {
    let number = try take(.create) { disk throws(FileFailure) in
      guard disk.names[path] == nil else { throw FileFailure(.create, 17) }
      let number = disk.add(Node(permissions: permissions ?? 0o644))
      disk.names[path] = number
      return number
    }
    return ModelFile(self, number)
  }

  package func rename(_ path: String, to target: String) throws(FileFailure) {
    try take(.rename) { disk throws(FileFailure) in
      disk.names[target] = try disk.number(of: path, .rename)
      disk.names[path] = nil
    }
  }

  package func remove(_ path: String) throws(FileFailure) {
    try take(.remove) { disk in disk.names[path] = nil }
  }

  package func syncFolder(of path: String) throws(FileFailure) {
    let folder = Self.folder(of: path)
    try take(.syncFolder) { disk in
      disk.keptNames = disk.keptNames.filter { Self.folder(of: $0.key) != folder }
      for (name, number) in disk.names where Self.folder(of: name) == folder {
        disk.keptNames[name] = number
      }
    }
  }

  package func folder(_ path: String) throws(FileFailure) -> any OpenFolder {
    try take(.openFolder) { _ in }
    return ModelFolder(self, path.hasSuffix("/") ? String(path.dropLast()) : path)
  }

  package func lock(
    _ path: String,
    patience: Duration
  ) throws(FileFailure) -> (any FileLock)? {
    let isMine = try take(.lock) { $0.locked.insert(path).inserted }
    return isMine ? ModelLock(self, path) : nil
  }
}

extension ModelFiles.Disk {
  mutating func begin(_ step: FileFailure.Step) throws(FileFailure) {
    let number = steps.count
    steps.append(step)
    if hasEnded { throw FileFailure(step, 5) }
    let changesFolders: Set<FileFailure.Step> = [.create, .rename, .remove, .lock, .makeFolder]
    if prohibition == .folder, changesFolders.contains(step) { throw FileFailure(step, 13) }
    switch trouble {
    case .failure(number, let code): throw FileFailure(step, code)
    case .end(number):
      hasEnded = true
      throw FileFailure(step, 5)
    default: return
    }
  }

  mutating func add(_ node: ModelFiles.Node) -> UInt64 {
    defer { next += 1 }
    nodes[next] = node
    return next
  }

  func number(of path: String, _ step: FileFailure.Step) throws(FileFailure) -> UInt64 {
    guard let number = names[path] else { throw FileFailure(step, 2) }
    return number
  }

  func status(_ number: UInt64) -> FileStatus {
    let node = nodes[number]
    return FileStatus(
      kind: node?.kind ?? .other,
      number: number,
      byteCount: node?.bytes.count ?? 0,
      nanoseconds: node?.changes ?? 0,
      permissions: node?.permissions ?? 0
    )
  }
}

private final class ModelFile: OpenFile {
  private let files: ModelFiles
  private let number: UInt64

  init(_ files: ModelFiles, _ number: UInt64) {
    self.files = files
    self.number = number
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
    let bytes = Array(bytes)
    try files.take(.write) { disk throws(FileFailure) in
      var count = bytes.count
      if case .endWriting(let limit) = disk.trouble { count = min(count, limit - disk.byteCount) }
      disk.nodes[number]?.bytes += bytes.prefix(count)
      disk.nodes[number]?.changes += 1
      disk.byteCount += count
      guard count == bytes.count else {
        disk.hasEnded = true
        throw FileFailure(.write, 5)
      }
    }
  }

  func sync() throws(FileFailure) {
    try files.take(.sync) { disk in
      let bytes = disk.nodes[number]?.bytes ?? []
      disk.nodes[number]?.kept = bytes
    }
  }

  func status() throws(FileFailure) -> FileStatus {
    try files.take(.look) { disk in disk.status(number) }
  }

  func contents(atMost limit: Int) throws(FileFailure) -> FileContents {
    try files.take(.read) { disk throws(FileFailure) in
      let bytes = disk.nodes[number]?.bytes ?? []
      guard bytes.count <= limit else { throw FileFailure(.read, 27) }
      return FileContents(copying: bytes)
    }
  }
}

private final class ModelFolder: OpenFolder {
  private let files: ModelFiles
  private let path: String

  init(_ files: ModelFiles, _ path: String) {
    self.files = files
    self.path = path
  }

  private func path(of name: String) -> String { path + "/" + name }

  func folder(_ name: String) throws(FileFailure) -> (any OpenFolder)? {
    let path = path(of: name)
    let isThere = try files.take(.openFolder) { disk throws(FileFailure) in
      guard let number = disk.names[path] else { return false }
      guard disk.nodes[number]?.kind == .folder else { throw FileFailure(.openFolder, 20) }
      return true
    }
    return isThere ? ModelFolder(files, path) : nil
  }

  func makeFolder(_ name: String, permissions: UInt32?) throws(FileFailure) {
    let path = path(of: name)
    try files.take(.makeFolder) { disk in
      if disk.names[path] != nil { return }
      disk.names[path] = disk.add(.init(kind: .folder, permissions: permissions ?? 0o755))
    }
  }

  func removeFolder(_ name: String) throws(FileFailure) { try files.remove(path(of: name)) }

  func names() throws(FileFailure) -> [String] {
    try files.take(.list) { disk in
      let names = disk.names.keys.filter { ModelFiles.folder(of: $0) == path }
      return names.map { String($0.dropFirst(path.count + 1)) }
    }
  }

  func open(_ name: String) throws(FileFailure) -> any OpenFile {
    try files.open(path(of: name))
  }

  func create(_ name: String, permissions: UInt32?) throws(FileFailure) -> any OpenFile {
    try files.create(path(of: name), permissions: permissions)
  }

  func rename(_ name: String, to target: String) throws(FileFailure) {
    try files.rename(path(of: name), to: path(of: target))
  }

  func remove(_ name: String) throws(FileFailure) { try files.remove(path(of: name)) }

  func sync() throws(FileFailure) { try files.syncFolder(of: path(of: "")) }
}

/// A lock whose text survives everything: it is not what these tests are about.
private final class ModelLock: FileLock {
  private let files: ModelFiles
  private let path: String

  init(_ files: ModelFiles, _ path: String) {
    self.files = files
    self.path = path
  }

  deinit { files.unlock(path) }

  func read() throws(FileFailure) -> [UInt8] { [] }

  func write(_ text: [UInt8]) throws(FileFailure) { files.tell(path) }
}
