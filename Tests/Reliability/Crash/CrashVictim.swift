// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting

/// A store whose programs are killed again and again.
struct CrashVictim {
  private let place: StorePlace
  private let judge: StoreJudge
  private let seed: UInt64
  private var ledger: ShopLedger
  /// How many drafts there may be; `nil` for those that programs have left which were killed.
  private var draftLimit: Int?

  init(_ place: StorePlace, _ models: ShopModels, seed: UInt64) {
    self.place = place
    self.seed = seed
    judge = StoreJudge(models: models)
    ledger = ShopLedger(Self.script(seed: seed, place.kind))
  }

  /// What the programs do with the store.
  static func script(seed: UInt64, _ kind: StorePlace.Kind) -> ShopScript {
    ShopScript(seed: seed, rounds: kind.isSQLite ? .init(count: 30, lightCount: 20) : nil)
  }

  /// Kills so many programs.
  ///
  /// - Parameters:
  ///   - kills: How many.
  ///   - random: Decides when.
  ///   - clock: How long programs took before with stores of the kind.
  ///   - tally: Counts what was hit.
  /// - Returns: Whether nothing was lost; else the store is as it was found.
  /// - Throws: What keeps the trial from going on.
  mutating func run(
    kills: Int,
    _ random: inout SeededGenerator,
    _ clock: inout PhaseClock,
    _ tally: inout CrashTally
  ) throws -> Bool {
    for life in 0..<kills {
      try kill(life: life, &random, &clock)
      let phase = CrashPhase(ledger)
      let hasLongLog = place.logByteCount > Self.longLogByteCount
      let finding = judge.judge(place, ledger)
      let isCompleted = finding.shop != nil && finding.shop == ledger.pending
      tally.note(phase, hasLongLog: hasLongLog, isCompleted: isCompleted)
      tally.note(finding.outcome)
      guard finding.outcome == .kept else {
        Reliability.say(
          "crash: \(place.kind), seed \(seed), life \(life), \(phase): \(finding.outcome)"
        )
        return false
      }
      try checkDrafts()
      if let shop = finding.shop { ledger.goOn(with: shop) }
    }
    return true
  }

  /// SQLite's 1,000 pages.
  private static let longLogByteCount = 1_000 * 4_096

  /// Starts a program, and kills it some time after it has begun with something.
  private mutating func kill(
    life: Int,
    _ random: inout SeededGenerator,
    _ clock: inout PhaseClock
  ) throws {
    let target = CrashTarget(&random, isFirst: ledger.acknowledged == nil)
    let program = try KilledProgram([
      CrashTrial.name, "--child", place.folder.path, place.kind.rawValue, "\(seed)", "\(life)",
    ])
    var rest = target.occurrence
    draftLimit = nil
    clock.begin()
    while let event = try program.next() {
      clock.note(CrashPhase(ledger), isOver: ledger.current != nil)
      note(event)
      let phase = CrashPhase(ledger)
      if phase == target.phase { rest -= 1 }
      if rest > 0, program.eventCount < CrashTarget.patience { continue }
      clock.wait(clock.usual(phase) * target.moment)
      break
    }
    for event in try program.kill() { note(event) }
  }

  private mutating func note(_ event: ShopEvent) {
    let before = CrashPhase(ledger)
    ledger.note(event)
    let after = CrashPhase(ledger)
    switch (before, after) {
    case (.migrating, .between), (.replacing, .between): draftLimit = 0
    case (.between, .migrating), (.between, .replacing): draftLimit = draftLimit.map { $0 + 1 }
    default: break
    }
  }

  /// What has been migrated or replaced has removed what others left; what was killed since leaves one draft.
  private func checkDrafts() throws {
    guard let draftLimit else { return }
    let drafts = try place.drafts()
    guard drafts.count > draftLimit else { return }
    throw TrialFailure("\(drafts.count) drafts are left: \(drafts)")
  }
}

/// When a program is to be killed.
private struct CrashTarget {
  let phase: CrashPhase
  /// The how-manieth time that it does this.
  let occurrence: Int
  /// How long after it has begun with it, in terms of how long it usually takes.
  let moment: Double

  /// After so many events a program is killed whatever it does.
  static let patience = 60

  init(_ random: inout SeededGenerator, isFirst: Bool) {
    switch Int.random(in: 0..<20, using: &random) {
    case 0...9 where isFirst: phase = .creating
    case 0...4: phase = .migrating
    case 5...7: phase = .opening
    case 8...9: phase = [.tidying, .copying, .replacing].randomElement(using: &random) ?? .tidying
    case 10...12: phase = .closing
    case 13: phase = .between
    default: phase = .saving
    }
    let most = phase == .saving ? 8 : 2
    occurrence = Int.random(in: 1...most, using: &random)
    moment = Double.random(in: 0...1.2, using: &random)
  }
}

extension StorePlace {
  fileprivate var logByteCount: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + "-wal")
    return attributes?[.size] as? Int ?? 0
  }
}
