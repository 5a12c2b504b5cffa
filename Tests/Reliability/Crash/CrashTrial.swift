// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting

/// Kills programs that work on a store, and looks at what they leave.
enum CrashTrial: Trial {
  static let name = "crash"
  static let about = "programs are killed while they open, migrate, save and close a store"
  static let usualCount = "--count counts the kills: 10,000, or 200 with --short."

  /// What the stores of a run are, in turn: kill -9 takes nothing from those that do not wait for the disk either.
  private static let kinds: [StorePlace.Kind] = [
    .sqlite, .sqliteNormal, .json, .sqlite, .sqliteDelete,
  ]

  static func run(_ options: TrialOptions) throws -> Verdict {
    let count = options.count(usually: 10_000, short: 200)
    // A store sees many crashes, but only the first ones can hit its making; each kind gets its turn.
    let killsOfStore = min(25, max(1, count / (2 * kinds.count)))
    var clocks: [StorePlace.Kind: PhaseClock] = [:]
    var tally = CrashTally()
    var random = SeededGenerator(seed: options.seed)
    let models = try ShopModels()
    var number = 0
    while tally.kills < count {
      let seed = random.next() % 1_000_000_000
      let kind = kinds[number % kinds.count]
      let place = try StorePlace(kind: kind, folder: MemoryFolder.make(for: name))
      var victim = CrashVictim(place, models, seed: seed)
      let isWhole = try victim.run(
        kills: min(killsOfStore, count - tally.kills),
        &random,
        &clocks[kind, default: PhaseClock()],
        &tally
      )
      if isWhole {
        try FileManager.default.removeItem(at: place.folder)
      } else {
        Reliability.say("crash: the store is left at \(place.folder.path)")
      }
      number += 1
    }
    Reliability.say("crash: \(tally.phasesLine)")
    return tally.verdict
  }

  /// `FOLDER KIND SEED LIFE`: works on a store until it is killed.
  static func child(_ arguments: [String]) throws {
    guard arguments.count == 4, let kind = StorePlace.Kind(rawValue: arguments[1]),
      let seed = UInt64(arguments[2]), let life = UInt64(arguments[3])
    else { throw UsageError(message: "--child FOLDER KIND SEED LIFE") }
    let place = StorePlace(kind: kind, folder: URL(filePath: arguments[0]))
    let script = CrashVictim.script(seed: seed, kind)
    let writer = ShopWriter(place, try ShopModels(), script) { Reliability.say($0.line) }
    var random = SeededGenerator(seed: seed &+ life &* 0x2545_F491)
    var version = ShopVersion.allCases.randomElement(using: &random) ?? .old
    while true {
      try writer.open(version)
      if Int.random(in: 0..<4, using: &random) == 0 { try writer.tidy() }
      for _ in 0..<Int.random(in: 0...8, using: &random) { try writer.save() }
      let isCopied = Int.random(in: 0..<3, using: &random) == 0
      if isCopied { try writer.backUp() }
      if isCopied { try writer.save() }
      writer.close()
      if isCopied { try writer.replace() }
      if Bool.random(using: &random) { version = version.other }
    }
  }
}
