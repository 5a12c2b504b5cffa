// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Brings signals from their handlers, where almost nothing is allowed, to ordinary code.
///
/// A handler writes the signal's number into a pipe; a dispatch source reads it.
enum SignalPipe {
  private struct Listeners {
    var source: (any DispatchSourceRead)?
    var next = 0
    var continuations: [Int: AsyncStream<Int32>.Continuation] = [:]
  }

  private static let writeEnd = Atomic<Int32>(-1)
  private static let listeners = Mutex(Listeners())

  /// Makes the pipe; calls after the first do nothing.
  static func open() {
    listeners.withLock { listeners in
      guard listeners.source == nil else { return }
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      let readEnd = ends[0]
      let source = DispatchSource.makeReadSource(fileDescriptor: readEnd)
      source.setEventHandler { deliver(from: readEnd) }
      source.resume()
      listeners.source = source
      writeEnd.store(ends[1], ordering: .relaxed)
    }
  }

  /// Passes a signal on: the only function that a handler may call.
  static func post(_ number: Int32) {
    var byte = UInt8(truncatingIfNeeded: number)
    // The handler's caller must not see another error than its own.
    let error = errno
    _ = write(writeEnd.load(ordering: .relaxed), &byte, 1)
    errno = error
  }

  /// The numbers of the signals that are posted from now on.
  static func signals() -> AsyncStream<Int32> {
    AsyncStream { continuation in
      let number = listeners.withLock { listeners in
        listeners.next += 1
        listeners.continuations[listeners.next] = continuation
        return listeners.next
      }
      continuation.onTermination = { _ in
        // A continuation must not go while the lock is held: its end comes back here.
        let ended = listeners.withLock { $0.continuations.removeValue(forKey: number) }
        _ = ended
      }
    }
  }

  /// A value whenever the terminal has another size.
  static func resizes() -> AsyncStream<Void> {
    open()
    _ = signal(SIGWINCH) { SignalPipe.post($0) }
    let signals = signals()
    return AsyncStream { continuation in
      let task = Task {
        for await number in signals where number == SIGWINCH { continuation.yield() }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private static func deliver(from readEnd: Int32) {
    var byte: UInt8 = 0
    while read(readEnd, &byte, 1) == 1 {
      let continuations = listeners.withLock { Array($0.continuations.values) }
      for continuation in continuations { continuation.yield(Int32(byte)) }
    }
  }
}
