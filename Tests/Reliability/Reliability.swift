// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation

/// The program behind `make crash`, `make power` and the like: it does bad things to stores, and says
/// whether they have kept what the article Reliability promises.
@main enum Reliability {
  /// The trials, in the order in which the help lists them.
  static var trials: [any Trial.Type] {
    [
      CrashTrial.self, PowerTrial.self, FaultTrial.self, RacesTrial.self, HostileTrial.self,
      SoakTrial.self,
    ]
  }

  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      say("error: \(error)")
      exit(2)
    }
  }

  private static func run(_ arguments: [String]) throws {
    if arguments.dropFirst().first == "--child", let trial = trial(named: arguments[0]) {
      return try trial.child(Array(arguments.dropFirst(2)))
    }
    let parsed = ReliabilityTool.tool.argumentsOrExit(arguments)
    guard let trial = trial(named: parsed.command) else { return }
    let options = TrialOptions(parsed)
    say("\(trial.name): seed \(options.seed)")
    let verdict = try trial.run(options)
    say("\(trial.name): \(verdict.counts)")
    if !verdict.isKept { exit(1) }
  }

  private static func trial(named name: String) -> (any Trial.Type)? {
    trials.first { $0.name == name }
  }

  /// Says a line at once, for whoever waits at the other end of a pipe.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
