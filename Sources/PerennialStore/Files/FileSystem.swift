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

  /// Opens a folder, inside which nothing is reached through symbolic links.
  func folder(_ path: String) throws(FileFailure) -> any OpenFolder

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
///
/// Safe because the bytes that are to be written are read within the call that lends them.
package protocol OpenFile: AnyObject, Sendable {
  /// Writes bytes behind those that have been written.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure)

  /// Waits until what has been written is on the disk.
  func sync() throws(FileFailure)

  /// Which file it is, and how it is.
  func status() throws(FileFailure) -> FileStatus

  /// All bytes.
  ///
  /// - Parameter limit: How many there may be.
  /// - Returns: The bytes.
  /// - Throws: The system's failure; one that is about the size when there are more.
  func contents(atMost limit: Int) throws(FileFailure) -> FileContents
}

extension OpenFile {
  /// All bytes.
  package func contents() throws(FileFailure) -> FileContents { try contents(atMost: .max) }
}

/// An open folder, closed with its last reference.
///
/// Names are those of what lies in it; a symbolic link of such a name is an error and is never followed.
package protocol OpenFolder: AnyObject, Sendable {
  /// A folder in this one; `nil` when there is none.
  func folder(_ name: String) throws(FileFailure) -> (any OpenFolder)?

  /// Makes a folder in this one; nothing happens when it is there.
  func makeFolder(_ name: String, permissions: UInt32?) throws(FileFailure)

  /// Removes a folder in this one that has nothing in it; nothing happens when it is not there.
  func removeFolder(_ name: String) throws(FileFailure)

  /// The names of what is in the folder, in any order.
  func names() throws(FileFailure) -> [String]

  /// Opens an ordinary file for reading.
  func open(_ name: String) throws(FileFailure) -> any OpenFile

  /// Makes a file that is not there yet, for writing.
  func create(_ name: String, permissions: UInt32?) throws(FileFailure) -> any OpenFile

  /// Gives a file of the folder another name, in one step.
  func rename(_ name: String, to target: String) throws(FileFailure)

  /// Removes a file; nothing happens when it is not there.
  func remove(_ name: String) throws(FileFailure)

  /// Waits until the folder's entries are on the disk.
  func sync() throws(FileFailure)
}

/// A lock and the small text in its file; it ends with its last reference.
package protocol FileLock: AnyObject {
  func read() throws(FileFailure) -> [UInt8]
  func write(_ text: [UInt8]) throws(FileFailure)
}
