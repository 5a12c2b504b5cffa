// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import ConsoleStore
import Foundation
import Perennial

/// Runs one command and prints its result.
struct CommandRunner: Sendable {
  private let invocation: Invocation
  private let terminal: Terminal

  init(_ invocation: Invocation, _ terminal: Terminal) {
    self.invocation = invocation
    self.terminal = terminal
  }

  func run() async throws {
    let terminal = terminal
    let zone = TimeZone.current
    switch invocation.action {
    case .importHistory(let path):
      let summary = try await Importer(path: path, terminal: terminal)
        .importHistory(into: open(for: .create))
      try print(json: summary.json, lines: [summary.line])
    case .importGitHub(let options):
      let summary = try await GitHubImporter(options, terminal: terminal)
        .importHistory(into: invocation.store)
      try print(json: summary.json, lines: [summary.line])
    case .list(let options):
      let listing = Listing(options: options, terminal: terminal, isJSON: invocation.isJSON)
      // A wrong request is reported before the import that the list may ask for.
      _ = try listing.checkedRequest()
      try await listing.run(in: container(for: options))
    case .watch(let options):
      let listing = Listing(options: options, terminal: terminal, isJSON: invocation.isJSON)
      try await Watcher(listing, store: invocation.store).run()
    case .sql(let options):
      try await explain(options)
    case .show(let prefix):
      let detail = try await open().performBackgroundTask { context in
        try CommitFinder(context: context).detail(prefix)
      }
      try print(json: detail.json, lines: detail.lines(style: terminal.style, zone: zone))
    case .delete(let prefix):
      let row = try await open(for: .change).performBackgroundTask { context in
        try CommitFinder(context: context).delete(prefix)
      }
      let line = row.line(style: terminal.style, width: nil, zone: zone)
      try print(json: ["deleted": .string(row.sha)], lines: ["Deleted \(line)"])
    case .stats:
      let statistics = try await open().performBackgroundTask { try Statistics($0) }
      try print(json: statistics.json, lines: statistics.lines(style: terminal.style, zone: zone))
    }
  }

  private func explain(_ options: ListOptions) async throws {
    let listing = Listing(options: options, terminal: terminal, isJSON: invocation.isJSON)
    _ = try listing.request()
    let explanation = try await container(for: options).performBackgroundTask { context in
      var explanation: QueryExplanation?
      try listing.explainingFormat {
        explanation = try QueryExplanation(listing.request(), in: context)
      }
      return explanation
    }
    guard let explanation else { return }
    guard invocation.isJSON || !explanation.sql.isEmpty else {
      return terminal.note("A store in memory runs no SQL.")
    }
    try print(json: explanation.json, lines: explanation.lines(style: terminal.style))
  }

  /// The container of a list, after the import that it asks for.
  private func container(for options: ListOptions) async throws -> PersistentContainer {
    guard let path = options.importPath else { return try open() }
    let importer = try Importer(path: path, terminal: terminal)
    let container = try open(for: .create)
    let summary = try await importer.importHistory(into: container)
    terminal.note(summary.line)
    return container
  }

  private func open(for access: StoreAccess = .read) throws -> PersistentContainer {
    if access != .create { invocation.store.noteIfMissing(terminal) }
    return try CommitStore.open(invocation.store, for: access)
  }

  private func print(json: JSONValue, lines: [String]) throws {
    if invocation.isJSON {
      try terminal.output.writeLine(json.text)
    } else {
      for line in lines { try terminal.output.writeLine(line) }
    }
  }
}
