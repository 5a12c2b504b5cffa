// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Foundation
import Testing

@Suite struct `The command line of commits` {
  static let environment = ["HOME": "/home/ann", "XDG_DATA_HOME": "/data"]

  /// What a command line asks for.
  func invocation(
    _ arguments: [String],
    environment: [String: String] = Self.environment
  ) throws -> Invocation {
    guard case .run(let parsed) = try CommitsTool.tool.parse(arguments) else {
      throw CommandFailure("help was asked for")
    }
    return try Invocation(parsed, environment: environment)
  }

  @Test func `import takes a path and begins in the current folder`() throws {
    #expect(try invocation(["import"]).action == .importHistory(path: "."))
    #expect(try invocation(["import", "a b"]).action == .importHistory(path: "a b"))
  }

  @Test func `import takes a repository at GitHub`() throws {
    var options = GitHubOptions(try #require(GitHubRepository("apple/swift")))
    #expect(try invocation(["import", "--github", "apple/swift"]).action == .importGitHub(options))
    options.since = Date(timeIntervalSince1970: 1_453_766_400)
    options.token = try AccessToken(variable: "T", environment: ["T": "secret"])
    options.baseURL = try #require(URL(string: "https://git.example.org/api/v3"))
    let arguments = [
      "import", "--github", "apple/swift", "--since", "2016-01-26", "--token-env", "MY_TOKEN",
      "--base-url", "https://git.example.org/api/v3",
    ]
    let environment = ["HOME": "/home/ann", "MY_TOKEN": "secret", "GITHUB_TOKEN": "other"]
    #expect(try invocation(arguments, environment: environment).action == .importGitHub(options))
    #expect(options.token?.description == "•••")
    #expect(
      options.address.absoluteString == "https://git.example.org/api/v3/repos/apple/swift/commits"
    )
  }

  @Test func `GitHub itself gets the token of its own programs`() throws {
    var environment = Self.environment
    environment["GITHUB_TOKEN"] = "secret"
    var options = GitHubOptions(try #require(GitHubRepository("apple/swift")))
    options.token = try AccessToken(variable: "T", environment: ["T": "secret"])
    let action = try invocation(["import", "--github", "apple/swift"], environment: environment)
      .action
    #expect(action == .importGitHub(options))
  }

  @Test(arguments: [
    ["--base-url", "https://api.github.com/"], ["--base-url", "HTTPS://API.GitHub.com"],
    ["--base-url", "https://api.github.com:443"],
    ["--base-url", "HTTPS://git.example.org", "--token-env", "GH_TOKEN"],
  ])
  func `a server gets its token however its address is spelt`(arguments: [String]) throws {
    var environment = Self.environment
    environment["GH_TOKEN"] = "secret"
    let action = try invocation(
      ["import", "--github", "apple/swift"] + arguments,
      environment: environment
    ).action
    guard case .importGitHub(let options) = action else {
      Issue.record("no import from GitHub")
      return
    }
    let token = try AccessToken(variable: "T", environment: ["T": "secret"])
    #expect(options.token == token)
  }

  @Test(arguments: [
    ["--since", "2016-01-26"], ["--token-env", "T"], ["--base-url", "https://a.example"],
    ["--github", "apple/swift", "path"], ["--github", "apple"], ["--github", "apple/../x"],
    ["--github", "a/.."], ["--github", "apple/swift", "--since", "yesterday"],
    ["--github", "apple/swift", "--base-url", "a.example"],
    ["--github", "apple/swift", "--token-env", "MISSING"],
    ["--github", "apple/swift", "--token-env", "T", "--base-url", "http://a.example"],
    ["--github", "apple/swift", "--token-env", "LINES", "--base-url", "https://a.example"],
  ])
  func `a wrong import is refused`(arguments: [String]) throws {
    let environment = ["HOME": "/home/ann", "T": "secret", "LINES": "a\nb"]
    let failure = try #require(throws: CommandFailure.self) {
      try invocation(["import"] + arguments, environment: environment)
    }
    #expect(failure.status == .usage)
    #expect(!failure.advice.isEmpty)
  }

  @Test func `list takes all its conditions`() throws {
    var options = ListOptions()
    options.onlyFixes = true
    options.excludesPullRequests = true
    options.recent = TimeSpan("12h")
    options.author = "Joe Groff"
    options.format = "message != ''"
    options.isByAuthor = true
    options.limit = 7
    options.importPath = "."
    let arguments = [
      "--fixes", "--no-pull-requests", "--recent", "12h", "--author", "Joe Groff", "--where",
      "message != ''", "--by-author", "--limit=7", "--import", ".",
    ]
    #expect(try invocation(["list"] + arguments).action == .list(options))
    #expect(try invocation(["sql"] + arguments).action == .sql(options))
    #expect(options.hasConditions)
  }

  @Test func `a live list has sections unless it is sorted by date`() throws {
    var options = ListOptions()
    options.isByAuthor = true
    options.limit = 0
    #expect(try invocation(["watch"]).action == .watch(options))
    options.isByAuthor = false
    options.limit = 5
    options.importPath = "."
    let arguments = ["watch", "--by-date", "--limit", "5", "--import", "."]
    #expect(try invocation(arguments).action == .watch(options))
    #expect(throws: CommandFailure.self) { try invocation(["watch", "--store", "memory"]) }
  }

  @Test func `a list for people is short, and one for programs is complete`() throws {
    var options = ListOptions()
    options.limit = 50
    #expect(try invocation(["list"]).action == .list(options))
    options.limit = 0
    #expect(try invocation(["list", "--json"]).action == .list(options))
    #expect(try invocation(["list", "--limit", "0"]).action == .list(options))
    #expect(!options.hasConditions)
  }

