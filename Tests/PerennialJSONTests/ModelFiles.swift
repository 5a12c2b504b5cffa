// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialJSON
import Synchronization

/// Files in memory: they record what is done to them, fail and crash where a test wants it, and know
/// what a crash of the machine leaves.
///
/// Invariants: a file's `kept` bytes are those of its last sync; `keptNames` are the names of the last
/// sync of the folder.
///
/// Safe because the bytes that are written are copied within the call.
final class ModelFiles: FileSystem {
  /// What goes wrong, at the n-th step from 0.
  enum Trouble: Sendable, Hashable {
    /// The step fails, the next ones succeed.
    case failure(step: Int, code: Int32)
    /// The step and all that follow fail: the process is gone.
    case end(step: Int)
    /// So many bytes are written, then the process is gone.
    case endWriting(byteCount: Int)
  }

  fileprivate struct Node: Sendable {
    var bytes: [UInt8] = []
    var kept: [UInt8] = []
    var changes = 0
    var permissions: UInt32
  }

  fileprivate struct Disk: Sendable {
    var nodes: [UInt64: Node] = [:]
    var names: [String: UInt64] = [:]
    var keptNames: [String: UInt64] = [:]
    var next: UInt64 = 1
    var steps: [FileFailure.Step] = []
    var trouble: Trouble?
    var byteCount = 0
    var hasEnded = false
    var isLocked = false

    /// Records a step, or fails instead.
    mutating func take(_ step: FileFailure.Step) throws(FileFailure) {
      let number = steps.count
      steps.append(step)
      if hasEnded { throw FileFailure(step, 5) }
      switch trouble {
      case .failure(number, let code): throw FileFailure(step, code)
      case .end(number):
        hasEnded = true
        throw FileFailure(step, 5)
      default: return
      }
    }
  }

  fileprivate let disk: Mutex<Disk>

  init() { disk = Mutex(Disk()) }

  private init(_ disk: Disk) { self.disk = Mutex(disk) }

  /// What happens from now on; steps and bytes count from here.
  func begin(_ trouble: Trouble?) {
    disk.withLock {
      $0.steps = []
      $0.byteCount = 0
      $0.trouble = trouble
      $0.hasEnded = false
    }
  }

  var steps: [FileFailure.Step] { disk.withLock { $0.steps } }
  var names: Set<String> { disk.withLock { Set($0.names.keys) } }

  func bytes(_ path: String) -> [UInt8]? {
    disk.withLock { disk in disk.names[path].flatMap { disk.nodes[$0]?.bytes } }
  }

  func put(_ bytes: [UInt8], at path: String) {
    disk.withLock { disk in
      disk.nodes[disk.next] = Node(bytes: bytes, kept: bytes, permissions: 0o644)
      disk.names[path] = disk.next
      disk.keptNames[path] = disk.next
      disk.next += 1
    }
  }

  /// The files after a crash of the machine, or of the process alone.
  ///
  /// - Parameters:
  ///   - keepsBytes: Whether the system had written bytes that nobody waited for.
  ///   - keepsNames: Whether it had written names that nobody waited for.
  /// - Returns: What is left.
  func afterCrash(keepsBytes: Bool, keepsNames: Bool) -> ModelFiles {
    var disk = self.disk.withLock { $0 }
    if !keepsNames { disk.names = disk.keptNames }
    for number in disk.nodes.keys where !keepsBytes {
      let kept = disk.nodes[number]?.kept ?? []
      disk.nodes[number]?.bytes = kept
    }
    disk.trouble = nil
    disk.hasEnded = false
    disk.isLocked = false
    return ModelFiles(disk)
  }

  // MARK: FileSystem

  func status(of path: String) throws(FileFailure) -> FileStatus? {
    try disk.withLock { disk throws(FileFailure) in
      try disk.take(.look)
      guard let number = disk.names[path] else { return nil }
      return disk.status(number)
    }
  }

  func isWritable(_ path: String) -> (file: Bool, folder: Bool) { (true, true) }

  func open(_ path: String) throws(FileFailure) -> any OpenFile {
    try disk.withLock { disk throws(FileFailure) in
      try disk.take(.open)
      guard let number = disk.names[path] else { throw FileFailure(.open, 2) }
      return ModelFile(self, number)
    }
  }

  func create(
    _ path: String,
    permissions: UInt32?
  ) throws(FileFailure) -> any OpenFile {
    try disk.withLock { disk throws(FileFailure) in
      try disk.take(.create)
      guard disk.names[path] == nil else { throw FileFailure(.create, 17) }
      disk.nodes[disk.next] = Node(permissions: permissions ?? 0o644)
      disk.names[path] = disk.next
      disk.next += 1
      return ModelFile(self, disk.next - 1)
    }
  }

  func rename(_ path: String, to target: String) throws(FileFailure) {
    try disk.withLock { disk throws(FileFailure) in
      try disk.take(.rename)
      disk.names[target] = disk.names.removeValue(forKey: path)
    }
  }

  func remove(_ path: String) throws(FileFailure) {
    try disk.withLock { disk throws(FileFailure) in
      try disk.take(.remove)
      disk.names[path] = nil
    }
  }

  func syncFolder(of path: String) throws(FileFailure) {
    try disk.withLock { disk throws(FileFailure) in
      try disk.take(.syncFolder)
      disk.keptNames = disk.names
    }
  }

  func lock(
    _ path: String,
    patience: Duration
  ) throws(FileFailure) -> (any FileLock)? {
    try disk.withLock { disk throws(FileFailure) in
      try disk.take(.lock)
      if disk.isLocked { return nil }
      disk.isLocked = true
      return ModelLock(self)
    }
  }
}

extension ModelFiles.Disk {
  fileprivate func status(_ number: UInt64) -> FileStatus {
    let node = nodes[number]
    return FileStatus(
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
    try files.disk.withLock { disk throws(FileFailure) in
      try disk.take(.write)
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
    try files.disk.withLock { disk throws(FileFailure) in
      try disk.take(.sync)
      let bytes = disk.nodes[number]?.bytes ?? []
      disk.nodes[number]?.kept = bytes
    }
  }

  func status() throws(FileFailure) -> FileStatus {
    try files.disk.withLock { disk throws(FileFailure) in
      try disk.take(.look)
      return disk.status(number)
    }
  }

  func contents() throws(FileFailure) -> FileContents {
    try files.disk.withLock { disk throws(FileFailure) in
      try disk.take(.read)
      return FileContents(copying: disk.nodes[number]?.bytes ?? [])
    }
  }
}

/// A lock whose text survives everything: it is not what these tests are about.
private final class ModelLock: FileLock {
  private let files: ModelFiles

  init(_ files: ModelFiles) { self.files = files }

  deinit { files.disk.withLock { $0.isLocked = false } }

  func read() throws(FileFailure) -> [UInt8] { [] }

  func write(_ text: [UInt8]) throws(FileFailure) {}
}
