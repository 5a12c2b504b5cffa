// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModelFiles

/// Files of every kind that Perennial reads, each of which is damaged in its turn.
struct HostileFiles: HostileJudge {
  private var victims: [any Victim] = []
  /// How many of each kind were tried, and how many of these were used: what is always refused shows nothing.
  private var counts: [String: (tried: Int, used: Int)] = [:]

  init(_ scratch: Scratch) throws {
    let museum = try SQLiteVictim(museumIn: scratch)
    let json = try JSONVictim(in: scratch)
    let models = try ModelVictim(in: scratch)
    let foreign = try Fixtures.stores.compactMap { folder -> SQLiteVictim? in
      let file = folder.appending(path: "model.xcdatamodel")
      guard let model = try? ModelDocument(contentsOf: file).model else { return nil }
      return try SQLiteVictim(folder, model, in: scratch)
    }
    guard !foreign.isEmpty else { throw UsageError(message: "there are no stores of Core Data") }
    victims = Array(repeating: museum, count: 8) + foreign
    victims += Array(repeating: json, count: 4) as [any Victim]
    victims += Array(repeating: models, count: 5) as [any Victim]
  }

  mutating func judge(_ seed: UInt64) throws -> String? {
    var chance = Chance(seed: seed)
    let victim = chance.one(of: victims)
    let attempts = try victim.attack(&chance)
    var (tried, used) = counts[victim.kind] ?? (0, 0)
    tried += 1
    if attempts.isAnswered { used += 1 }
    counts[victim.kind] = (tried, used)
    // Of damaged models most are refused.
    if tried == 100, used == 0 { return "none of 100 attacks of \(victim.kind) comes to anything" }
    return attempts.problem
  }
}
