// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The time that the thread has worked, which other work of the machine does not lengthen.
package enum ThreadTime {
  /// How long a closure works.
  package static func of(_ body: () -> Void) -> Duration {
    let start = now
    body()
    return now - start
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
