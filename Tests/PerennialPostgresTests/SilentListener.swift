// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Testing

/// A port that takes connections and never says anything.
///
/// Safe because the address is only looked at within the calls.
final class SilentListener: Sendable {
  let port: Int
  private let descriptor: Int32

  init() throws {
    descriptor = Self.makeSocket()
    var address = Self.loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 4) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    try #require(result)
  }

  deinit { close(descriptor) }

  /// The next connection.
  func accept() -> Int32? {
    let client = Foundation.accept(descriptor, nil, nil)
    return client < 0 ? nil : client
  }

  /// A connection to a port of this machine.
  static func connect(to port: Int) -> Int32? {
    let descriptor = makeSocket()
    var address = loopback(UInt16(port))
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return result == 0 ? descriptor : nil
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func makeSocket() -> Int32 {
    #if canImport(Darwin)
    socket(AF_INET, SOCK_STREAM, 0)
    #else
    socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
  }
}
#endif
