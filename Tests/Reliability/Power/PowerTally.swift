// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What losses of power did.
struct PowerTally {
  private(set) var losses = 0
  private(set) var damage = DamageTally()
  /// How many hit a recovery from another one.
  private(set) var second = 0

  mutating func note(_ outcome: StoreJudge.Outcome, _ phase: CrashPhase, isSecond: Bool) {
    losses += 1
    damage.note(phase)
    damage.note(outcome)
    if isSecond { second += 1 }
  }

  /// Where the losses hit.
  var phasesLine: String {
    "lost power \(damage.phasesList); \(second) while recovering from another loss"
  }
}
