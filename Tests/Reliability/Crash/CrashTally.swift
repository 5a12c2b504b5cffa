// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What the kills of a trial hit, and what they did.
struct CrashTally {
  private(set) var kills = 0
  private var damage = DamageTally()
  /// How many hit a store whose log was due to be moved into the file.
  private var longLogs = 0
  /// How many left what had begun done.
  private var completed = 0

  mutating func note(_ phase: CrashPhase, hasLongLog: Bool, isCompleted: Bool) {
    kills += 1
    damage.note(phase)
    if hasLongLog { longLogs += 1 }
    if isCompleted { completed += 1 }
  }

  mutating func note(_ outcome: StoreJudge.Outcome) { damage.note(outcome) }

  /// Where the kills hit.
  var phasesLine: String {
    "killed \(damage.phasesList); "
      + "\(longLogs) while a checkpoint was due; \(completed) unacknowledged, but done"
  }

  var verdict: Verdict {
    Verdict(
      counts: "\(kills) kills, \(damage.lost) lost, \(damage.partial) partial, "
        + "\(damage.corrupt) corrupt",
      isKept: damage.count == 0 && damage.missedPhases.isEmpty
    )
  }
}

/// What a program was doing when it was killed.
enum CrashPhase: String, CaseIterable {
  case creating, opening, migrating, saving, tidying, copying, replacing, closing, between

  init(_ ledger: ShopLedger) {
    switch ledger.current {
    case .opening(let version):
      let known = ledger.acknowledged?.version
      self = known == nil ? .creating : known == version ? .opening : .migrating
    case .saving: self = .saving
    case .tidying: self = .tidying
    case .copying: self = .copying
    case .replacing: self = .replacing
    case .closing: self = .closing
    default: self = .between
    }
  }
}
