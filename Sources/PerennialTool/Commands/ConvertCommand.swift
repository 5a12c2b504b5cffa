// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import Perennial
import PerennialStore

/// `perennial convert`: copies a store into a new one of another kind.
struct ConvertCommand {
  private let terminal: Terminal
  private let path: String
  private let destination: String
  private let modelPath: String?
  private let source: FileFormat?
  private let target: FileFormat?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    path = arguments.word(ToolArguments.input)
    destination = arguments.word(ToolArguments.output)
    modelPath = arguments[ToolArguments.modelFile]
    source = arguments[ToolArguments.from]
    target = try Self.target(arguments[ToolArguments.to], destination)
    if let source, ServerAddress.isAddress(path) {
      throw CommandFailure.usage(
        "'--from' is for files, and IN is on a server",
        "Leave '--from \(source.rawValue)' out."
      )
    }
    isJSON = arguments[CommonOptions.json]
  }

  /// What the new store's file becomes; nil for a store on a server.
  private static func target(
    _ given: FileFormat?,
    _ destination: String
  ) throws(CommandFailure) -> FileFormat? {
    if ServerAddress.isAddress(destination) {
      guard let given else { return nil }
      throw .usage(
        "'--to' is for files, and OUT is on a server",
        "Leave '--to \(given.rawValue)' out."
      )
    }
    if let format = given ?? FileFormat(extensionOf: destination) { return format }
    throw .usage(
      "the extension of '\(destination.escapedForTerminal)' does not say what it is to become",
      "Add '--to sqlite' or '--to json'."
    )
  }

  func run() throws {
    let store = try named()
    let target = try self.target.map(Target.file) ?? .server(ServerStore(destination))
    if case .file = target { try BackupCommand.checkIsFree(destination) }
    let model = try LoadedModel(of: store, in: modelPath).model
    if let file = store as? StoreFile {
      try StoreFile.checkKeys(of: file.open(model))
      let count = file.missingLargeValueCount(model)
      if count > 0 { throw CommandFailure.lacksLargeValues(count, file) }
    }
    try copy(store, to: target, model)
    try tell(store, target)
  }

  /// The store that is copied.
  private func named() throws -> any NamedStore {
    if ServerAddress.isAddress(path) { return try ServerStore(path) }
    let file = try StoreFile(path)
    if let source, source != file.format {
      throw CommandFailure(
        "'\(path.escapedForTerminal)' is a \(file.format.title) store, not a \(source.title) one",
        advice: "Leave '--from \(source.rawValue)' out."
      )
    }
    return file
  }

  /// What the copy becomes.
  private enum Target {
    case file(FileFormat)
    case server(ServerStore)
  }

  private func description(of target: Target) -> StoreDescription {
    let url = URL(filePath: destination)
    return switch target {
    case .file(.sqlite): .sqlite(url)
    case .file(.json): .json(url)
    case .server(let store): store.target
    }
  }

  private func copy(
    _ source: any NamedStore,
    to target: Target,
    _ model: ManagedObjectModel
  ) throws {
    let coordinator = try PersistentStoreCoordinator(model: model)
    let store = try coordinator.addPersistentStore(source.description)
    let description = description(of: target)
    let lock = URL(filePath: destination).path(percentEncoded: false) + ".lock"
    let hadLock = FileManager.default.fileExists(atPath: lock)
    var line = ProgressLine(terminal)
    defer { line.clear() }
    do {
      try coordinator.copyPersistentStore(store, to: description) {
        (stage) throws(PerennialError) in
        line.show(
          stage.isWriting
            ? "writing" : "\(stage.rowsRead.grouped) of \(stage.rowCount.grouped) rows read"
        )
        // What is on a server cannot be taken back.
        if case .server = target, stage.isWriting { try Self.finish(source) }
      }
    } catch {
      // What went wrong with the file is told as it was found out.
      if let failure = error.underlying as? CommandFailure { throw failure }
      throw error
    }
    guard case .file(let format) = target else { return }
    do {
      try source.finish()
    } catch {
      try? PersistentStoreCoordinator.destroyPersistentStore(at: description)
      throw error
    }
    if format == .json, !hadLock { try? FileManager.default.removeItem(atPath: lock) }
  }

  private static func finish(_ source: any NamedStore) throws(PerennialError) {
    do {
      try source.finish()
    } catch let error as PerennialError {
      throw error
    } catch {
      throw PerennialError(
        .persistentStoreOpen,
        "The store has changed while it was read.",
        recovery: "convert it again",
        underlying: error
      )
    }
  }

  private func tell(_ source: any NamedStore, _ target: Target) throws {
    let (kind, title, place) =
      switch target {
      case .file(let format): (format.rawValue, format.title, destination)
      case .server(let store): ("postgres", store.title, store.name)
      }
    if isJSON {
      let from = (source as? StoreFile)?.format.rawValue ?? "postgres"
      let json: JSONValue = ["from": .string(from), "to": .string(kind), "store": .string(place)]
      try terminal.output.writeLine(json.text)
    } else {
      try terminal.output.writeLine(
        "\(source.title) to \(title): \(place.escapedForTerminal)"
      )
    }
  }
}
