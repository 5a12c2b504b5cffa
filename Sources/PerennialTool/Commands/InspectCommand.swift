// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import Perennial
import PerennialJSON
import PerennialModel
import PerennialSQLite
import PerennialStore

/// `perennial inspect`: shows what is in a store.
struct InspectCommand {
  private let terminal: Terminal
  private let path: String
  private let modelPath: String?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    path = arguments.word(ToolArguments.store)
    modelPath = arguments[ToolArguments.modelFile]
    isJSON = arguments[CommonOptions.json]
  }

  func run() throws {
    let file = try StoreFile(path)
    // The model is read first, so that a wrong one is reported before anything is printed.
    let model = try modelPath.map { try LoadedModel(of: file, in: $0) }
    let sheet: InspectionSheet
    let problems: [String]
    var missingCount = 0
    var failure: PerennialError?
    switch file.format {
    case .sqlite:
      // Of a store that does not hold its model, nor has it beside it, large values cannot be told.
      let own = try? LoadedModel(of: file, in: nil)
      let found = try SQLiteInspector.inspect(file.url, model: own?.model ?? model?.model)
      problems = found.problems
      missingCount = found.missingLargeValueCount ?? 0
      sheet = .sqlite(found, file, model)
    case .json:
      let found = try JSONInspection(file.url)
      failure = file.reasonNotToOpen(model?.model)
      problems = failure.map { [$0.message] } ?? []
      sheet = .json(found, problems, file, model)
    }
    try file.finish()
    if isJSON {
      try terminal.output.writeLine(sheet.json.text)
    } else {
      for line in sheet.lines(terminal.style) { try terminal.output.writeLine(line) }
    }
    if let failure { throw failure }
    if let problem = problems.first, problem.hasPrefix(SQLiteInspection.unchecked) {
      throw CommandFailure(
        "the store '\(file.name.escapedForTerminal)' \(problem.escapedForTerminal)",
        advice: "Look at it with the program that made what is named."
      )
    }
    if !problems.isEmpty {
      throw CommandFailure(
        "the store '\(file.name.escapedForTerminal)' is damaged",
        advice: "Restore it from a copy, or recover its rows with 'sqlite3 FILE .recover'."
      )
    }
    if missingCount > 0 { throw CommandFailure.lacksLargeValues(missingCount, file) }
  }
}
