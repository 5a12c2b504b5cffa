// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The system calls that a store in a file makes; tests record them and let them fail.
package protocol FileSystem: Sendable {
  /// What a path leads to; `nil` when nothing is there.
  func status(of path: String) throws(FileFailure) -> FileStatus?

  /// Whether this process may write a file, and make files beside it.
  func isWritable(_ path: String) -> (file: Bool, folder: Bool)

  /// Opens a file for reading.
  func open(_ path: String) throws(FileFailure) -> any OpenFile

  /// Makes a file that is not there yet, for writing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: Its permissions; `nil` for what the process gives new files.
  /// - Returns: The file, open.
  /// - Throws: The system's failure; the file is not there then.
  func create(_ path: String, permissions: UInt32?) throws(FileFailure) -> any OpenFile

  /// Puts a file in the place of another one, in one step.
  func rename(_ path: String, to target: String) throws(FileFailure)

  /// Removes a file; nothing happens when it is not there.
  func remove(_ path: String) throws(FileFailure)

  /// Waits until the entries of the folder of a file are on the disk.
  func syncFolder(of path: String) throws(FileFailure)

  /// Locks a file, made when it is not there, against other processes and other stores of this one.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - patience: How long to wait for whoever has it.
  /// - Returns: The lock; `nil` when somebody else has it all the time.
  /// - Throws: The system's failure.
  func lock(_ path: String, patience: Duration) throws(FileFailure) -> (any FileLock)?
}

/// An open file, closed with its last reference.
///
/// As long as it is open, no other file gets its number, so that two statuses tell files apart.
package protocol OpenFile: AnyObject, Sendable {
  /// Writes bytes behind those that have been written.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure)

  /// Waits until what has been written is on the disk.
  func sync() throws(FileFailure)

  /// Which file it is, and how it is.
  func status() throws(FileFailure) -> FileStatus

  /// All bytes.
  func contents() throws(FileFailure) -> FileContents
}

/// A lock and the small text in its file; it ends with its last reference.
package protocol FileLock: AnyObject {
  func read() throws(FileFailure) -> [UInt8]
  func write(_ text: [UInt8]) throws(FileFailure)
}

/// Which file it is, and what tells whether it has been written.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable { case file, folder, other }

  package var kind: Kind
  package var device: UInt64
  package var number: UInt64
  package var byteCount: Int
  /// When it was written: seconds and nanoseconds.
  package var seconds: Int
  package var nanoseconds: Int
  package var permissions: UInt32

  package init(
    kind: Kind = .file,
    device: UInt64 = 0,
    number: UInt64,
    byteCount: Int,
    seconds: Int = 0,
    nanoseconds: Int = 0,
    permissions: UInt32 = 0o644
  ) {
    self.kind = kind
    self.device = device
    self.number = number
    self.byteCount = byteCount
    self.seconds = seconds
    self.nanoseconds = nanoseconds
    self.permissions = permissions
  }

  /// Whether this is the same file as another, not written in between.
  package func isUnchanged(since other: FileStatus) -> Bool {
    device == other.device && number == other.number && byteCount == other.byteCount
      && seconds == other.seconds && nanoseconds == other.nanoseconds
  }
}

/// A system call that failed.
package struct FileFailure: Error, Sendable, Hashable {
  package enum Step: String, Sendable, Hashable {
    case look, open, create, read, write, sync, rename, remove, syncFolder, lock
  }

  package let step: Step
  /// The system's number, `errno`.
  package let code: Int32

  package init(_ step: Step, _ code: Int32) {
    self.step = step
    self.code = code
  }
}

/// The bytes of a file, freed with their last reference.
///
/// Safe because nobody writes to the block once it is filled.
package final class FileContents: @unchecked Sendable {
  private let bytes: UnsafeRawBufferPointer

  /// Takes over a block that was allocated.
  package init(adopting block: UnsafeMutableRawBufferPointer) {
    bytes = UnsafeRawBufferPointer(block)
  }

  /// A copy of some bytes.
  package convenience init(copying source: some Collection<UInt8>) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
    block.copyBytes(from: source)
    self.init(adopting: block)
  }

  deinit { bytes.deallocate() }

  package var isEmpty: Bool { bytes.isEmpty }

  /// Lends the bytes to a closure.
  package func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Nobody else may hold the object when the closure has got the pointer.
    defer { withExtendedLifetime(self) {} }
    return try body(bytes)
  }
}
