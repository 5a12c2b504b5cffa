// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A table of a help page, beside those of commands and options.
public struct HelpSection: Sendable {
  /// What a table is about; the manual page has a section of its own for each.
  public enum Topic: Sendable, Hashable {
    /// The environment variables that the program reads.
    case environment
    /// The files that it reads and writes.
    case files
    /// The exit codes and what they mean.
    case exitCodes
    /// Something else, with its title.
    case other(String)
  }

  /// What the table is about.
  public let topic: Topic
  /// The rows: a term, and what is to be known about it.
  public let rows: [Row]

  /// A row of the table.
  public struct Row: Sendable, Hashable {
    /// What the row is about, such as the name of a variable.
    public let term: String
    /// What is to be known about it.
    public let help: String
  }

  /// Makes a table.
  public init(_ topic: Topic, _ rows: KeyValuePairs<String, String>) {
    self.init(topic, rows.map { ($0.key, $0.value) })
  }

  /// Makes a table of rows that are computed.
  public init(_ topic: Topic, _ rows: [(term: String, help: String)]) {
    self.topic = topic
    self.rows = rows.map { Row(term: $0.term, help: $0.help) }
  }

  /// The table of the exit codes.
  public static func exitCodes(_ meanings: KeyValuePairs<ExitCode, String>) -> HelpSection {
    HelpSection(.exitCodes, meanings.map { (String($0.key.rawValue), $0.value) })
  }

  /// The title above the table.
  var title: String {
    switch topic {
    case .environment: "Environment variables"
    case .files: "Files"
    case .exitCodes: "Exit codes"
    case .other(let title): title
    }
  }
}
