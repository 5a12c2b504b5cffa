// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

extension FaultJob {
  /// Runs the job in processes, as many as it takes: what ends one is a breach, and the next fault begins another.
  func runInChild(limit: Int?, seed: UInt64) throws -> FaultTally {
    var tally = FaultTally()
    var start: [String] = []
    while true {
      let count = limit.map { "\($0)" } ?? "all"
      let (lines, isWhole) = try Self.lines(
        of: ["faults", "--child", name, count, "\(seed)"] + start
      )
      var last: [Substring] = []
      for line in lines {
        let words = line.split(separator: " ", maxSplits: 2)
        switch words.first {
        case "fault": last = Array(words.dropFirst())
        case "answer": tally.faults += words.count > 1 ? Int(words[1]) ?? 0 : 0
        case "breach":
          let kind = words.count > 1 ? FaultRun.Breach.Kind(rawValue: String(words[1])) : nil
          tally.note(kind ?? .untyped)
          tell(last, line)
        default: continue
        }
      }
      if isWhole { return tally }
      tally.note(.untyped)
      tell(last, "breach untyped the process ended")
      guard last.count == 2, let number = Int(last[1]) else { return tally }
      start = [String(last[0]), "\(number + 1)"]
    }
  }

  private func tell(_ fault: [Substring], _ line: some StringProtocol) {
    let call = fault.joined(separator: " ")
    Reliability.say("\(line)\n  again: reliability faults --child \(name) only \(call)")
  }

  /// What this program says with arguments, and whether it ended well.
  private static func lines(of arguments: [String]) throws -> ([Substring], Bool) {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text.split(separator: "\n"), process.terminationStatus == 0)
  }
}

/// What has been counted.
struct FaultTally {
  var faults = 0
  private var breaches: [FaultRun.Breach.Kind: Int] = [:]

  /// Counts a fault that broke a promise.
  mutating func note(_ kind: FaultRun.Breach.Kind) {
    faults += 1
    breaches[kind, default: 0] += 1
  }

  mutating func add(_ other: FaultTally) {
    faults += other.faults
    breaches.merge(other.breaches, uniquingKeysWith: +)
  }

  var verdict: Verdict {
    let counts = FaultRun.Breach.Kind.allCases.map { "\(breaches[$0] ?? 0) \($0.rawValue)" }
    return Verdict(
      counts: (["\(faults) faults"] + counts).joined(separator: ", "),
      isKept: breaches.isEmpty && faults > 0
    )
  }
}
