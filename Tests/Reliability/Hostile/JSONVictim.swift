// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A JSON store whose text is damaged, most often with a checksum that lets it pass.
struct JSONVictim: Victim {
  let kind = "JSON stores"
  private let scratch: Scratch
  private let files: [String: Data]
  private let text: [UInt8]

  private static let name = "store.json"

  init(in scratch: Scratch) throws {
    self.scratch = scratch
    try scratch.put([:])
    var store = StoreDescription.json(scratch.stores.appending(path: Self.name))
    store.historyTracking = true
    try Museum.fill(Museum.open(store))
    files = try scratch.files()
    text = Array(files[Self.name] ?? Data())
  }

  func attack(_ chance: inout Chance) throws -> Attempts {
    var bytes = text
    if chance.once(in: 5) {
      ByteDamage.damage(&bytes, &chance)
    } else {
      TextDamage.damage(&bytes, Self.words, &chance)
      forgetChecksum(&bytes)
    }
    var files = files
    files[Self.name] = Data(bytes)
    try scratch.put(files)
    var store = StoreDescription.json(scratch.stores.appending(path: Self.name))
    store.durability = .survivesProcessDeathOnly
    store.shouldMigrateStoreAutomatically = chance.once(in: 2)
    var use = StoreUse(secret: scratch.secret)
    let container = use.attempts.value { () throws(PerennialError) in try Museum.open(store) }
    if let container {
      use.use(container) { context throws(PerennialError) in try Museum.walk(context) }
    }
    if !scratch.isSecretUnchanged { use.attempts.problem = "a file beside the store was changed" }
    return use.attempts
  }

  /// As people do who edit the file by hand.
  private func forgetChecksum(_ bytes: inout [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let place = text.range(of: "\"checksum\":", options: .backwards) else { return }
    bytes = Array((text[..<place.upperBound] + "null\n}\n").utf8)
  }

  private static let words = [
    "null", "true", "false", "0", "-1", "1", "2", "9", "140737488355327", "140737488355328",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e308", "1e999", "-0",
    "0.1", "\"\"", "\"text\"", "\"\\uD83D\"", "\"\\u0000\"", "\"é\"", "[]", "{}", "[1,2]",
    "{\"a\":1}", "\"_key\":1,", "\"_version\":1,", "\"nan\"", "\"AAAA\"", "\"../../secret\"",
    "{\"file\":\"../../secret\"}", "{\"date\":1e300}", "{\"decimal\":\"1e400\"}",
    String(repeating: "[", count: 5_000), String(repeating: "{\"a\":", count: 5_000),
    String(repeating: "9", count: 5_000), "\"" + String(repeating: "a", count: 100_000) + "\"",
  ].map { Array($0.utf8) }
}
