// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialModel
import PerennialStore

/// `perennial hash`: prints the version hashes of a model, or those that a store was written with.
struct HashCommand {
  private let terminal: Terminal
  private let path: String
  private let version: String?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments, _ terminal: Terminal) throws {
    self.terminal = terminal
    path = arguments.word(ToolArguments.source)
    version = arguments[ToolArguments.version]
    isJSON = arguments[CommonOptions.json]
  }

  func run() throws {
    let hashes = try hashes().sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    if isJSON {
      let members = hashes.map { JSONValue.Member($0.key, .string($0.value.hexadecimal)) }
      try terminal.output.writeLine(JSONValue.object(members).text)
    } else {
      for (name, hash) in hashes {
        try terminal.output.writeLine("\(hash.hexadecimal)  \(name.escapedForTerminal)")
      }
    }
  }

  private func hashes() throws -> [String: Data] {
    guard case .store(let format) = try FileKind(of: path), version == nil else {
      return try LoadedModel(path: path, version: version).model.entityVersionHashesByName
    }
    let file = try StoreFile(path, format)
    let hashes = try file.metadata().modelVersionHashes
    try file.finish()
    return hashes
  }
}
