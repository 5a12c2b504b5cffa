// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

/// What came of using something that is damaged: each step ends well, or with an error of ours.
struct Attempts {
  /// Whether a step ended well.
  private(set) var isAnswered = false
  /// Whether the file is whole, so that SQLite must take every statement.
  var isOfWholeFile = false
  /// What must not be, in words.
  var problem: String?

  /// Takes a step, after which others are taken whatever came of it.
  mutating func attempt(_ step: () throws(PerennialError) -> Void) {
    do throws(PerennialError) {
      try step()
      isAnswered = true
    } catch {
      if error.message.isEmpty { problem = "an error without words: \(error.code)" }
      // `SQLITE_ERROR`: a statement of ours that it does not compile.
      if isOfWholeFile, error.code == .sqlite, error.recovery.hasSuffix("result code 1") {
        problem = error.message
      }
    }
  }

  /// Takes a step that gives something; `nil` when it was refused.
  mutating func value<Value>(_ step: () throws(PerennialError) -> Value) -> Value? {
    var value: Value?
    attempt { () throws(PerennialError) in value = try step() }
    return value
  }
}
