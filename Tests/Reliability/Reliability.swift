// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

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
    guard let name = arguments.first, let trial = trials.first(where: { $0.name == name }) else {
      say(help)
      exit(arguments == ["--help"] ? 0 : 2)
    }
    let rest = Array(arguments.dropFirst())
    if rest.first == "--child" { return try trial.child(Array(rest.dropFirst())) }
    let options = try TrialOptions(rest)
    say("\(name): seed \(options.seed)")
    let verdict = try trial.run(options)
    say("\(name): \(verdict.counts)")
    if !verdict.isKept { exit(1) }
  }

  private static var help: String {
    let rows = trials.map {
      "  \($0.name.padding(toLength: 10, withPad: " ", startingAt: 0))\($0.about)"
    }
    return """
      usage: reliability TRIAL [--short] [--seed N] [--count N]

      \(rows.joined(separator: "\n"))

      --short     takes less than a minute
      --seed N    does what another run with this seed did
      --count N   does so much instead of what is usual
      """
  }

  /// Says a line at once, for whoever waits at the other end of a pipe.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
