// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation

/// Something bad that is done to stores again and again.
protocol Trial {
  /// The first argument of the program, and the name of the `make` target.
  static var name: String { get }
  /// What is done, in one line.
  static var about: String { get }
  /// What `--count` counts, and how much of it is usual.
  static var usualCount: String { get }

  /// Does it, and counts what was lost.
  static func run(_ options: TrialOptions) throws -> Verdict

  /// The part of a trial that runs in a process of its own, which may end at any instruction.
  static func child(_ arguments: [String]) throws
}

extension Trial {
  static func child(_ arguments: [String]) throws {
    throw UsageError(message: "\(name) has no child process")
  }
}

/// How a trial ended.
struct Verdict {
  /// The counts, as "10000 kills, 0 lost, 0 partial, 0 corrupt".
  var counts: String
  /// Whether every promise was kept.
  var isKept: Bool
}

/// What a trial is told on the command line.
struct TrialOptions {
  var isShort: Bool
  var seed: UInt64
  var count: Int?

  init(_ arguments: ParsedArguments) {
    isShort = arguments[ReliabilityTool.short]
    seed = arguments[ReliabilityTool.seed] ?? .random(in: 0...UInt64(UInt32.max))
    count = arguments[ReliabilityTool.count]
  }

  /// How often to do what a trial does: as the user says, else as long or short runs usually do.
  func count(usually: Int, short: Int) -> Int { count ?? (isShort ? short : usually) }
}

/// A command line that says nothing that we could do.
struct UsageError: Error, CustomStringConvertible {
  var message: String
  var description: String { message }
}
