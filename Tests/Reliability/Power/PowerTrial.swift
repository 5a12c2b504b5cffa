// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting

/// Lets machines lose their power while a program works on a store, and looks at what is left.
enum PowerTrial: Trial {
  static let name = "power"
  static let about = "the power goes at every operation; what was not synced is lost or garbled"

  static func run(_ options: TrialOptions) throws -> Verdict {
    let count = options.count(usually: 100_000, short: 400)
    var random = SeededGenerator(seed: options.seed)
    let full = try PowerTally.run(
      [.sqlite, .json, .sqlite, .sqliteDelete, .sqlite, .sqliteTruncate],
      losses: count,
      &random
    )
    let normal = try PowerTally.run(
      [.sqliteNormal, .jsonNormal, .sqliteNormal, .sqliteDeleteNormal],
      losses: count / 5,
      &random
    )
    let off = try PowerTally.run(
      [.sqlite, .json, .sqliteDelete],
      losses: max(20, count / 200),
      ignoringSyncs: true,
      &random
    )
    Reliability.say("power: \(full.phasesLine)")
    return Verdict(
      counts: "\(full.losses) losses, \(full.lost) lost, \(full.partial + full.corrupt) corrupt; "
        + "normal: \(normal.losses) losses, \(normal.lost) at the tail, \(normal.partial) elsewhere, "
        + "\(normal.corrupt) corrupt; "
        + "off (control): \(off.losses) losses, \(off.damaged) damaged",
      isKept: full.damaged == 0 && normal.partial + normal.corrupt == 0 && off.damaged > 0
    )
  }
}
