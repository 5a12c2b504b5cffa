// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Synchronization

/// A network that can be cut: a port whose connections are handed on to the server until ``cut()``;
/// from then on nothing passes, and nobody is told.
///
/// The threads end with the process, or when the connections are closed.
final class TestProxy: Sendable {
  let port: Int
  private let listener: SilentListener
  private let isCut = Mutex(false)

  init(to serverPort: Int) throws {
    listener = try SilentListener()
    port = listener.port
    Thread.detachNewThread { [self] in
      while let client = listener.accept() {
        guard !mustStop, let server = SilentListener.connect(to: serverPort) else { continue }
        pass(from: client, to: server)
        pass(from: server, to: client)
      }
    }
  }

  /// Lets nothing pass any more.
  func cut() { isCut.withLock { $0 = true } }

  private var mustStop: Bool { isCut.withLock { $0 } }

  private func pass(from source: Int32, to target: Int32) {
    Thread.detachNewThread { [self] in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(source, &bytes, bytes.count)
        if mustStop { return }
        guard count > 0, write(target, bytes, count) == count else { break }
      }
      shutdown(target, Int32(SHUT_RDWR))
    }
  }
}
#endif
