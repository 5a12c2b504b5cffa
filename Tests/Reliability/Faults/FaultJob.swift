// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation
import Perennial
import RowTesting

/// What a process of its own does.
enum FaultJob {
  case scenario(FaultScenario, FaultPlace.Form)

  static var all: [FaultJob] {
    FaultScenario.all.flatMap { scenario in
      scenario.forms.map { .scenario(scenario, $0) }
    }
  }

  var name: String {
    switch self {
    case .scenario(let scenario, let form): "\(scenario.name)/\(form.rawValue)"
    }
  }

  /// How many calls of each mode fail in the short form.
  var shortCount: Int { 3 }

  // MARK: In the process

  /// Says what happens, a line each: `fault` before, `breach KIND …` after, `end FAULTS ERRORS`.
  func run(_ plan: FaultPlan) throws {
    switch self {
    case .scenario(let scenario, let form): try run(scenario, form, plan)
    }
  }

  private func run(
    _ scenario: FaultScenario,
    _ form: FaultPlace.Form,
    _ plan: FaultPlan
  ) throws {
    var isStarted = plan.start == nil
    var answers: [String: Int] = [:]
    for mode in FaultMode.all where form != .json || !mode.isMemory {
      if plan.start?.mode == mode.name { isStarted = true } else if plan.isOne { continue }
      guard isStarted else { continue }
      let folder = try TemporaryFolder(inMemory: true)
      let run = try FaultRun(scenario, form, mode, in: folder.url)
      let isFirst = plan.start?.mode == mode.name
      guard case .none(let whole) = try run.strike(Int(Int32.max)) else { continue }
      for number in plan.numbers(of: mode.name, Int(whole.count), isStarted: isFirst) {
        Reliability.say("fault \(mode.name) \(number)")
        failing_expect_life(120)
        do {
          let outcome = try run.strike(number)
          if case .none = outcome { break }
          answers[Self.words(of: outcome, mode), default: 0] += 1
        } catch {
          let breach = error as? FaultRun.Breach
          Reliability.say(
            "breach \(breach?.kind ?? .untyped) \(Self.line(breach?.message ?? "\(error)"))"
          )
        }
      }
    }
    failing_expect_life(0)
    for (answer, count) in answers.sorted(by: { $0.key < $1.key }) {
      Reliability.say("answer \(count) \(answer)")
    }
  }

  private static func line(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: " |")
  }

  private static func words(of outcome: FaultRun.Outcome, _ mode: FaultMode) -> String {
    switch outcome {
    case .none: ""
    case .harmless(let report): "\(String(cString: failing_name(report.kind))): no error"
    case .error(let error, let report):
      "\(String(cString: failing_name(report.kind))): \(error.code.rawValue) \(error.message)"
    }
  }

  // MARK: From outside

  /// Runs the job in processes, as many as it takes.
  func runInChild(limit: Int?, seed: UInt64) throws -> FaultTally {
    var tally = FaultTally()
    var start: [String] = []
    while true {
      let arguments =
        ["faults", "--child", name, limit.map { "\($0)" } ?? "all", "\(seed)"] + start
      let (lines, isWhole) = try Self.lines(of: arguments)
      var last: [Substring] = []
      for line in lines {
        let words = line.split(separator: " ", maxSplits: 2)
        switch words.first {
        case "fault":
          last = Array(words.dropFirst())
          tally.faults += 1
        case "breach":
          let kind = words.count > 1 ? FaultRun.Breach.Kind(rawValue: String(words[1])) : nil
          tally.breaches[kind ?? .untyped, default: 0] += 1
          tell(last, line, seed)
        default: continue
        }
      }
      if isWhole { return tally }
      tally.breaches[.untyped, default: 0] += 1
      tell(last, "breach untyped the process ended", seed)
      guard last.count == 2, let number = Int(last[1]) else { return tally }
      start = [String(last[0]), "\(number + 1)"]
    }
  }

  private func tell(_ fault: [Substring], _ line: some StringProtocol, _ seed: UInt64) {
    let call = fault.joined(separator: " ")
    Reliability.say(
      "\(line)\n  again: reliability faults --child \(name) only \(call) (seed \(seed))"
    )
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
