// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// How the history of a store is written: one transaction a line.
enum HistoryText {
  static let section = "history"
  private static let keepsOldValues = "keepsOldValues"
  private static let first = "first"
  private static let lastChange = "lastChange"
  private static let transactions = "transactions"
  private static let date = "date"
  private static let author = "author"
  private static let context = "context"
  private static let process = "process"
  private static let bundle = "bundle"
  private static let firstChange = "firstChange"
  private static let changes = "changes"
  /// Numbers beyond are damage: so many changes nobody makes.
  private static let numbers: ClosedRange<Int64> = 0...(1 << 62)

  // MARK: Writing

  static func write(
    _ history: InMemoryHistory,
    to output: inout JSONOutput
  ) throws(FileFailure) {
    output.write("\"history\":{\n\"keepsOldValues\":")
    if history.keepsOldValues { output.write("true") } else { output.write("false") }
    output.write(",\n\"first\":")
    output.write(history.extent.first)
    output.write(",\n\"lastChange\":")
    output.write(history.lastChange)
    output.write(",\n\"transactions\":[\n")
    for (index, entry) in history.entries.enumerated() {
      output.write(index == 0 ? " " : ",")
      write(entry, to: &output)
      try output.flushIfLarge()
    }
    output.write("]\n},\n")
  }

  private static func write(_ entry: InMemoryHistory.Entry, to output: inout JSONOutput) {
    let transaction = entry.transaction
    output.write("{\"date\":")
    output.write(date: transaction.timestamp.timeIntervalSinceReferenceDate)
    write(author, transaction.author, to: &output)
    write(context, transaction.contextName, to: &output)
    write(process, transaction.processID, to: &output)
    write(bundle, transaction.bundleID, to: &output)
    output.write(",\"firstChange\":")
    output.write(entry.firstChange)
    output.write(",\"changes\":")
    output.write(Array((entry.text ?? HistoryRecord.emptyText).utf8))
    output.write("}\n")
  }

  private static func write(_ name: String, _ text: String?, to output: inout JSONOutput) {
    guard let text else { return }
    output.write(",")
    output.write(quoted: name)
    output.write(":")
    output.write(quoted: text)
  }

  // MARK: Reading

  /// Reads the history, after its name.
  ///
  /// - Parameters:
  ///   - scanner: Where the text is.
  ///   - store: The store's identifier.
  ///   - isSealed: Whether a store has written the text, which is then not looked into.
  /// - Returns: The history.
  /// - Throws: What is wrong with the text, and where.
  static func read(
    _ scanner: inout JSONScanner,
    store: UUID,
    isSealed: Bool
  ) throws(JSONFault) -> InMemoryHistory {
    try scanner.expect(UInt8(ascii: "{"))
    try scanner.expect(name: keepsOldValues)
    let keepsOldValues = try scanner.boolean()
    try scanner.expect(UInt8(ascii: ","))
    try scanner.expect(name: first)
    let position = scanner.position
    let first = try scanner.integer()
    try scanner.expect(UInt8(ascii: ","))
    try scanner.expect(name: lastChange)
    let lastChange = try scanner.integer()
    guard first > 0, numbers.contains(first), numbers.contains(lastChange) else {
      throw JSONFault("the history has a number that no history can have", at: position)
    }
    var history = InMemoryHistory(
      after: first - 1,
      lastChange: lastChange,
      keepsOldValues: keepsOldValues,
      keepsTexts: true
    )
    try scanner.expect(UInt8(ascii: ","))
    try scanner.expect(name: transactions)
    try scanner.expect(UInt8(ascii: "["))
    if !scanner.skip(UInt8(ascii: "]")) {
      repeat {
        try readTransaction(&scanner, store, isSealed, into: &history)
      } while scanner.skip(UInt8(ascii: ","))
      try scanner.expect(UInt8(ascii: "]"))
    }
    try scanner.expect(UInt8(ascii: "}"))
    return history
  }

  private static func readTransaction(
    _ scanner: inout JSONScanner,
    _ store: UUID,
    _ isSealed: Bool,
    into history: inout InMemoryHistory
  ) throws(JSONFault) {
    try scanner.expect(UInt8(ascii: "{"))
    try scanner.expect(name: date)
    let seconds = try scanner.date()
    try scanner.expect(UInt8(ascii: ","))
    let author = try text(author, &scanner)
    let context = try text(context, &scanner)
    let process = try text(process, &scanner)
    let bundle = try text(bundle, &scanner)
    try scanner.expect(name: firstChange)
    let firstChange = try scanner.integer()
    guard numbers.contains(firstChange) else {
      throw JSONFault("a transaction has a number that no change can have", at: scanner.position)
    }
    try scanner.expect(UInt8(ascii: ","))
    try scanner.expect(name: changes)
    let position = scanner.position
    let changes = try scanner.wholeObject()
    guard isSealed || HistoryRecord(text: changes) != nil else {
      throw JSONFault("the changes of a transaction are not what a store writes", at: position)
    }
    try scanner.expect(UInt8(ascii: "}"))
    history.append(
      PersistentHistoryTransaction(
        transactionNumber: history.extent.last + 1,
        timestamp: Date(timeIntervalSinceReferenceDate: seconds),
        author: author,
        contextName: context,
        processID: process,
        bundleID: bundle,
        storeID: store
      ),
      text: changes,
      firstChange: firstChange
    )
  }

  /// A member that may be left out, and the comma behind it.
  private static func text(
    _ name: String,
    _ scanner: inout JSONScanner
  ) throws(JSONFault) -> String? {
    guard scanner.skip(name: Array(name.utf8)) else { return nil }
    let text = try scanner.string()
    try scanner.expect(UInt8(ascii: ","))
    return text
  }
}
