// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The pragmas that a user may set: checked, so that no text of a user's becomes SQL.
///
/// Invariant: `settings` holds known names, and values that `canonical` has made.
struct StorePragmas: Sendable {
  /// What a value must be.
  private enum Values {
    case integer(ClosedRange<Int64>)
    case word([String])
  }

  private static let switches = ["OFF", "ON", "0", "1"]
  private static let known: [String: Values] = [
    "cache_size": .integer(-4_194_304...1_048_576),
    "checkpoint_fullfsync": .word(switches),
    "fullfsync": .word(switches),
    "journal_mode": .word(["WAL", "DELETE", "TRUNCATE"]),
    "journal_size_limit": .integer(-1...Int64(Int32.max)),
    "secure_delete": .word(switches + ["FAST"]),
    "temp_store": .word(["DEFAULT", "FILE", "MEMORY", "0", "1", "2"]),
  ]

  private var settings: [(name: String, value: String)] = []

  /// Checks the pragmas of a store's description.
  ///
  /// - Throws: `persistentStoreOpen`: which pragma cannot be set, or not so.
  init(_ pragmas: [String: String], store: String) throws(PerennialError) {
    for (name, value) in pragmas.sorted(by: { $0.key < $1.key }) {
      let key = name.lowercased()
      guard let values = Self.known[key] else { throw Self.refusal(of: key, name, store) }
      guard let value = Self.canonical(value, values) else {
        throw .cannotOpen(
          "The pragma '\(name)' of the store '\(store)' cannot have that value.",
          "give it \(Self.outline(of: values))"
        )
      }
      settings.append((key, value))
    }
  }

  /// The journal mode: SQLite's write-ahead log unless another one was chosen.
  var journalMode: String { settings.first { $0.name == "journal_mode" }?.value ?? "WAL" }

  /// The statements that set the others on a connection.
  var sql: String {
    settings.filter { $0.name != "journal_mode" }.map { "PRAGMA \($0.name) = \($0.value)" }
      .joined(separator: "; ")
  }

  private static func canonical(_ value: String, _ values: Values) -> String? {
    switch values {
    case .integer(let range):
      guard let number = Int64(value), range.contains(number) else { return nil }
      return "\(number)"
    case .word(let words): return words.first { $0 == value.uppercased() }
    }
  }

  private static func outline(of values: Values) -> String {
    switch values {
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .word(let words): words.joined(separator: ", ")
    }
  }

  private static func refusal(of key: String, _ name: String, _ store: String) -> PerennialError {
    .cannotOpen(
      "The pragma '\(name)' of the store '\(store)' cannot be set.",
      key == "synchronous"
        ? "set 'durability' of the store's description"
        : "leave it out; there are \(known.keys.sorted().joined(separator: ", "))"
    )
  }
}
