// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation
import Perennial
import RowTesting

/// What a process of its own does: several series of faults.
struct FaultJob {
  /// Faults of one mode, by number.
  struct Series {
    /// How many there are when nothing fails.
    let count: Int
    /// Lets one happen, and says what came of it; `nil` when there are not that many.
    let strike: (Int) throws -> String?
  }

  let name: String
  /// How many faults of each mode there are in the short form.
  var shortCount = 2
  /// How a series of each mode is made.
  let modes: [(name: String, make: () throws -> Series)]

  static var all: [FaultJob] {
    FaultScenario.all.flatMap { scenario in
      scenario.forms.map { FaultJob(scenario, $0) }
    } + [JSONCrashes.job, JSONDamage.job]
  }

  init(
    _ name: String,
    shortCount: Int,
    _ modes: [(name: String, make: () throws -> Series)]
  ) {
    self.name = name
    self.shortCount = shortCount
    self.modes = modes
  }

  private init(_ scenario: FaultScenario, _ form: FaultPlace.Form) {
    name = "\(scenario.name)/\(form.rawValue)"
    let hasMemory = scenario.memoryForms.contains(form)
    modes = FaultMode.all.filter { hasMemory || !$0.isMemory }.map { mode in
      (mode.name, { try Self.series(scenario, form, mode) })
    }
  }

  private static func series(
    _ scenario: FaultScenario,
    _ form: FaultPlace.Form,
    _ mode: FaultMode
  ) throws -> Series {
    let folder = try TemporaryFolder(inMemory: true)
    let run = try FaultRun(scenario, form, mode, in: folder.url)
    var count = 0
    if case .none(let report) = try run.strike(Int(Int32.max)) { count = Int(report.count) }
    return Series(count: count) { number in
      let outcome = try run.strike(number)
      // The folder goes with the series.
      return withExtendedLifetime(folder) { words(of: outcome) }
    }
  }

  private static func words(of outcome: FaultRun.Outcome) -> String? {
    switch outcome {
    case .none: nil
    case .harmless(let report): "\(word(report)): no error"
    case .error(let error, let report): "\(word(report)): \(error.code.rawValue) \(error.message)"
    }
  }

  private static func word(_ report: failing_report) -> String {
    String(cString: failing_name(report.kind))
  }

  /// Runs the series, and says what happens, a line each: `series MODE COUNT` at the beginning of one, `fault MODE
  /// NUMBER` before, `breach KIND …` after, and how often there was which `answer` at the end.
  func run(_ plan: FaultPlan) throws {
    var isStarted = plan.start == nil
    var answers: [String: Int] = [:]
    for mode in modes {
      let isFirst = plan.start?.mode == mode.name
      if isFirst { isStarted = true } else if plan.isOne { continue }
      guard isStarted else { continue }
      let series = try mode.make()
      Reliability.say("series \(mode.name) \(series.count)")
      for number in plan.numbers(series.count, from: isFirst ? plan.start?.number ?? 1 : 1) {
        Reliability.say("fault \(mode.name) \(number)")
        failing_expect_life(120)
        do {
          guard let answer = try series.strike(number) else { break }
          answers[answer, default: 0] += 1
        } catch {
          let breach = error as? FaultRun.Breach
          let message = breach?.message ?? "\(error)"
          Reliability.say("breach \(breach?.kind ?? .untyped) \(Self.line(message))")
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
}
