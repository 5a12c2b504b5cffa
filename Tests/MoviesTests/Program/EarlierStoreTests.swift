// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

/// Stores that the first version of the program wrote, which knew no popularity.
@Suite struct `Stores of an earlier version of movies` {
  let home: TestHome

  init() throws { home = try TestHome(key: nil) }

  private func copyStore(_ kind: String) throws {
    let name = "Fixtures/movies-version-1"
    let source = try #require(Bundle.module.url(forResource: name, withExtension: kind))
    try FileManager.default.copyItem(at: source, to: home.url("store"))
  }

  @Test(arguments: ["sqlite", "json"])
  func `nothing is lost, and no popularity is known yet`(_ kind: String) async throws {
    try copyStore(kind)
    let options = ["--store", kind, "--store-path", "store"]
    let result = try await home.program.run(["list", "--json"] + options)
    try #require(result.status == 0, "\(result.errors)")
    // What the generator of the fixture wrote: see Fixtures/INDEX.md.
    let movies = try result.decoded(as: [PrintedMovie].self)
    #expect(Set(movies.map(\.title)) == ["Alien", "Brazil", "Fish & Chips + é", "Nobody's"])
    #expect(movies.allSatisfy { $0.popularity == nil })
    let members = try await home.program.run(["family", "list"] + options)
    #expect(members.lines == ["Ana  2 movies", "Ben  2 movies", "Zoë  2 movies"])
    let added = try await home.program.run(["add", "Zoë", "Cube"] + options)
    #expect(added.status == 0)
    let again = try await home.program.run(["family", "list"] + options)
    #expect(again.lines.last == "Zoë  3 movies")
  }
}
