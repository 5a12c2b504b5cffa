// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Synchronization

/// A network that loses one connection at the worst moment: around a commit.
///
/// Connections must not be encrypted. The threads end when the connections do.
final class CuttingProxy: Sendable {
  /// When a connection is lost.
  enum Moment: Sendable {
    /// The server never learns that it is to commit.
    case requestToCommit
    /// The server has committed, and the answer does not arrive.
    case answerToCommit
  }

  private struct State {
    var moment: Moment?
    /// How many connections are yet to be lost at it.
    var rest = 0
    var cutCount = 0
    /// Whether the network is away after the next cut; and whether it is.
    var closes = false
    var isClosed = false
  }

  let port: Int
  private let listener: SilentListener
  private let state = Mutex(State())

  init(to serverPort: Int) throws {
    listener = try SilentListener()
    port = listener.port
    Thread.detachNewThread { [self] in
      while let client = listener.accept() {
        guard !state.withLock({ $0.isClosed }),
          let server = SilentListener.connect(to: serverPort)
        else {
          close(client)
          continue
        }
        pass(from: client, to: server, .requestToCommit)
        pass(from: server, to: client, .answerToCommit)
      }
    }
  }

  /// Loses the next connections that come to a moment.
  ///
  /// - Parameters:
  ///   - moment: The moment.
  ///   - times: How many.
  ///   - forGood: Whether no other connection comes about until ``open()``.
  func cut(at moment: Moment, times: Int = 1, forGood: Bool = false) {
    state.withLock {
      $0.moment = moment
      $0.rest = times
      $0.closes = forGood
    }
  }

  /// Lets connections come about again.
  func open() { state.withLock { $0.isClosed = false } }

  /// How many connections were lost.
  var cutCount: Int { state.withLock { $0.cutCount } }

  private func pass(from source: Int32, to target: Int32, _ moment: Moment) {
    Thread.detachNewThread { [self] in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(source, &bytes, bytes.count)
        guard count > 0, !mustCut(bytes[..<count], moment), write(target, bytes, count) == count
        else { break }
      }
      shutdown(source, Int32(SHUT_RDWR))
      shutdown(target, Int32(SHUT_RDWR))
    }
  }

  /// Whether this is the moment: both the request and the answer name the commit.
  private func mustCut(_ bytes: ArraySlice<UInt8>, _ moment: Moment) -> Bool {
    state.withLock { state in
      guard state.moment == moment, bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil else {
        return false
      }
      state.rest -= 1
      if state.rest == 0 { state.moment = nil }
      state.cutCount += 1
      state.isClosed = state.closes
      return true
    }
  }
}
#endif
