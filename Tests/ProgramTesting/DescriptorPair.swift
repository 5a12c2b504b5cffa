// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Two file descriptors that belong together, and that no other program inherits.
struct DescriptorPair {
  let first: Int32
  let second: Int32

  /// The reading and the writing end of a new pipe.
  static func pipe() throws -> DescriptorPair {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw lastError }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return DescriptorPair(first: ends[0], second: ends[1])
  }

  /// The ends of a new terminal: where it is controlled, and where a program finds it.
  static func terminal() throws -> DescriptorPair {
    guard let (control, name) = newTerminal() else { throw lastError }
    let terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { throw lastError }
    return DescriptorPair(first: control, second: terminal)
  }

  func closeSecond() { _ = close(second) }

  private static func newTerminal() -> (control: Int32, name: String)? {
    #if canImport(Darwin)
    let control = posix_openpt(O_RDWR | O_NOCTTY)
    guard control >= 0, grantpt(control) == 0, unlockpt(control) == 0,
      let name = ptsname(control)
    else { return nil }
    _ = fcntl(control, F_SETFD, FD_CLOEXEC)
    return (control, String(cString: name))
    #else
    // The functions of POSIX for this are not in the module map of the C library.
    let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
    let control = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var lock: Int32 = 0
    var number: Int32 = 0
    guard control >= 0, ioctl(control, setLock, &lock) == 0, ioctl(control, getNumber, &number) == 0
    else { return nil }
    return (control, "/dev/pts/\(number)")
    #endif
  }

  private static var lastError: POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}
