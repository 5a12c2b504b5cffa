// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
public import Foundation

/// Prints a list of commits, row by row.
///
/// Sections need the rows of one author in succession.
public struct ListPrinter {
  private let terminal: Terminal
  private let zone: TimeZone
  private let isByAuthor: Bool
  private let hasConditions: Bool
  private var array: JSONArrayWriter?
  private var section: String?
  private var count = 0

  /// Makes a printer for text or JSON.
  public init(_ terminal: Terminal, options: ListOptions, isJSON: Bool, zone: TimeZone = .current) {
    self.terminal = terminal
    self.zone = zone
    self.isByAuthor = options.isByAuthor
    self.hasConditions = options.hasConditions
    self.array = isJSON ? JSONArrayWriter(terminal.output) : nil
  }

  /// Prints a commit.
  ///
  /// - Throws: What `FileWriter` throws, and `Interruption.Cancelled` when the user interrupts.
  public mutating func print(_ row: CommitRow) throws {
    try Interruption.check()
    count += 1
    if array != nil {
      try array?.append(row.json)
      return
    }
    if isByAuthor { try printSection(of: row) }
    let line = row.line(
      style: terminal.style,
      width: terminal.width,
      zone: zone,
      showsAuthor: !isByAuthor
    )
    try terminal.output.writeLine(line)
  }

  /// Ends the list.
  ///
  /// - Parameter total: How many commits match, printed or not.
  /// - Throws: What `FileWriter` throws.
  public func finish(total: Int) throws {
    try array?.finish()
    try terminal.output.flush()
    guard array == nil else { return }
    if total == 0 {
      terminal.note(
        hasConditions
          ? "No commits match."
          : "There are no commits yet. Run 'commits import PATH' to import a checkout."
      )
    } else if total > count {
      terminal.note("\((total - count).grouped) more; '--limit N' shows more, '--limit 0' all.")
    }
  }

  private mutating func printSection(of row: CommitRow) throws {
    guard section != row.shownAuthor else { return }
    if section != nil { try terminal.output.writeLine("") }
    section = row.shownAuthor
    try terminal.output.writeLine(terminal.style(row.shownAuthor, .title))
  }
}
