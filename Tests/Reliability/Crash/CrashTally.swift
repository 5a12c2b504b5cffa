// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What the kills of a trial hit, and what they did.
struct CrashTally {
  private(set) var kills = 0
  private(set) var lost = 0
  private(set) var partial = 0
  private(set) var corrupt = 0
  /// How many kills hit each phase.
  private var phases: [CrashPhase: Int] = [:]
  /// How many hit a store whose log was due to be moved into the file.
  private var longLogs = 0
  /// How many left what had begun done.
  private var completed = 0

  mutating func note(_ phase: CrashPhase, hasLongLog: Bool, isCompleted: Bool) {
    kills += 1
    phases[phase, default: 0] += 1
    if hasLongLog { longLogs += 1 }
    if isCompleted { completed += 1 }
  }

  mutating func note(_ outcome: StoreJudge.Outcome) {
    switch outcome {
    case .kept: break
    case .lost: lost += 1
    case .partial: partial += 1
    case .corrupt: corrupt += 1
    }
  }

  /// Where the kills hit.
  var phasesLine: String {
    let list = CrashPhase.allCases.map { "\(phases[$0, default: 0]) \($0.rawValue)" }
    return "killed \(list.joined(separator: ", ")); "
      + "\(longLogs) while a checkpoint was due; \(completed) unacknowledged, but done"
  }

  var verdict: Verdict {
    Verdict(
      counts: "\(kills) kills, \(lost) lost, \(partial) partial, \(corrupt) corrupt",
      isKept: lost + partial + corrupt == 0
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
