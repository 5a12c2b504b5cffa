// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialSQLite
import PerennialStore

/// `perennial vacuum`: writes a SQLite store anew.
struct VacuumCommand {
  private let terminal: Terminal
  private let path: String
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    path = arguments.word(ToolArguments.store)
    isJSON = arguments[CommonOptions.json]
  }

  func run() throws {
    let hasRoom = try FileKind.store(at: path) == .sqlite
    let before = try byteCount()
    if hasRoom {
      try SQLiteFiles(busyTimeout: .seconds(5)).vacuum(at: URL(filePath: path))
    } else {
      _ = try StoreFile(path, .json).metadata()
      terminal.note("Every save writes a JSON store anew: there is nothing to do.")
    }
    let after = try byteCount()
    if isJSON {
      let json: JSONValue = ["before": .integer(before), "after": .integer(after)]
      try terminal.output.writeLine(json.text)
    } else if hasRoom {
      try terminal.output.writeLine("\(before.asByteCount) before, \(after.asByteCount) after")
    }
  }

  private func byteCount() throws -> Int {
    let status = try SystemFiles().status(of: path)
    return status?.byteCount ?? 0
  }
}
