// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// The next keys that no process has taken, in the file of the store's lock.
///
/// Two processes that insert take different keys though neither has saved yet. A ledger that is lost is
/// no loss: then there is no process that has taken keys, and the store has the next ones. The text is
/// the store's identifier on a line, then a root entity and its next key on each.
struct KeyLedger {
  private var nextKeys: [String: Int64] = [:]

  /// Reads a ledger; one of another store, or one that cannot be read, is empty.
  init(_ text: [UInt8], store: UUID) {
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    guard lines.first == Substring(store.uuidString), lines.last == Self.end else { return }
    for line in lines.dropFirst().dropLast() {
      let words = line.split(separator: " ")
      guard words.count == 2, let key = Int64(words[1]), JSONFormat.possibleNextKeys.contains(key)
      else {
        continue
      }
      nextKeys[String(words[0])] = key
    }
  }

  /// What the last line says: without it the text is not whole.
  private static let end: Substring = "end"

  /// The next key of a root entity; 1 when nobody has taken any.
  subscript(entity: String) -> Int64 {
    get { nextKeys[entity] ?? 1 }
    set { nextKeys[entity] = newValue }
  }

  /// The ledger as text.
  func text(store: UUID) -> [UInt8] {
    let lines = nextKeys.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let all = [store.uuidString] + lines + [String(Self.end)]
    return Array((all.joined(separator: "\n") + "\n").utf8)
  }
}