  @Test func `a commit's id may be short and in capitals`() throws {
    #expect(try invocation(["show", "2F77f2fc"]).action == .show(CommitPrefix("2f77f2fc")))
    #expect(try invocation(["delete", "a"]).action == .delete(CommitPrefix("a")))
  }

  @Test(arguments: ["", "xyz", "12 ", "%", "é", String(repeating: "a", count: 65), "１２"])
  func `what is no id is refused`(text: String) throws {
    let failure = try #require(throws: CommandFailure.self) { try CommitPrefix(text) }
    #expect(failure.message == "'\(text)' is not a commit's id")
    #expect(failure.status == .usage)
  }

  @Test(arguments: [
    (["list"], ["XDG_DATA_HOME": "/data"], "/data/commits/commits.sqlite"),
    (["list", "--store-path", "/tmp/x"], [:], "/tmp/x"),
    (["list", "--store", "sqlite", "--store-path", "/tmp/x"], [:], "/tmp/x"),
  ])
  func `the store is where it is asked to be`(
    arguments: [String],
    environment: [String: String],
    path: String
  ) throws {
    let store = try invocation(arguments, environment: environment).store
    #expect(store == .sqlite(URL(fileURLWithPath: path)))
  }

  @Test func `a store in a JSON file has a name of its own`() throws {
    let environment = ["XDG_DATA_HOME": "/data"]
    let own = try invocation(["list", "--store", "json"], environment: environment).store
    #expect(own == .json(URL(fileURLWithPath: "/data/commits/commits.json")))
    let named = try invocation(["list", "--store", "json", "--store-path", "/tmp/x"]).store
    #expect(named == .json(URL(fileURLWithPath: "/tmp/x")))
  }

  @Test(arguments: [["HOME": "/home/ann"], ["HOME": "/home/ann", "XDG_DATA_HOME": "relative"]])
  func `without a data folder the home has one`(environment: [String: String]) throws {
    guard case .sqlite(let url) = try invocation(["list"], environment: environment).store else {
      Issue.record("no file")
      return
    }
    #expect(url.path.hasPrefix("/home/ann/"))
    #expect(url.path.hasSuffix("/commits/commits.sqlite"))
  }

  @Test func `contradictions are refused`() throws {
    let both = try #require(throws: CommandFailure.self) {
      try invocation(["list", "--store", "memory", "--store-path", "x"])
    }
    #expect(both.message == "'--store-path' has no effect with '--store memory'")
    #expect(both.status == .usage)
    let homeless = try #require(throws: CommandFailure.self) {
      try invocation(["list"], environment: [:])
    }
    #expect(homeless.advice == "Give a file with '--store-path PATH'.")
  }

  @Test func `a store on a server is asked for by its address`() throws {
    let address = "postgres://ada:secret@db/library"
    let store = StoreOptions.postgres(try ServerAddress(address))
    #expect(
      try invocation(["list", "--store", "postgres", "--store-path", address]).store == store
    )
    #expect(try invocation(["list", "--store-path", address]).store == store)
    #expect(try ServerAddress(address).url == URL(string: address))
    #expect(try ServerAddress(address).shown == "postgres://ada@db/library")
  }

  @Test(arguments: [
    (
      ["--store", "postgres"], "'--store postgres' needs the address of a database",
      "Write: --store-path postgres://user@host:port/database"
    ),
    (
      ["--store", "postgres", "--store-path", "/tmp/x"], "the address of the server cannot be read",
      "Write: postgres://user@host:port/database"
    ),
    (
      ["--store-path", "postgres://ada:secret@db:port:x"],
      "the address of the server cannot be read",
      "Write: postgres://user@host:port/database"
    ),
    (
      ["--store", "json", "--store-path", "postgres://ada:secret@db"],
      "'--store-path' names a server, not a file", "Write: --store postgres"
    ),
    (
      ["--store", "memory", "--store-path", "postgres://ada:secret@db"],
      "'--store-path' has no effect with '--store memory'", "Leave one of them out."
    ),
  ])
  func `what is no address of a server is refused without being repeated`(
    arguments: [String],
    message: String,
    advice: String
  ) throws {
    let failure = try #require(throws: CommandFailure.self) { try invocation(["list"] + arguments) }
    #expect(failure == .usage(message, advice))
  }

  @Test(arguments: [
    ("90m", 5_400), ("12h", 43_200), ("3d", 259_200), ("2w", 1_209_600), ("007d", 604_800),
  ])
  func `times have a unit`(text: String, seconds: Int) {
    #expect(TimeSpan(text)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "h", "12", "0h", "-1h", "+1h", "1.5h", "12 h", "12H", "1y", "99999999999999999999w",
    "9223372036854775807w", "９h",
  ])
  func `what is no time is refused`(text: String) {
    #expect(TimeSpan(text) == nil)
  }

  @Test func `a wrong time is explained`() throws {
    let failure = try #require(throws: CommandFailure.self) {
      try invocation(["list", "--recent", "soon"])
    }
    #expect(
      failure.message == "'--recent' needs a time such as 90m, 12h, 3d or 2w, not 'soon'"
    )
  }

  @Test(arguments: CommitsTool.tool.commands.map(\.name))
  func `every command's examples are valid`(name: String) throws {
    let command = try #require(CommitsTool.tool.commands.first { $0.name == name })
    #expect(!command.examples.isEmpty)
    for example in command.examples.map(\.arguments)
    where !example.contains("'") && !example.contains("\"") {
      let words = example.split(separator: " ").map(String.init)
      #expect(try invocation(words).isJSON == words.contains("--json"))
    }
  }
}
