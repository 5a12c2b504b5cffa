// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Has child processes judge all of a part, and goes on behind what ends one of them.
struct HostileRun {
  let part: HostilePart
  let seed: UInt64
  let count: Int
  private(set) var crashedCount = 0
  private(set) var hungCount = 0
  private(set) var wrongCount = 0

  /// So many breaches are enough to know.
  private static let breachLimit = 20
  /// Seconds without a word from a child, which may wait for what never comes.
  private static let silenceLimit = 120

  init(_ part: HostilePart, seed: UInt64, count: Int) {
    self.part = part
    self.seed = seed
    self.count = count
  }

  private var breachCount: Int { crashedCount + hungCount + wrongCount }

  mutating func run() throws {
    var next = 0
    while next < count {
      next = try runChild(next..<min(count, next + part.batchCount))
      if breachCount >= Self.breachLimit {
        Reliability.say("\(part.rawValue): enough; \(count - next) were not tried")
        return
      }
    }
  }

  /// Runs a child on some numbers.
  ///
  /// - Returns: The number to go on with.
  private mutating func runChild(_ numbers: Range<Int>) throws -> Int {
    let folder = Scratch.name()
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [
      "hostile", "--child", part.rawValue, "\(seed)", "\(numbers.lowerBound)",
      "\(numbers.upperBound)", folder.path(percentEncoded: false),
    ]
    var environment = ProcessInfo.processInfo.environment
    // A trap is seen by how the process ends; to describe the place takes seconds.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let (last, isSilent) = listen(to: pipe.fileHandleForReading)
    if isSilent { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    return try judgeEnd(of: process, isSilent, last, numbers)
  }

  private mutating func judgeEnd(
    of process: Process,
    _ isSilent: Bool,
    _ last: Int?,
    _ numbers: Range<Int>
  ) throws -> Int {
    let isSignal = process.terminationReason == .uncaughtSignal
    if !isSignal, process.terminationStatus == 0, !isSilent {
      // It stops early where it has taken too much memory.
      return (last ?? numbers.upperBound - 1) + 1
    }
    guard let last, isSignal || isSilent else {
      throw UsageError(message: "a child of 'hostile' could not begin")
    }
    if isSilent || process.terminationStatus == SIGPROF {
      hungCount += 1
      tell(last, "hung")
    } else {
      crashedCount += 1
      tell(last, "crashed with signal \(process.terminationStatus)")
    }
    return last + 1
  }

  /// Reads what a child says until it ends, or says nothing for too long.
  ///
  /// - Returns: The number that it said last, and whether it has fallen silent.
  private mutating func listen(to output: FileHandle) -> (last: Int?, isSilent: Bool) {
    var last: Int?
    var rest: [UInt8] = []
    while true {
      var ready = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
      if poll(&ready, 1, Int32(Self.silenceLimit * 1000)) == 0 { return (last, true) }
      let data = output.availableData
      if data.isEmpty { return (last, false) }
      rest += data
      let end = rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      for line in rest[..<end].split(separator: UInt8(ascii: "\n")) {
        let text = String(decoding: line, as: UTF8.self)
        if let number = Int(text) {
          last = number
        } else if text.hasPrefix("!") {
          wrongCount += 1
          tell(last ?? 0, String(text.dropFirst()))
        }
      }
      rest.removeFirst(end)
    }
  }

  private func tell(_ number: Int, _ problem: String) {
    Reliability.say(
      "\(part.rawValue) \(number): \(problem)\n  again: reliability hostile --seed "
        + "\(seed &+ UInt64(number)) --count 1"
    )
  }
}
