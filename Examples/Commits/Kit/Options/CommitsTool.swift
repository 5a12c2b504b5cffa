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
    discussion: """
      One of Perennial's two example programs. Import a history once, from a checkout or from \
      GitHub; then list it, filter it and follow it without git.

      Data go to standard output, notes and progress to standard error. With '--json' the output is \
      one array or one object, of 'watch' one object a line; dates are ISO 8601 in UTC.
      """,
    switches: [
      .option(StoreOptions.kind), .option(StoreOptions.path), .flag(CommonOptions.json),
      .option(CommonOptions.color),
    ],
    commands: [importing, list, watch, show, delete, stats, sql],
    examples: [
      "import ~/Projects/swift": "read the history of a checkout",
      "list --fixes --limit 20": "the newest 20 commits that fix something",
      "watch": "a list that shows what other programs import, as it comes",
      "stats --store json --store-path history.json": "work with a file of your own",
    ],
    sections: [
      HelpSection(
        .environment,
        CommonSections.storeVariables(of: "commits") + [
          ("GH_TOKEN, GITHUB_TOKEN", "a token for api.github.com; the first that is set"),
          ("PATH", "where 'git' is looked for"),
          ("TZ", "the time zone of the dates in lists"),
        ] + CommonSections.terminalVariables
      ),
      CommonSections.storeFiles(of: "commits"), CommonSections.exitCodes,
    ],
    related: ["movies", "perennial", "git"]
  )

  static let path = Positional(
    "PATH",
    help: "a checkout or one of its folders (default: the current folder)",
    isOptional: true,
    completion: .folders
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
    help: "with '--github': only commits after this date, such as 2016-01-26",
    expects: "a date such as 2016-01-26 or 2016-01-26T19:46:18Z",
    convert: Date.init(iso8601:)
  )
  static let sha = Positional("SHA", help: "a commit's id, or its beginning")

  static let fixes = Flag("fixes", help: "only commits with 'fix' in the message, also in 'Fixed'")
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
    help: "import the history of a checkout first",
    completion: .folders
  )

  static let byDate = Flag("by-date", help: "newest first, without sections")
  static let watchLimit = Option(count: "limit", help: "at most N, 0 for all (default: 0)")
  static let followPath = Option(
    "import",
    placeholder: "PATH",
    help: "import the history of a checkout first, and whenever it has new commits",
    completion: .folders
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
      "import": "the checkout that the current folder is in",
      "import ~/Projects/swift": "another one",
      "import --json .": "print what was done as JSON",
      "import --github apple/swift-argument-parser": "from GitHub, without a checkout",
      "import --github apple/swift --since 2026-01-01": "only what is newer",
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
      "list --fixes --limit 20": "the newest 20 fixes",
      "list --recent 12h --no-pull-requests": "the last 12 hours without merges of pull requests",
      "list --author 'Joe Groff' --json": "everything of one author, for another program",
      "list --where \"message BEGINSWITH 'Fix' AND author.name != nil\"": "a condition of your own",
      "list --where \"date > CAST('2016-01-26T12:00:00Z', 'NSDate')\"": "since a moment",
      "list --store memory --import . --by-author": "without a store: import, list and forget",
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
    switches: conditions + [.flag(byDate), .option(watchLimit), .option(followPath)],
    examples: [
      "watch": "all commits, by author",
      "watch --by-date --no-pull-requests": "newest first, without merges of pull requests",
      "watch --import .": "follow the checkout of the current folder",
      "watch --json": "every change as a line of JSON",
    ]
  )

  static let show = Command(
    "show",
    summary: "Show one commit",
    discussion: "A beginning that several commits share is an error that says so.",
    positionals: [sha],
    examples: ["show 2f77f2fc": ""]
  )

  static let delete = Command(
    "delete",
    summary: "Delete a commit for good",
    discussion: "The next import does not bring the commit back.",
    positionals: [sha],
    examples: ["delete 2f77f2fc": ""]
  )

  static let stats = Command(
    "stats",
    summary: "Count commits and authors",
    discussion: "With the time of the oldest and the newest commit, and the busiest authors.",
    examples: ["stats": "", "stats --json": ""]
  )

  static let sql = Command(
    "sql",
    summary: "Show the SQL that a list runs, with its query plan",
    discussion: "Takes the options of 'list'.",
    switches: listSwitches,
    examples: ["sql --author 'Joe Groff' --limit 20": "does the search use an index?"]
  )
}
