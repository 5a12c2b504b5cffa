// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What a function of ours throws while SQLite calls it: SQLite keeps a text of it, and this gets the error back.
enum FunctionFailure {
  private static let mark = "Perennial "

  /// The text that SQLite is given.
  static func text(of error: PerennialError) -> String {
    "\(mark)\(error.code.rawValue)\n\(error.message)\n\(error.recovery)"
  }

  /// The error of a text; `nil` for SQLite's own.
  static func error(of text: String) -> PerennialError? {
    let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, lines[0].hasPrefix(mark), let code = Int(lines[0].dropFirst(mark.count))
    else { return nil }
    return PerennialError(
      PerennialError.Code(rawValue: code),
      String(lines[1]),
      recovery: String(lines[2])
    )
  }
}
