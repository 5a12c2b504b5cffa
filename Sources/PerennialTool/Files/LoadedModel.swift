// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialJSON
import PerennialModel
import PerennialModelFiles
import PerennialSQLite
import PerennialStore

/// A model with where it comes from.
struct LoadedModel {
  let document: ModelDocument
  /// The names of all versions in the file; none for a store.
  private(set) var versionNames: [String] = []

  var model: ManagedObjectModel { document.model }

  /// The version's name, or that of the store that holds it.
  var name: String { document.name }

  /// Reads a model file, or the model that a store holds.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - version: The name of the version, nil for the current one.
  /// - Throws: ``CommandFailure`` or `PerennialError`: what is wrong with the file.
  init(path: String, version: String? = nil) throws {
    switch try FileKind(of: path) {
    case .store(let format):
      if let version {
        throw CommandFailure.usage(
          "'--version' is for model files, and '\(path.escapedForTerminal)' is a store",
          "Leave '--version \(version.escapedForTerminal)' out."
        )
      }
      self = try Self.stored(in: path, format)
    case .model, .compiledModel:
      let file = try ModelFile(contentsOf: URL(filePath: path))
      let document =
        try version.map { try file.version(named: $0) } ?? file.current()
      self.init(document, file)
    }
  }

  private init(_ document: ModelDocument, _ file: ModelFile? = nil) {
    self.document = document
    versionNames = file?.versionNames ?? []
  }

  /// Tells what was left out of the model, and what of it no store can have.
  func noteDiagnostics(_ terminal: Terminal) { note(document.diagnostics, terminal) }

  func note(_ diagnostics: [ModelDiagnostic], _ terminal: Terminal) {
    for diagnostic in diagnostics {
      let text = "\(name): \(diagnostic.line > 0 ? "\(diagnostic)" : diagnostic.message)"
      terminal.note("\(diagnostic.isError ? "error" : "note"): \(text.escapedForTerminal)")
    }
  }

  // MARK: The model of a store

  /// Finds the model of a store: in a file, whose version that fits the store is taken, or in the store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - path: The model's file, nil for none.
  /// - Throws: ``CommandFailure`` when there is none.
  init(of store: any NamedStore, in path: String?) throws {
    guard let path else {
      self = try Self.stored(store)
      return
    }
    if case .store = try FileKind(of: path) {
      self = try LoadedModel(path: path)
      return
    }
    let file = try ModelFile(contentsOf: URL(filePath: path))
    if file.versionNames.count > 1 {
      let hashes = try store.storedHashes()
      // A version that cannot be read may be an old one that nobody needs.
      let fitting = file.versionNames.compactMap { try? file.version(named: $0) }
        .filter { $0.model.entityVersionHashesByName == hashes }
      // Hashes do not tell all that matters: of several versions the store's own model tells which it is.
      let own = fitting.count > 1 ? (try? store.storedModel())?.model.layout : nil
      if let document = fitting.first(where: { own?.isSameVersion(as: $0.model.layout) ?? true })
        ?? fitting.first
      {
        self.init(document, file)
        return
      }
    }
    self.init(try file.current(), file)
  }

  private static func stored(in path: String, _ format: FileFormat) throws -> LoadedModel {
    let store = try StoreFile(path, format)
    return try stored(store, advice: "Name the model's file instead of the store's.")
  }

  private static func stored(
    _ store: any NamedStore,
    advice: String = "Give the model's file with '--model FILE'."
  ) throws -> LoadedModel {
    // A file that is no store at all is refused as such.
    _ = try store.storedHashes()
    guard let document = try store.storedModel() else {
      throw CommandFailure(
        "'\(store.name.escapedForTerminal)' does not hold its model",
        advice: advice
      )
    }
    try store.finish()
    return LoadedModel(document)
  }
}
