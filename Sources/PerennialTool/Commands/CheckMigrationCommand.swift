// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import PerennialModel
import PerennialModelFiles

/// `perennial check-migration`: says what becomes of a store of one model when it is migrated to another.
struct CheckMigrationCommand {
  private let terminal: Terminal
  private let paths: (old: String, new: String)
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    paths = (arguments.word(ToolArguments.old), arguments.word(ToolArguments.new))
    isJSON = arguments[CommonOptions.json]
  }

  func run() throws {
    let old = try LoadedModel(path: paths.old)
    let new = try LoadedModel(path: paths.new)
    for loaded in [old, new] { loaded.noteDiagnostics(terminal) }
    let plan = MigrationPlan(from: old.model, to: new.model)
    // With such a model no store can be opened.
    let isUsable = !new.document.diagnostics.contains(where: \.isError)
    if isJSON {
      try terminal.output.writeLine(Self.json(of: plan, isUsable).text)
    } else {
      for line in plan.description.linesEscapedForTerminal { try terminal.output.writeLine(line) }
    }
    if plan.risk == .destructive || !isUsable { throw ExitCode.failure }
  }

  private static func json(of plan: MigrationPlan, _ isUsable: Bool) -> JSONValue {
    [
      "risk": .string(plan.risk.words),
      "isUsable": .bool(isUsable),
      "isInferable": .bool(plan.isInferable),
      "isEmpty": .bool(plan.isEmpty),
      "changes": .array(
        plan.changes.map { change in
          [
            "kind": .string(change.kind.rawValue), "entity": .string(change.entity),
            "property": .optional(change.property), "risk": .string(change.risk.words),
            "isInferable": .bool(change.isInferable), "explanation": .string(change.explanation),
            "advice": .string(change.advice),
          ]
        }
      ),
    ]
  }
}
