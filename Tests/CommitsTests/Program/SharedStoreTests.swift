// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import DemoHistory
import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// A kind of store that several processes have open, beside files of SQLite.
enum SharedStore: CaseIterable {
  case json
  case postgres

  /// Those that this run is about.
  static let tested: [SharedStore] = ServerSchema.isWanted ? [.postgres] : [.json]

  /// The arguments that name a new store.
  func arguments() throws -> [String] {
    switch self {
    case .json: ["--store", "json", "--store-path", "store.json"]
    case .postgres:
      ["--store", "postgres", "--store-path", try ServerSchema.empty().absoluteString]
    }
  }
}

@Suite("One store of several processes", .timeLimit(.minutes(30)))
struct SharedStoreTests {
  @Test(arguments: SharedStore.tested)
  func `another process's import and deletion appear by themselves`(
    _ kind: SharedStore
  ) async throws {
    let list = try LiveList(store: kind.arguments())
    let terminal = try list.watch()
    _ = try await terminal.screen { $0.frames > 0 }
    try list.add("first", by: "Ben", minute: 0)
    try await list.run("import", "repository")
    _ = try await list.frame(terminal, ["Ben", "+ 2016-01-27 04:46  first"])
    try list.add("second", by: "Ann", minute: 1)
    try await list.run("import", "repository")
    _ = try await list.frame(
      terminal,
      ["Ann", "+ 2016-01-27 04:47  second", "Ben", "  2016-01-27 04:46  first"]
    )
    let sha = try list.repository.run(["rev-parse", "HEAD"]).trimmed
    try await list.run("delete", sha)
    _ = try await list.frame(terminal, ["Ben", "  2016-01-27 04:46  first"])
    terminal.type("q")
    #expect(await terminal.status() == 0)
  }

  @Test(arguments: SharedStore.tested)
  func `processes that make the store and import the same at the same time add every commit once`(
    _ kind: SharedStore
  ) async throws {
    let list = try LiveList(store: kind.arguments())
    try list.repository.add(DemoHistory(count: 60))
    let runs = try (0..<3).map { _ in
      try list.program.start(["import", "repository"] + list.store)
    }
    for run in runs {
      let result = try await run.result()
      #expect(result.status == 0, "\(result.errors)")
    }
    let all = try await list.program.run(["list", "--json"] + list.store)
    let shas = try all.decoded(as: [ListedCommit].self).map(\.sha)
    #expect(shas.count == 60)
    #expect(Set(shas).count == 60)
  }
}
