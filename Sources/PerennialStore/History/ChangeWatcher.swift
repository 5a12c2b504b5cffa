// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread that looks whether somebody else has written to a store.
///
/// It looks at regular times, when it is woken and, where the system tells of written files, soon after a
/// write.
///
/// Invariant: the thread ends before `deinit` returns, unless it runs `deinit` itself.
package final class ChangeWatcher: Sendable {
  private let signal: Signal
  private let thread: ObjectIdentifier
  private let hasEnded = Gate()

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - path: The file that is written whenever the store is; `nil` for a store without one.
  ///   - interval: How long to wait at most before looking.
  ///   - look: Looks, on the watcher's thread; `false` when there is nothing to look at any more.
  package init?(path: String?, interval: Duration, look: @escaping @Sendable () -> Bool) {
    guard let signal = Signal(path: path) else { return nil }
    // What is written from now on is noticed.
    signal.watchFile()
    self.signal = signal
    let hasEnded = hasEnded
    let milliseconds = Self.milliseconds(interval)
    let thread = Thread {
      while signal.wait(milliseconds: milliseconds), look() {}
      hasEnded.open()
    }
    thread.name = "Perennial watcher"
    self.thread = ObjectIdentifier(thread)
    thread.start()
  }

  /// Makes the thread look soon; from any thread, and also when the watcher is gone.
  package var wake: @Sendable () -> Void {
    { [weak signal] in signal?.wake() }
  }

  deinit {
    signal.stop()
    if thread != ObjectIdentifier(Thread.current) { hasEnded.wait() }
  }

  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    let total = Double(seconds) * 1000 + Double(attoseconds) / 1e15
    return Int32(min(max(total, 1), Double(Int32.max)))
  }
}

/// Lets those who wait pass once it is open.
private final class Gate: Sendable {
  private let condition = NSCondition()
  private let isOpen = Mutex(false)

  func open() {
    condition.lock()
    isOpen.withLock { $0 = true }
    condition.broadcast()
    condition.unlock()
  }

  func wait() {
    condition.lock()
    while !isOpen.withLock({ $0 }) { condition.wait() }
    condition.unlock()
  }
}

/// What a watcher waits for: time, a written file, a call, the end.
///
/// A transaction is in the written file some time before others see it, as the writer waits for the
/// disk in between. So a write is a reason to look now and some times more, soon after.
private final class Signal: Sendable {
  /// A pipe with a byte for the thread to read: ``call`` or ``ending``.
  private let pipeline: (read: Int32, write: Int32)
  /// Whether there is a call in the pipe already: it must not be full when nobody reads.
  private let isCalled = Atomic(false)
  /// The kernel's queue of file events; -1 where there is none.
  private let events: Int32
  private let path: String?
  /// How long to wait before the next looks that follow a write, in milliseconds.
  private let followUps = Mutex<ArraySlice<Int32>>([])

  init?(path: String?) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    pipeline = (ends[0], ends[1])
    self.path = path
    #if os(Linux) || os(Android)
    events = path == nil ? -1 : inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    #else
    events = -1
    #endif
  }

  deinit {
    close(pipeline.read)
    close(pipeline.write)
    if events >= 0 { close(events) }
  }

  private static let call: UInt8 = 1
  private static let ending: UInt8 = 0

  func stop() { put(Self.ending) }

  func wake() {
    if !isCalled.exchange(true, ordering: .acquiringAndReleasing) { put(Self.call) }
  }

  private func put(_ byte: UInt8) {
    var byte = byte
    _ = write(pipeline.write, &byte, 1)
  }

  /// Takes what is in the pipe out of it.
  ///
  /// - Returns: `false` at the end.
  private func takeCalls() -> Bool {
    var bytes = [UInt8](repeating: Self.call, count: 4)
    let count = read(pipeline.read, &bytes, bytes.count)
    // After reading: a call that comes between has no byte, but the look is still to come.
    _ = isCalled.exchange(false, ordering: .acquiringAndReleasing)
    return !bytes.prefix(max(0, count)).contains(Self.ending)
  }

  /// Waits for a reason to look.
  ///
  /// - Returns: `false` at the end.
  func wait(milliseconds: Int32) -> Bool {
    watchFile()
    var descriptors = [pollfd(fd: pipeline.read, events: Int16(POLLIN), revents: 0)]
    if events >= 0 { descriptors.append(pollfd(fd: events, events: Int16(POLLIN), revents: 0)) }
    let patience = followUps.withLock { $0.popFirst() }.map { min($0, milliseconds) }
    _ = poll(&descriptors, nfds_t(descriptors.count), patience ?? milliseconds)
    if descriptors[0].revents != 0 { return takeCalls() }
    guard descriptors.count > 1, descriptors[1].revents != 0 else { return true }
    // A write is many events: what follows at once is taken together.
    _ = poll(&descriptors, 1, Self.pause)
    drain()
    followUps.withLock { $0 = Self.followUpPauses[...] }
    return descriptors[0].revents == 0 || takeCalls()
  }

  private static let pause: Int32 = 10
  private static let followUpPauses: [Int32] = [20, 80, 320]

  /// Watches the file; one that is watched already still is, one that is missing is tried again.
  func watchFile() {
    #if os(Linux) || os(Android)
    if events >= 0, let path { _ = inotify_add_watch(events, path, UInt32(IN_MODIFY)) }
    #endif
  }

  private func drain() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(events, &buffer, buffer.count) > 0 {}
  }
}
