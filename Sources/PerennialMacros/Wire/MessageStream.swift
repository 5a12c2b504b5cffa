// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Messages over two file descriptors: 8 bytes of length, little endian, then the body.
///
/// Reads and writes may be short or interrupted. A body grows as its bytes arrive, so that a wrong
/// length does not allocate. Safe because a buffer is used only inside the closure that lends it,
/// and no more of it counts as initialised than `read` has filled.
struct MessageStream {
  /// What came in.
  enum Incoming: Equatable {
    case message([UInt8])
    /// The length was beyond ``MessageStream/maximumByteCount``; the stream is lost.
    case tooLong
    /// The stream ended, in the middle of a message or not.
    case end
  }

  /// The longest body, in bytes.
  static let maximumByteCount = 256 << 20

  /// The descriptor that messages come from.
  let input: Int32
  /// The descriptor that messages go to.
  let output: Int32

  /// Waits for a message.
  func receive() -> Incoming {
    guard let header = bytes(count: 8) else { return .end }
    let count = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard count <= UInt64(Self.maximumByteCount) else { return .tooLong }
    return bytes(count: Int(count)).map { .message($0) } ?? .end
  }

  /// Sends a message.
  ///
  /// - Parameter body: Its bytes.
  /// - Returns: Whether all of it was taken.
  func send(_ body: [UInt8]) -> Bool {
    let count = UInt64(body.count)
    var message = (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * UInt64($0))) }
    message += body
    var sent = 0
    while sent < message.count {
      let rest = message[sent...]
      let written = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      sent += written
    }
    return true
  }

  private func bytes(count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let wanted = min(count - bytes.count, 1 << 20)
      var received = 0
      let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
        repeat {
          received = read(input, buffer.baseAddress, wanted)
        } while received < 0 && errno == EINTR
        initialized = max(received, 0)
      }
      guard received > 0 else { return nil }
      bytes += piece
    }
    return bytes
  }
}
