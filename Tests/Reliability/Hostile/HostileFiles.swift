// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModelFiles

/// Files of every kind that Perennial reads, each of which is damaged in its turn.
struct HostileFiles: HostileJudge {
  private var victims: [any Victim] = []

  init(_ scratch: Scratch) throws {
    let museum = try SQLiteVictim(museumIn: scratch)
    let json = try JSONVictim(in: scratch)
    let models = try ModelVictim(in: scratch)
    let foreign = try Fixtures.stores.compactMap { folder -> SQLiteVictim? in
      let file = folder.appending(path: "model.xcdatamodel")
      guard let model = try? ModelDocument(contentsOf: file).model else { return nil }
      return try SQLiteVictim(folder, model, in: scratch)
    }
    victims = Array(repeating: museum, count: 8) + foreign
    victims += Array(repeating: json, count: 4) as [any Victim]
    victims += Array(repeating: models, count: 5) as [any Victim]
  }

  func judge(_ seed: UInt64) throws -> String? {
    var chance = Chance(seed: seed)
    return try chance.one(of: victims).attack(&chance)
  }
}
