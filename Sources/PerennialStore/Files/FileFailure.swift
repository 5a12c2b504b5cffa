// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A system call that failed.
package struct FileFailure: Error, Sendable, Hashable {
  package enum Step: String, Sendable, Hashable {
    case look, open, create, read, write, sync, rename, remove, lock
    case openFolder, makeFolder, list, syncFolder
  }

  package let step: Step
  /// The system's number, `errno`.
  package let code: Int32

  package init(_ step: Step, _ code: Int32) {
    self.step = step
    self.code = code
  }

  package var isAboutFullDisk: Bool { code == ENOSPC || code == EDQUOT }

  /// Whether the file is larger than it may be.
  package var isAboutSize: Bool { code == EFBIG }

  /// Whether there is no such file: what has its name may be a link, which is not followed.
  package var isAboutMissingFile: Bool { [ENOENT, ENOTDIR, ELOOP].contains(code) }

  /// Whether the process may not do it.
  package var isForbidden: Bool { [EACCES, EPERM, EROFS].contains(code) }

  /// The system's words.
  package var message: String { String(cString: strerror(code)) }
}
