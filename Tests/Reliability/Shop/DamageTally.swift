// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a trial has done to stores, and what programs were doing then.
struct DamageTally {
  /// Acknowledged saves were not there, and all after them neither.
  private(set) var lost = 0
  /// The store was as it never had been.
  private(set) var partial = 0
  private(set) var corrupt = 0
  private var phases: [CrashPhase: Int] = [:]

  /// How many stores were not as they should be.
  var count: Int { lost + partial + corrupt }

  mutating func note(_ phase: CrashPhase) { phases[phase, default: 0] += 1 }

  mutating func note(_ outcome: StoreJudge.Outcome) {
    switch outcome {
    case .kept: break
    case .lost: lost += 1
    case .partial: partial += 1
    case .corrupt: corrupt += 1
    }
  }

  /// The phases that a long trial has hardly hit, so that it says nothing of them.
  var missedPhases: [CrashPhase] {
    let count = phases.values.reduce(0, +)
    guard count >= 10_000 else { return [] }
    return CrashPhase.allCases.filter { phases[$0, default: 0] < count / 5_000 }
  }

  /// How often each phase was hit.
  var phasesList: String {
    let missed = missedPhases
    return CrashPhase.allCases.map { phase in
      let complaint = missed.contains(phase) ? " (too few)" : ""
      return "\(phases[phase, default: 0]) \(phase.rawValue)\(complaint)"
    }.joined(separator: ", ")
  }
}
