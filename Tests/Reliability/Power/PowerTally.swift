// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

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
}
