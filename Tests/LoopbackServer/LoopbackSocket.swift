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

/// An open TCP socket, which is closed with the value.
final class LoopbackSocket: Sendable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    #if canImport(Darwin)
    var isOn: Int32 = 1
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_NOSIGPIPE,
      &isOn,
      socklen_t(MemoryLayout<Int32>.size)
    )
    #endif
  }

  deinit { close(descriptor) }

  /// A socket that waits for connections on a free port of 127.0.0.1, and its port.
  static func listening() throws -> (socket: LoopbackSocket, port: UInt16) {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw lastError }
    let socket = LoopbackSocket(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Safe because both structures begin alike, and the length is that of the one in use.
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isBound else { throw lastError }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// The next connection, nil when the socket was shut down.
  func accept() -> LoopbackSocket? {
    while true {
      let connection = Foundation.accept(descriptor, nil, nil)
      // A program that inherits a connection would keep it open.
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      if connection >= 0 { return LoopbackSocket(connection) }
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  /// Ends `accept()` on another thread.
  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// What comes before the first empty line, nil when the other side goes away before.
  func readHead() -> Data? {
    let end = Data("\r\n\r\n".utf8)
    var head = Data()
    while head.count < 65_536 {
      if let range = head.range(of: end) { return head[..<range.lowerBound] }
      // Safe because `recv` writes at most the capacity, and the count is what it wrote.
      let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
        count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
      }
      if bytes.isEmpty { return nil }
      head += bytes
    }
    return nil
  }

  /// Sends bytes until all are gone or nobody takes them.
  func send(_ data: Data) {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = [UInt8](data)[...]
    while !rest.isEmpty {
      // Safe because the pointer is used only during the call, with the count that belongs to it.
      let count = rest.withUnsafeBytes { bytes in
        Foundation.send(descriptor, bytes.baseAddress, bytes.count, flags)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static var lastError: POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}
