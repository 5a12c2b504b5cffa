// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialModel
import PerennialModelFiles
import PerennialStore

/// `perennial diff`: compares the rows of two stores.
struct DiffCommand {
  private let terminal: Terminal
  private let paths: (first: String, second: String)
  private let modelPath: String?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    paths = (arguments.word(ToolArguments.first), arguments.word(ToolArguments.second))
    modelPath = arguments[ToolArguments.modelFile]
    isJSON = arguments[CommonOptions.json]
  }

  func run() throws {
    let files = (first: try StoreFile(paths.first), second: try StoreFile(paths.second))
    let first = try files.first.open(model(of: files.first, or: files.second))
    let second = try files.second.open(model(of: files.second, or: files.first))
    var counts = (onlyInFirst: 0, onlyInSecond: 0, changed: 0)
    var writer = JSONArrayWriter(terminal.output)
    let equalCount = try StoreComparison(first, second).run { difference in
      switch difference.kind {
      case .onlyInFirst: counts.onlyInFirst += 1
      case .onlyInSecond: counts.onlyInSecond += 1
      case .changed: counts.changed += 1
      }
      if isJSON {
        try writer.append(difference.json)
      } else {
        for line in difference.lines { try terminal.output.writeLine(line) }
      }
    }
    try files.first.finish()
    try files.second.finish()
    if isJSON { try writer.finish() }
    let isEqual = counts == (0, 0, 0)
    if !isJSON {
      try terminal.output.writeLine(
        isEqual
          ? "The stores are equal: \(equalCount.counted("row"))."
          : "\(counts.onlyInFirst.grouped) only in A, \(counts.onlyInSecond.grouped) only in B, "
            + "\(counts.changed.grouped) changed, \(equalCount.grouped) equal"
      )
    }
    try StoreFile.checkKeys(of: first, second)
    if !isEqual { throw ExitCode.failure }
  }
}

extension DiffCommand {
  /// The model of a store; when it does not hold it, that of the other one, if both were written with it.
  private func model(of file: StoreFile, or other: StoreFile) throws -> ManagedObjectModel {
    if modelPath == nil, try file.storedModel() == nil, let document = try other.storedModel(),
      try file.metadata().modelVersionHashes == document.model.entityVersionHashesByName
    {
      return document.model
    }
    return try LoadedModel(of: file, in: modelPath).model
  }
}

extension StoreComparison.Difference {
  /// The difference for people: a sign and the row, and a line for each property that differs.
  fileprivate var lines: [String] {
    let name = row.id.description.escapedForTerminal
    switch kind {
    case .onlyInFirst: return ["- \(name)"]
    case .onlyInSecond: return ["+ \(name)"]
    case .changed(let changes):
      return ["~ \(name)"]
        + changes.map { change in
          let (first, second) = (Self.text(change.first), Self.text(change.second))
          return "    \(change.name.escapedForTerminal): \(first) -> \(second)"
        }
    }
  }

  private static let greatestWidth = 60

  private static func text(_ value: StoredValue?) -> String {
    switch value {
    case nil: "no such property"
    case .value(.null): "no value"
    case .value(.string(let text)):
      "'\(text.escapedForTerminal.truncated(toWidth: greatestWidth))'"
    case .objects(let ids) where ids.isEmpty: "no objects"
    case .some(let value): value.line.truncated(toWidth: greatestWidth)
    }
  }

  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("entity", .string(row.id.entityName)), .init("key", .integer(Int(row.id.key))),
    ]
    switch kind {
    case .onlyInFirst:
      members += [.init("difference", .string("onlyInA")), .init("row", row.json)]
    case .onlyInSecond:
      members += [.init("difference", .string("onlyInB")), .init("row", row.json)]
    case .changed(let changes):
      let values = changes.map { change in
        JSONValue.Member(
          change.name,
          ["a": change.first?.json ?? .null, "b": change.second?.json ?? .null]
        )
      }
      members += [.init("difference", .string("changed")), .init("values", .object(values))]
    }
    return .object(members)
  }
}
