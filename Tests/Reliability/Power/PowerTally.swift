// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting

/// What losses of power did.
struct PowerTally {
  private(set) var losses = 0
  /// Acknowledged saves were not there, and all after them neither.
  private(set) var lost = 0
  /// The store was as it never had been.
  private(set) var partial = 0
  private(set) var corrupt = 0
  private var phases: [CrashPhase: Int] = [:]
  /// How many hit a recovery from another one.
  private(set) var second = 0

  var damaged: Int { lost + partial + corrupt }

  mutating func note(_ outcome: StoreJudge.Outcome, _ phase: CrashPhase, isSecond: Bool) {
    losses += 1
    phases[phase, default: 0] += 1
    if isSecond { second += 1 }
    switch outcome {
    case .kept: break
    case .lost: lost += 1
    case .partial: partial += 1
    case .corrupt: corrupt += 1
    }
  }

  /// Where the losses hit.
  var phasesLine: String {
    let list = CrashPhase.allCases.map { "\(phases[$0, default: 0]) \($0.rawValue)" }
    return
      "lost power \(list.joined(separator: ", ")); \(second) while recovering from another loss"
  }

  /// How many losses there are of one program's work.
  private static let lossesOfWork = 250

  /// Lets programs work, and lose their power again and again.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of their stores, in turn.
  ///   - count: How many losses there are.
  ///   - ignoringSyncs: Whether the disk brings nothing anywhere: damage is expected.
  ///   - random: What decides.
  /// - Returns: What became of the stores.
  /// - Throws: What keeps the trial from going on.
  static func run(
    _ kinds: [StorePlace.Kind],
    losses count: Int,
    ignoringSyncs: Bool = false,
    _ random: inout SeededGenerator
  ) throws -> PowerTally {
    var tally = PowerTally()
    let models = try ShopModels()
    let lossesOfWork = min(lossesOfWork, max(1, count / (2 * kinds.count)))
    var number = 0
    while tally.losses < count {
      let seed = random.next() % 1_000_000_000
      let kind = kinds[number % kinds.count]
      // Now and then so much is written that the log is moved into the file while saves go on.
      let isHeavy = kind.isSQLite && number % 12 == 4
      let work = try PowerWork(kind, models, seed: seed, isHeavy: isHeavy)
      try work.losePower(
        min(lossesOfWork, count - tally.losses),
        ignoringSyncs: ignoringSyncs,
        &tally
      )
      number += 1
    }
    return tally
  }
}
