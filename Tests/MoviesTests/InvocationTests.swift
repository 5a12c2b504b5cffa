// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import MoviesKit
import Testing

@Suite struct `The command line of movies` {
  static let environment = ["HOME": "/home/ann", "XDG_DATA_HOME": "/data"]

  /// What a command line asks for.
  func invocation(
    _ arguments: [String],
    environment: [String: String] = Self.environment
  ) throws -> Invocation {
    guard case .run(let parsed) = try MoviesTool.tool.parse(arguments) else {
      throw CommandFailure("help was asked for")
    }
    return try Invocation(parsed, environment: environment)
  }

  @Test func `every command is understood`() throws {
    var options = ListOptions()
    options.isByMember = true
    options.format = "popularity > 1"
    options.importPath = "in.json"
    var watched = ListOptions()
    watched.format = "popularity > 1"
    let actions: [([String], Invocation.Action)] = [
      (["family", "add", " Ann "], .addMember(name: "Ann")),
      (["family", "list"], .listFamily),
      (["add", "Ann", "--", "--x"], .addMovie(title: "--x", member: "Ann")),
      (["list"], .list(ListOptions())),
      (["list", "--by-member", "--where=popularity > 1", "--import", "in.json"], .list(options)),
      (["watch", "--by-title", "--where", "popularity > 1"], .watch(watched)),
      (["rate"], .rate(all: false)), (["rate", "--all"], .rate(all: true)),
      (["export", "a b.json"], .export(path: "a b.json")),
      (["import", "in.json"], .importFile(path: "in.json")),
    ]
    for (arguments, action) in actions { #expect(try invocation(arguments).action == action) }
  }

  @Test func `the store and the key come from the environment`() throws {
    let plain = try invocation(["list"])
    #expect(plain.store == .sqlite(URL(fileURLWithPath: "/data/movies/movies.sqlite")))
    #expect(plain.lookup == LookupOptions(key: nil))
    var environment = Self.environment
    environment["TMDB_API_KEY"] = "k"
    let keyed = try invocation(
      ["rate", "--base-url", "http://127.0.0.1:8080"],
      environment: environment
    )
    let url = try #require(URL(string: "http://127.0.0.1:8080"))
    #expect(keyed.lookup == LookupOptions(baseURL: url, key: "k"))
    environment["TMDB_API_KEY"] = ""
    #expect(try invocation(["rate"], environment: environment).lookup.key == nil)
  }

  @Test(arguments: [
    (["famly"], "unknown command 'famly'", "Run 'movies --help'."),
    (
      ["family"], "'movies family' needs another word",
      "Write 'movies family add' or 'movies family list'."
    ),
    (["family", "lst"], "unknown command 'family lst'", "Did you mean 'movies family list'?"),
    (["add", "Ann"], "TITLE is missing: the title of a movie", "Run 'movies add --help'."),
    (["add", "Ann", "  "], "TITLE is empty", "Give the title of a movie."),
    (["list", "--by-membr"], "unknown option '--by-membr'", "Did you mean '--by-member'?"),
    (
      ["rate", "--base-url", "x"],
      "'--base-url' needs an address that begins with http:// or https://, not 'x'",
      "Write: --base-url URL"
    ),
  ])
  func `wrong words are explained`(arguments: [String], message: String, advice: String) throws {
    let failure = try #require(throws: CommandFailure.self) { try invocation(arguments) }
    #expect(failure.message == message)
    #expect(failure.advice == advice)
    #expect(failure.status == .usage)
  }

  @Test(arguments: MoviesTool.tool.commands.map(\.name))
  func `every command's help has valid examples`(name: String) throws {
    let command = try #require(MoviesTool.tool.commands.first { $0.name == name })
    #expect(!command.examples.isEmpty)
    for example in command.examples.map(\.arguments)
    where !example.contains("'") && !example.contains("\"") {
      _ = try invocation(example.split(separator: " ").map(String.init))
    }
    guard
      case .print(let text) = try MoviesTool.tool.parse(
        ["help"] + name.split(separator: " ").map(String.init)
      )
    else {
      Issue.record("no help")
      return
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
