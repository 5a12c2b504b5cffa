// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting

/// Lets machines lose their power while a program works on a store, and looks at what is left.
enum PowerTrial: Trial {
  static let name = "power"
  static let about =
    "the power goes after any operation; what was not synced is lost or garbled"
  static let usualCount =
    "--count counts the times that the power goes: 100,000, or 400 with --short."

  static func run(_ options: TrialOptions) throws -> Verdict {
    let count = options.count(usually: 100_000, short: 400)
    var random = SeededGenerator(seed: options.seed)
    let full = try losePower(
      of: [.sqlite, .json, .sqlite, .sqliteDelete, .sqlite, .sqliteTruncate],
      losses: count,
      &random
    )
    let normal = try losePower(
      of: [.sqliteNormal, .jsonNormal, .sqliteNormal, .sqliteDeleteNormal],
      losses: count / 5,
      &random
    )
    // A recorder that had become blind for one kind of store would show none of its damage.
    let off = try [StorePlace.Kind.sqlite, .json, .sqliteDelete].map { kind in
      let losses = max(20, count / 600)
      return (
        kind: kind,
        tally: try losePower(of: [kind], losses: losses, ignoringSyncs: true, &random)
      )
    }
    Reliability.say("power: \(full.phasesLine)")
    return Verdict(
      counts:
        "\(full.losses) losses, \(full.damage.lost) lost, \(full.damage.partial + full.damage.corrupt) corrupt; "
        + "normal: \(normal.losses) losses, \(normal.damage.lost) at the tail, \(normal.damage.partial) elsewhere, "
        + "\(normal.damage.corrupt) corrupt; "
        + "off (control): "
        + off.map { "\($0.tally.damage.count) of \($0.tally.losses) \($0.kind) damaged" }
        .joined(separator: ", "),
      isKept: full.damage.count == 0 && full.damage.missedPhases.isEmpty
        && normal.damage.partial + normal.damage.corrupt == 0
        && off.allSatisfy { $0.tally.damage.count > 0 }
    )
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
  private static func losePower(
    of kinds: [StorePlace.Kind],
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
