// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes text to a file descriptor through a buffer.
///
/// Foundation's handles crash or raise when the reader of a pipe is gone; this writer throws
/// ``BrokenPipe``, so that `commits list | head` can end in silence.
///
/// Call ``ignoreBrokenPipeSignals()`` once before the first write.
public final class FileWriter: Sendable {
  /// The error of writing to a pipe that nobody reads any more.
  public struct BrokenPipe: Error {
    /// Makes the error.
    public init() {}
  }

  private let descriptor: Int32
  private let capacity: Int
  private let buffer = Mutex<[UInt8]>([])

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - descriptor: An open file descriptor; the writer does not close it.
  ///   - capacity: How many bytes to gather before they are written; 0 writes at once.
  public init(descriptor: Int32, capacity: Int = 65_536) {
    self.descriptor = descriptor
    self.capacity = capacity
  }

  /// A new writer for standard output, which gathers text: call ``flush()`` at the end.
  public static func standardOutput() -> FileWriter { FileWriter(descriptor: STDOUT_FILENO) }

  /// A new writer for standard error, which writes at once.
  public static func standardError() -> FileWriter {
    FileWriter(descriptor: STDERR_FILENO, capacity: 0)
  }

  /// Turns a write to a pipe without reader from a deadly signal into ``BrokenPipe``.
  public static func ignoreBrokenPipeSignals() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Adds text.
  ///
  /// - Throws: ``BrokenPipe`` when nobody reads any more, ``CommandFailure`` when the text cannot
  ///   be written for another reason, such as a full disk.
  public func write(_ text: String) throws {
    try buffer.withLock { buffer in
      buffer.append(contentsOf: text.utf8)
      if buffer.count > capacity { try drain(&buffer) }
    }
  }

  /// Adds text and a line break.
  ///
  /// - Throws: As ``write(_:)``.
  public func writeLine(_ text: String) throws {
    try write(text + "\n")
  }

  /// Writes what was gathered.
  ///
  /// - Throws: As ``write(_:)``.
  public func flush() throws {
    try buffer.withLock { try drain(&$0) }
  }

  private func drain(_ buffer: inout [UInt8]) throws {
    defer { buffer.removeAll(keepingCapacity: true) }
    var remaining = buffer[...]
    while !remaining.isEmpty {
      // Safe because the pointer is used only during the call, with the count that belongs to it.
      let count = remaining.withUnsafeBytes { systemWrite($0) }
      if count >= 0 {
        remaining = remaining.dropFirst(count)
      } else {
        try recover(from: errno)
      }
    }
  }

  /// Returns when writing may be tried again.
  private func recover(from error: Int32) throws {
    switch error {
    case EINTR:
      return
    case EAGAIN:
      var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&state, 1, 1_000)
    case EPIPE:
      throw BrokenPipe()
    default:
      throw CommandFailure(
        "the output cannot be written: \(String(cString: strerror(error)))",
        advice: "Check the disk space and where the output goes."
      )
    }
  }

  private func systemWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
    Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
