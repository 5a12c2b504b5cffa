// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialJSON
import PerennialModel
import PerennialSQLite
import PerennialStore

/// `perennial backup`: copies a store as it is at one moment.
struct BackupCommand {
  private let terminal: Terminal
  private let path: String
  private let destination: String
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    path = arguments.word(ToolArguments.store)
    destination = arguments.word(ToolArguments.destination)
    isJSON = arguments[CommonOptions.json]
  }

  func run() throws {
    let file = try StoreFile(path)
    let target = URL(filePath: destination)
    try Self.checkIsFree(destination)
    switch file.format {
    case .sqlite:
      noteMissingValues(of: file)
      try SQLiteFiles(busyTimeout: .seconds(30), leavesNoTrace: true).copy(
        from: file.url,
        to: target
      )
    case .json:
      if let reason = file.reasonNotToOpen() { throw reason }
      let lock = target.path(percentEncoded: false) + ".lock"
      let hadLock = FileManager.default.fileExists(atPath: lock)
      try JSONFiles(busyTimeout: .seconds(30)).replace(at: target, from: file.url)
      // Nobody has the copy open yet, and a new lock is made when somebody needs it.
      if !hadLock { try SystemFiles().remove(lock) }
    }
    do {
      try file.finish()
    } catch {
      // Somebody began to write while the file was read as one that nobody writes to: only SQLite's are.
      try? SQLiteFiles(busyTimeout: .seconds(5)).destroy(at: target)
      throw error
    }
    let count = try SystemFiles().status(of: destination)?.byteCount ?? 0
    if isJSON {
      let json: JSONValue = ["backup": .string(destination), "bytes": .integer(count)]
      try terminal.output.writeLine(json.text)
    } else {
      try terminal.output.writeLine("\(count.asByteCount) in \(destination.escapedForTerminal)")
    }
  }

  /// A copy of what is there is better than none.
  private func noteMissingValues(of file: StoreFile) {
    guard let model = (try? LoadedModel(of: file, in: nil))?.model else { return }
    let count = file.missingLargeValueCount(model)
    if count > 0 { terminal.note("note: \(CommandFailure.lacksLargeValues(count, file))") }
  }

  /// Makes sure that nothing is written over.
  static func checkIsFree(_ path: String) throws(CommandFailure) {
    guard !ServerAddress.isAddress(path) else {
      throw CommandFailure.usage(
        "'\(path.withoutPasswords.escapedForTerminal)' is not a file",
        "Name a file; 'perennial convert' copies to a server."
      )
    }
    let manager = FileManager.default
    let shown = path.escapedForTerminal
    // A link that leads nowhere is there, too.
    guard (try? manager.attributesOfItem(atPath: path)) == nil else {
      throw CommandFailure(
        "there is a file '\(shown)' already",
        advice: "Give another place, or remove the file first: nothing is written over."
      )
    }
    let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    guard manager.fileExists(atPath: folder) else {
      throw CommandFailure(
        "there is no folder '\(folder.escapedForTerminal)'",
        advice: "Make the folder first."
      )
    }
  }
}
