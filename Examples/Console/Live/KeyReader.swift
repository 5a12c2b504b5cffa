// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A dispatch source may be cancelled from any thread, but does not say so.
@preconcurrency import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads keys from standard input.
enum KeyReader {
  /// Every key from now on; the stream ends when nobody can type any more.
  static func keys() -> AsyncStream<Key> {
    AsyncStream { continuation in
      let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
      source.setEventHandler {
        // Safe because `read` writes at most the capacity, and the count is what it wrote.
        let bytes = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
          count = max(0, read(STDIN_FILENO, buffer.baseAddress, buffer.count))
        }
        for key in Key.keys(in: bytes) { continuation.yield(key) }
        if bytes.isEmpty { continuation.finish() }
      }
      continuation.onTermination = { _ in source.cancel() }
      source.resume()
    }
  }
}
