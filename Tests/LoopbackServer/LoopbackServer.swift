// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import Synchronization

/// An HTTP server for tests on 127.0.0.1: every answer is scripted.
///
/// ```swift
/// let server = try LoopbackServer { request in
///   request.path == "/" ? LoopbackAnswer(text: "hello") : LoopbackAnswer(404)
/// }
/// ```
///
/// One thread takes the connections, and every connection has a thread of its own, so that a slow
/// answer holds up nobody else. A connection serves one request without a body. The server ends
/// with the value.
public final class LoopbackServer: Sendable {
  /// What the threads share.
  private final class State: Sendable {
    struct Log {
      var requests: [LoopbackRequest] = []
      var running = 0
      var mostRunning = 0
    }

    let log = Mutex(Log())
    let answer: @Sendable (LoopbackRequest) -> LoopbackAnswer

    init(_ answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer) {
      self.answer = answer
    }
  }

  /// `http://127.0.0.1:PORT`.
  public let url: URL
  private let listener: LoopbackSocket
  private let state: State

  /// Starts a server on a free port.
  ///
  /// - Parameter answer: What to send; called on the connection's thread.
  /// - Throws: `POSIXError` when there is no port.
  public init(_ answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer) throws {
    let (listener, port) = try LoopbackSocket.listening()
    guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw POSIXError(.EINVAL) }
    self.url = url
    self.listener = listener
    let state = State(answer)
    self.state = state
    Thread.detachNewThread {
      while let connection = listener.accept() {
        Thread.detachNewThread { Self.serve(connection, state) }
      }
    }
  }

  deinit { listener.shutDown() }

  /// The requests so far, in the order in which they came.
  public var requests: [LoopbackRequest] { state.log.withLock { $0.requests } }

  /// How many requests were being answered at once, at most.
  public var mostAtOnce: Int { state.log.withLock { $0.mostRunning } }

  private static func serve(_ connection: LoopbackSocket, _ state: State) {
    guard let head = connection.readHead(), let request = LoopbackRequest(head: head) else {
      return
    }
    state.log.withLock { log in
      log.requests.append(request)
      log.running += 1
      log.mostRunning = max(log.mostRunning, log.running)
    }
    let answer = state.answer(request)
    answer.gate?.pass()
    state.log.withLock { $0.running -= 1 }
    connection.send(answer.bytes)
  }
}
