// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A lock of the system (`flock`), which ends with its process, whatever happens to that.
///
/// Safe because the system gets pointers only with their counts, and keeps none after a call.
final class SystemLock: FileLock {
  /// Seconds between two attempts.
  private static let pause = 0.002

  private let file: SystemFile

  private init(_ file: SystemFile) { self.file = file }

  deinit { flock(file.descriptor, LOCK_UN) }

  static func take(_ path: String, patience: Duration) throws(FileFailure) -> SystemLock? {
    let end = ContinuousClock.now + patience
    while true {
      let file = try SystemFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, step: .lock)
      if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 {
        // Somebody may have removed the file that is locked now, and somebody else locks a new one.
        if isSame(file, path) { return SystemLock(file) }
        continue
      }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw FileFailure(.lock, errno) }
      guard ContinuousClock.now < end else { return nil }
      Thread.sleep(forTimeInterval: pause)
    }
  }

  private static func isSame(_ file: SystemFile, _ path: String) -> Bool {
    var own = stat()
    var other = stat()
    return fstat(file.descriptor, &own) == 0 && stat(path, &other) == 0
      && own.st_ino == other.st_ino && own.st_dev == other.st_dev
  }

  func read() throws(FileFailure) -> [UInt8] {
    try file.contents().withBytes { Array($0) }
  }

  func write(_ text: [UInt8]) throws(FileFailure) {
    let count = text.withUnsafeBytes { pwrite(file.descriptor, $0.baseAddress, $0.count, 0) }
    guard count == text.count, ftruncate(file.descriptor, off_t(text.count)) == 0 else {
      throw FileFailure(.lock, count < 0 ? errno : ENOSPC)
    }
  }
}
