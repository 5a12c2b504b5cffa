// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Ctrl-C: the first asks the program to stop, the second stops it at once.
///
/// Long work calls ``check()`` between its steps, at points where stopping does no damage; the task
/// of the command is cancelled, too.
public enum Interruption {
  /// The error of work that was stopped; the program ends with ``ExitCode/cancelled``.
  public struct Cancelled: Error {
    /// Makes the error.
    public init() {}
  }

  private static let isRequested = Atomic(false)

  /// Starts to listen for `SIGINT` and `SIGTERM`.
  public static func install() {
    SignalPipe.open()
    // The first use of the flag is here, so that the handler finds it made.
    isRequested.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      _ = signal(number) { Interruption.request(by: $0) }
    }
  }

  /// Cancels a task when the program is asked to stop.
  ///
  /// - Parameter task: The task; it must end before the program does.
  public static func cancels<Success>(_ task: Task<Success, Never>) {
    let signals = SignalPipe.signals()
    Task {
      for await number in signals where [SIGINT, SIGTERM].contains(number) { task.cancel() }
    }
    if isPending { task.cancel() }
  }

  /// Whether the program was asked to stop.
  public static var isPending: Bool { isRequested.load(ordering: .relaxed) }

  /// - Throws: ``Cancelled`` when the program was asked to stop.
  public static func check() throws {
    if isPending { throw Cancelled() }
  }

  /// What the signal handler does: only what is allowed there.
  private static func request(by number: Int32) {
    if isRequested.exchange(true, ordering: .relaxed) { _exit(ExitCode.cancelled.rawValue) }
    SignalPipe.post(number)
  }
}
