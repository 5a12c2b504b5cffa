// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

@Suite struct `The family in the built program` {
  let home: TestHome

  init() throws {
    home = try TestHome(key: nil)
  }

  @Test func `members are added and listed by name`() async throws {
    let added = try await home.run("family", "add", "Zoë")
    #expect(added.text == "Added Zoë\n")
    #expect(added.errors.isEmpty)
    try await home.run("family", "add", "ann")
    try await home.run("family", "add", "Ben")
    try await home.run("add", "Ben", "Alpha")
    #expect(
      try await home.run("family", "list").lines == [
        "ann  0 movies", "Ben  1 movie", "Zoë  0 movies",
      ]
    )
    let json = try await home.run("family", "list", "--json")
    #expect(json.text.hasPrefix("[\n{\"name\": \"ann\", \"movies\": 0},\n"))
  }

  @Test func `a name is there once`() async throws {
    try await home.run("family", "add", "José")
    // The same name in the other form that Unicode holds to be equal, with spaces around it.
    let again = try await home.program.run("family", "add", " Jose\u{301} ")
    #expect(again.status == 1)
    #expect(again.text.isEmpty)
    #expect(
      again.errorLines == [
        "movies: error: 'José' is in the family already",
        "Give another name, or see 'movies family list'.",
      ]
    )
  }

  @Test func `a movie is saved without a key, and that is said once`() async throws {
    try await home.run("family", "add", "Ann")
    let added = try await home.run("add", "Ann", "The Lantern Keeper")
    #expect(added.text == "       …  The Lantern Keeper  (Ann)\n")
    #expect(
      added.errorLines == [
        "TMDB_API_KEY is not set, so popularities cannot be looked up.",
        "Get a key at themoviedb.org, and put it into that environment variable.",
      ]
    )
    #expect(try await home.movies() == [PrintedMovie("The Lantern Keeper", nil, "Ann")])
    let rated = try await home.program.run("rate", "--all")
    #expect(rated.status == 1)
    #expect(rated.text.isEmpty)
  }

  @Test func `a movie that two like is one movie`() async throws {
    for name in ["Ben", "Ann"] { try await home.run("family", "add", name) }
    try await home.run("add", "Ben", "Alpha")
    try await home.run("add", "Ann", "Alpha")
    let again = try await home.run("add", "Ann", "Alpha")
    #expect(again.errorLines.first == "It was a favourite before.")
    #expect(try await home.movies() == [PrintedMovie("Alpha", nil, "Ann", "Ben")])
  }

  @Test(arguments: [
    ("Bne", "Did you mean 'Ben'?"), ("ben", "Did you mean 'Ben'?"),
    ("Xaver", "Add the member first: movies family add 'Xaver'"),
  ])
  func `an unknown member is explained`(name: String, advice: String) async throws {
    try await home.run("family", "add", "Ben")
    let result = try await home.program.run("add", name, "Alpha")
    #expect(result.status == 1)
    #expect(result.errorLines == ["movies: error: there is no '\(name)' in the family", advice])
    #expect(try await home.movies().isEmpty)
  }

  @Test func `lists have sections, conditions and JSON`() async throws {
    try home.write(
      """
      {"family": ["Ann", "Ben", "Zoë"], "movies": [
        {"title": "beta", "popularity": 12.25, "familyMembers": ["Ann", "Ben"]},
        {"title": "Alpha", "popularity": 3, "familyMembers": ["Ben"]},
        {"title": "Ça ira", "familyMembers": []}
      ]}
      """,
      to: "in.json"
    )
    let imported = try await home.run("import", "in.json")
    #expect(imported.text == "3 movies (3 new), 3 members (3 new)\n")
    #expect(
      try await home.run("list").lines == [
        "     3.0  Alpha  (Ben)", "    12.3  beta  (Ann, Ben)", "       …  Ça ira",
      ]
    )
    #expect(
      try await home.run("list", "--by-member").text == """
        Ann
            12.3  beta

        Ben
             3.0  Alpha
            12.3  beta

        (nobody)
               …  Ça ira

        """
    )
    let beta = PrintedMovie("beta", 12.25, "Ann", "Ben")
    #expect(try await home.movies("--where", "popularity > 10") == [beta])
    #expect(try await home.movies("--where", "ANY familyMembers.name == 'Ann'") == [beta])
    #expect(
      try await home.movies("--where", "title CONTAINS[cd] 'CA'") == [PrintedMovie("Ça ira")]
    )
    let nothing = try await home.run("list", "--where", "title == ''")
    #expect(nothing.text.isEmpty)
    #expect(nothing.errors == "No movies match.\n")
  }

  @Test(arguments: [
    (
      "titel == 'x'",
      ["'Movie' has no property 'titel'", "Did you mean 'title'?"]
    ),
    ("popularity > 'x'", []), ("title ==", []),
  ])
  func `a wrong condition is explained`(format: String, lines: [String]) async throws {
    try await home.run("family", "add", "Ann")
    let result = try await home.program.run("list", "--where", format)
    #expect(result.status == 64)
    #expect(result.text.isEmpty)
    #expect(result.errorLines.first?.hasPrefix("movies: error: '--where': ") == true)
    guard !lines.isEmpty else { return }
    #expect(result.errorLines == ["movies: error: '--where': \(lines[0])", lines[1]])
  }
}
