// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The process that a hostile thing may end.
///
/// It says the number of each thing before it looks at it, and in a line that begins with `!` what must not be.
/// Where one takes more than ten seconds of the processor's time, the system ends the process; the stack is as
/// small as that of any thread.
enum HostileChild {
  /// Seconds of work for one thing.
  private static let workLimit = 10
  #if DEBUG
  // Calls that are not optimised take several times as much.
  private static let stackSize = 4 << 20
  #else
  private static let stackSize = 512 << 10
  #endif
  /// Bytes of memory, for all that one process looks at.
  private static let memoryLimit = 1 << 30

  /// Judges some things.
  ///
  /// - Parameter arguments: The part, the seed of the first thing, the numbers of the first and of the one after
  ///   the last, and the folder.
  /// - Throws: That these are no such arguments, or what keeps it from judging.
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 5, let part = HostilePart(rawValue: arguments[0]),
      let seed = UInt64(arguments[1]), let first = Int(arguments[2]), let end = Int(arguments[3])
    else { throw UsageError(message: "that is no child of 'hostile'") }
    let scratch = try Scratch(URL(filePath: arguments[4]))
    let failure = Mutex<String?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      do {
        try judge(part, seed, first..<end, scratch)
      } catch {
        failure.withLock { $0 = "\(error)" }
      }
      done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    done.wait()
    if let failure = failure.withLock({ $0 }) { throw UsageError(message: failure) }
  }

  private static func judge(
    _ part: HostilePart,
    _ seed: UInt64,
    _ numbers: Range<Int>,
    _ scratch: Scratch
  ) throws {
    var judge = try part.makeJudge(scratch)
    for number in numbers {
      Reliability.say("\(number)")
      limitWork()
      do {
        if let problem = try judge.judge(seed &+ UInt64(number)) { tell(problem) }
      } catch {
        tell("a failure that is not Perennial's: \(error)")
      }
      if memory > memoryLimit {
        tell("\(memory >> 20) MiB of memory")
        return
      }
    }
  }

  private static func tell(_ problem: String) {
    Reliability.say("!" + problem.replacingOccurrences(of: "\n", with: " "))
  }

  /// Lets the system end the process when it works for too long from now on.
  private static func limitWork() {
    let limit = timeval(tv_sec: workLimit, tv_usec: 0)
    var timer = itimerval(it_interval: timeval(), it_value: limit)
    #if canImport(Darwin)
    setitimer(ITIMER_PROF, &timer, nil)
    #else
    setitimer(__itimer_which_t(2), &timer, nil)
    #endif
  }

  /// The most memory that the process has had, in bytes.
  private static var memory: Int {
    var usage = rusage()
    #if canImport(Darwin)
    getrusage(RUSAGE_SELF, &usage)
    return Int(usage.ru_maxrss)
    #else
    getrusage(__rusage_who_t(0), &usage)
    return Int(usage.ru_maxrss) * 1024
    #endif
  }
}
