// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import ProgramTesting
import Testing

/// A folder with the program `commits`, and a server that shows a repository as GitHub does.
struct GitHubHome {
  let server: LoopbackServer
  let served = ServedRepository()
  let repository: TestRepository
  let program: Program

  init() throws {
    repository = try TestRepository()
    program = Program.commits(in: repository)
    server = try served.start()
  }

  func importing(_ arguments: String...) async throws -> Program.Result {
    try await program.run(self.arguments + arguments)
  }

  var arguments: [String] {
    [
      "import", "--github", "demo/history", "--base-url", server.url.absoluteString, "--json",
      "--store-path", "store",
    ]
  }

  func counts(_ arguments: String...) async throws -> [Int] {
    let result = try await program.run(self.arguments + arguments)
    try #require(result.status == 0, "\(result.errors)")
    return try result.decoded(as: PrintedSummary.self).counts
  }

  func listed() async throws -> [ListedCommit] {
    try await program.run("list", "--json", "--store-path", "store").decoded()
  }

  /// The pages that were asked for so far.
  func pages() -> [String] {
    server.requests.map { $0[query: "page"] ?? "1" }
  }

  /// A file of the folder `Fixtures`.
  static func fixture(_ name: String) throws -> Data {
    let url = Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: "json")
    return try Data(contentsOf: #require(url))
  }

  /// Whether the store's file is there.
  var hasStore: Bool {
    FileManager.default.fileExists(atPath: repository.root.path + "/store")
  }
}
