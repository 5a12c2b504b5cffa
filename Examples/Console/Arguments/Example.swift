// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A command line that a help page shows, and what it is for.
public struct Example: Sendable, Hashable {
  /// The command line without the program's name.
  public let arguments: String
  /// What it is for, in one phrase; empty when that is plain to see.
  public let note: String

  /// The whole line.
  func line(of program: String) -> String {
    arguments.isEmpty ? program : "\(program) \(arguments)"
  }

  static func list(_ pairs: KeyValuePairs<String, String>) -> [Example] {
    pairs.map { Example(arguments: $0.key, note: $0.value) }
  }
}
