// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import Perennial

/// `perennial convert`: copies a store into a new one of another kind.
struct ConvertCommand {
  private let terminal: Terminal
  private let path: String
  private let destination: String
  private let modelPath: String?
  private let source: FileFormat?
  private let target: FileFormat
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    path = arguments.word(ToolArguments.input)
    destination = arguments.word(ToolArguments.output)
    modelPath = arguments[ToolArguments.modelFile]
    source = arguments[ToolArguments.from]
    guard let format = arguments[ToolArguments.to] ?? FileFormat(extensionOf: destination) else {
      throw CommandFailure.usage(
        "the extension of '\(destination.escapedForTerminal)' does not say what it is to become",
        "Add '--to sqlite' or '--to json'."
      )
    }
    target = format
    isJSON = arguments[CommonOptions.json]
  }

  func run() throws {
    let file = try StoreFile(path)
    if let source, source != file.format {
      throw CommandFailure(
        "'\(path.escapedForTerminal)' is a \(file.format.title) store, not a \(source.title) one",
        advice: "Leave '--from \(source.rawValue)' out."
      )
    }
    try BackupCommand.checkIsFree(destination)
    let model = try LoadedModel(of: file, in: modelPath).model
    try StoreFile.checkKeys(of: file.open(model))
    let url = URL(filePath: destination)
    let coordinator = try PersistentStoreCoordinator(model: model)
    let store = try coordinator.addPersistentStore(file.description)
    let description: StoreDescription = target == .sqlite ? .sqlite(url) : .json(url)
    try coordinator.copyPersistentStore(store, to: description)
    do {
      try file.finish()
    } catch {
      try? PersistentStoreCoordinator.destroyPersistentStore(at: description)
      throw error
    }
    if target == .json {
      try? FileManager.default.removeItem(atPath: url.path(percentEncoded: false) + ".lock")
    }
    let title = "\(file.format.title) to \(target.title)"
    if isJSON {
      let json: JSONValue = [
        "from": .string(file.format.rawValue), "to": .string(target.rawValue),
        "store": .string(destination),
      ]
      try terminal.output.writeLine(json.text)
    } else {
      try terminal.output.writeLine("\(title): \(destination.escapedForTerminal)")
    }
  }
}
