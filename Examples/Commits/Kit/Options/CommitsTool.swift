// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
import Foundation

/// The command line of `commits`.
public enum CommitsTool {
  /// All commands with their options.
  public static let tool = CommandLineTool(
    "commits",
    summary: "Keeps the history of a git repository in a Perennial store and browses it.",
    switches: [
      .option(StoreOptions.kind), .option(StoreOptions.path), .flag(CommonOptions.json),
      .option(CommonOptions.color),
    ],
    commands: [importing, list, watch, show, delete, stats, sql]
  )

  static let path = Positional(
    "PATH",
    help: "a checkout or one of its folders (default: the current folder)",
    isOptional: true
  )
  static let github = Option(
    "github",
    placeholder: "OWNER/REPO",
    help: "import from GitHub instead of a checkout",
    expects: "an owner and a repository such as apple/swift",
    convert: GitHubRepository.init
  )
  static let baseURL = Option(
    webAddress: "base-url",
    help: "the address of GitHub's REST API (default: https://api.github.com)"
  )
  static let tokenVariable = Option(
    "token-env",
    placeholder: "NAME",
    help: "the environment variable that holds your token"
  )
  static let since = Option(
    "since",
    placeholder: "DATE",
    help: "only commits after this date, such as 2016-01-26",
    expects: "a date such as 2016-01-26 or 2016-01-26T19:46:18Z",
    convert: Date.init(iso8601:)
  )
  static let sha = Positional("SHA", help: "a commit's id, or its beginning")

  static let fixes = Flag("fixes", help: "only commits whose message has the word 'fix' in it")
  static let noPullRequests = Flag("no-pull-requests", help: "no merges of pull requests")
  static let recent = Option(
    "recent",
    placeholder: "TIME",
    help: "only commits of the last 90m, 12h, 3d or 2w",
    expects: "a time such as 90m, 12h, 3d or 2w",
    convert: TimeSpan.init
  )
  static let author = Option(
    "author",
    placeholder: "NAME",
    help: "only commits of the author with this name"
  )
  static let format = Option(
    "where",
    placeholder: "FORMAT",
    help: "only commits that match a predicate format"
  )
  static let byAuthor = Flag("by-author", help: "in sections, one for each author")
  static let limit = Option(
    count: "limit",
    help: "at most N, 0 for all (default: 50, or all with --json)"
  )
  static let importPath = Option(
    "import",
    placeholder: "PATH",
    help: "import the history of a checkout first"
  )

  static let byDate = Flag("by-date", help: "newest first, without sections")
  static let followPath = Option(
    "import",
    placeholder: "PATH",
    help: "import the history of a checkout first, and whenever it has new commits"
  )

  static let conditions: [Switch] = [
    .flag(fixes), .flag(noPullRequests), .option(recent), .option(author), .option(format),
  ]
  static let listSwitches: [Switch] =
    conditions + [.flag(byAuthor), .option(limit), .option(importPath)]
}

extension CommitsTool {
  static let importing = Command(
    "import",
    summary: "Import the history of a local checkout or from GitHub",
    discussion: """
      Reads every commit that HEAD reaches. Importing again adds only what is new; commits that
      you deleted stay deleted. A checkout needs git, but no network.

      From GitHub, pages are read until one holds only known commits, and saved when all are read:
      an import that fails on the way has changed nothing. A token allows more requests; the one in
      GH_TOKEN or GITHUB_TOKEN is sent to api.github.com without '--token-env'.
      """,
    positionals: [path],
    switches: [.option(github), .option(baseURL), .option(tokenVariable), .option(since)],
    examples: [
      "import", "import ~/Projects/swift", "import --json .",
      "import --github apple/swift-argument-parser",
      "import --github apple/swift --since 2026-01-01",
    ]
  )

  static let list = Command(
    "list",
    summary: "List commits, newest first",
    discussion: """
      All conditions must hold. FORMAT is a predicate over sha, message, url, date, author.name
      and author.email.
      """,
    switches: listSwitches,
    examples: [
      "list --fixes --limit 20",
      "list --recent 12h --no-pull-requests",
      "list --author 'Joe Groff' --json",
      "list --where \"message BEGINSWITH 'Fix' AND author.name != nil\"",
      "list --where \"date > CAST('2016-01-26T12:00:00Z', 'NSDate')\"",
      "list --store memory --import . --by-author",
    ]
  )

  static let watch = Command(
    "watch",
    summary: "Show a list that moves by itself",
    discussion: """
      In sections, one for each author. What another program imports or deletes appears by itself:
      new rows are marked with '+', changed ones with '~'. The keys: q ends the list, the arrows and
      j, k, g, G and the space bar move it. Without a terminal every change is a line.
      """,
    switches: conditions + [.flag(byDate), .option(limit), .option(followPath)],
    examples: ["watch", "watch --by-date --no-pull-requests", "watch --import .", "watch --json"]
  )

  static let show = Command(
    "show",
    summary: "Show one commit",
    positionals: [sha],
    examples: ["show 2f77f2fc"]
  )

  static let delete = Command(
    "delete",
    summary: "Delete a commit for good",
    discussion: "The next import does not bring the commit back.",
    positionals: [sha],
    examples: ["delete 2f77f2fc"]
  )

  static let stats = Command(
    "stats",
    summary: "Count commits and authors",
    examples: ["stats", "stats --json"]
  )

  static let sql = Command(
    "sql",
    summary: "Show the SQL that a list runs, with its query plan",
    discussion: "Takes the options of 'list'.",
    switches: listSwitches,
    examples: ["sql --author 'Joe Groff' --limit 20"]
  )
}
