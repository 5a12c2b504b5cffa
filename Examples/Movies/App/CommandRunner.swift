// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ConsoleStore
import Foundation
import MoviesKit
import Perennial

/// Runs one command and prints its result.
struct CommandRunner: Sendable {
  let invocation: Invocation
  let terminal: Terminal

  init(_ invocation: Invocation, _ terminal: Terminal) {
    self.invocation = invocation
    self.terminal = terminal
  }

  func run() async throws {
    switch invocation.action {
    case .addMember(let name):
      let container = try open(for: .create)
      try await container.performBackgroundTask { context in
        try Family(context: context).addMember(named: name)
      }
      try print(json: ["added": .string(name)], lines: ["Added \(name.escapedForTerminal)"])
    case .listFamily:
      try await listFamily()
    case .addMovie(let title, let member):
      try await addMovie(titled: title, for: member)
    case .list(let options):
      let listing = Listing(options: options, terminal: terminal, isJSON: invocation.isJSON)
      // A wrong request is reported before the import that the list may ask for.
      _ = try listing.request()
      try await listing.run(in: container(for: options))
    case .watch(let options):
      let listing = Listing(options: options, terminal: terminal, isJSON: invocation.isJSON)
      try await Watcher(listing, store: invocation.store).run()
    case .rate(let all):
      try await rate(all: all)
    case .export(let path):
      let file = try await open().performBackgroundTask { try Family(context: $0).file() }
      if path == MovieFile.standardStream {
        try terminal.output.write(file.text)
        // What is told below is true then.
        try terminal.output.flush()
      } else {
        try file.write(to: path)
      }
      terminal.note("\(file.movies.count.counted("movie")) exported")
    case .importFile(let path):
      let summary = try await importFile(path).summary
      try print(json: summary.json, lines: [summary.line])
    }
  }

  private func listFamily() async throws {
    let rows = try await open().performBackgroundTask { context in
      try context.fetch(Family.byName).map { MemberRow(name: $0.name, movies: $0.movies.count) }
    }
    guard !invocation.isJSON else {
      var array = JSONArrayWriter(terminal.output)
      for row in rows { try array.append(row.json) }
      return try array.finish()
    }
    for row in rows { try terminal.output.writeLine(row.line(style: terminal.style)) }
    if rows.isEmpty { terminal.note("There is nobody yet. Run 'movies family add NAME'.") }
  }

  private func rate(all: Bool) async throws {
    guard let lookup = MovieLookup(invocation.lookup) else { throw MovieLookup.noKey }
    let rater = Rater(lookup: lookup, container: try open(for: .change))
    let targets = try await rater.targets(all: all)
    var progress = ProgressLine(terminal)
    defer { progress.clear() }
    let summary = try await rater.rate(targets) { progress.show($0.progress) }
    progress.clear()
    try print(json: summary.json, lines: [summary.line])
    if let failure = summary.failure { throw failure }
  }

  /// The container of a list, after the import that it asks for.
  private func container(for options: ListOptions) async throws -> PersistentContainer {
    guard let path = options.importPath else { return try open() }
    let (container, summary) = try await importFile(path)
    terminal.note(summary.line)
    return container
  }

  /// Reads the file before a store is made.
  private func importFile(
    _ path: String
  ) async throws -> (container: PersistentContainer, summary: FileSummary) {
    let file = try MovieFile(path: path)
    let container = try open(for: .create)
    let summary = try await container.performBackgroundTask { context in
      try Family(context: context).add(file)
    }
    try await container.forgetOldHistory()
    return (container, summary)
  }

  func open(for access: StoreAccess = .read) throws -> PersistentContainer {
    if access != .create { invocation.store.noteIfMissing(terminal) }
    return try MovieStore.open(invocation.store, for: access)
  }

  func print(json: JSONValue, lines: [String]) throws {
    if invocation.isJSON {
      try terminal.output.writeLine(json.text)
    } else {
      for line in lines { try terminal.output.writeLine(line) }
    }
  }
}
