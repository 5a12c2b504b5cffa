// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// The command line of `movies`.
public enum MoviesTool {
  /// All commands with their options.
  public static let tool = CommandLineTool(
    "movies",
    summary: "Keeps the favourite movies of a family in a Perennial store.",
    discussion: """
      One of Perennial's two example programs. A movie can be the favourite of several members of \
      the family. How popular it is comes from The Movie Database (TMDB), if you have a key for it.

      Data go to standard output, notes and progress to standard error. With '--json' the output is \
      one array or one object, of 'watch' one object a line.
      """,
    switches: [
      .option(StoreOptions.kind), .option(StoreOptions.path), .flag(CommonOptions.json),
      .option(CommonOptions.color),
    ],
    commands: [familyAdd, familyList, add, list, watch, rate, export, importing],
    examples: [
      "family add Ann": "somebody who likes movies",
      "add Ann 'The Lantern Keeper'": "one of the movies",
      "list --by-member": "what everybody likes",
      "rate": "look up what is not known yet",
    ],
    sections: [
      HelpSection(
        .environment,
        [("TMDB_API_KEY", "your key for The Movie Database; without it nothing is looked up")]
          + CommonSections.storeVariables(of: "movies") + CommonSections.terminalVariables
      ),
      CommonSections.storeFiles(of: "movies"), CommonSections.exitCodes,
    ],
    related: ["commits", "perennial"]
  )

  static let name = Positional("NAME", help: "the name of a member of the family")
  static let member = Positional("MEMBER", help: "the name of a member of the family")
  static let title = Positional("TITLE", help: "the title of a movie")
  static let file = Positional(
    "FILE",
    help: "a JSON file, as 'movies export' writes it; - for standard input",
    completion: .files
  )
  static let newFile = Positional(
    "FILE",
    help: "the JSON file; - for standard output",
    completion: .files
  )

  static let byMember = Flag("by-member", help: "in sections, one for each member of the family")
  static let format = Option(
    "where",
    placeholder: "FORMAT",
    help: "only movies that match a predicate format"
  )
  static let importPath = Option(
    "import",
    placeholder: "FILE",
    help: "import a JSON file first",
    completion: .files
  )
  static let byTitle = Flag("by-title", help: "all movies by title, without sections")
  static let all = Flag("all", help: "also the movies whose popularity is known")
  static let baseURL = Option(
    webAddress: "base-url",
    help: "the address of TMDB's API (default: https://api.themoviedb.org)"
  )
}

extension MoviesTool {
  static let familyAdd = Command(
    "family add",
    summary: "Add a member of the family",
    positionals: [name],
    examples: ["family add Ann": ""]
  )

  static let familyList = Command(
    "family list",
    summary: "List the family",
    examples: ["family list": "", "family list --json": ""]
  )

  static let add = Command(
    "add",
    summary: "Add a favourite movie of a member",
    discussion: """
      The movie is saved at once; its popularity is looked up at The Movie Database (TMDB) and
      saved when it comes. The lookup needs a key of yours in the environment variable
      TMDB_API_KEY.
      """,
    positionals: [member, title],
    switches: [.option(baseURL)],
    examples: ["add Ann 'The Lantern Keeper'": ""]
  )

  static let list = Command(
    "list",
    summary: "List movies by title",
    discussion: """
      FORMAT is a predicate over title, popularity and familyMembers, whose members have a name.
      """,
    switches: [.flag(byMember), .option(format), .option(importPath)],
    examples: [
      "list --by-member": "what everybody likes",
      "list --where \"title CONTAINS[cd] 'lantern' AND popularity > 10\"": "popular lanterns",
      "list --where \"ANY familyMembers.name == 'Ann'\" --json": "Ann's, for another program",
      "list --store memory --import movies.json": "without a store: import, list and forget",
    ]
  )

  static let watch = Command(
    "watch",
    summary: "Show a list that moves by itself",
    discussion: """
      In sections, one for each member of the family. What another program adds or looks up appears
      by itself: new rows are marked with '+', changed ones with '~'. The keys: q ends the list, the
      arrows and j, k, g, G and the space bar move it. Without a terminal every change is a line.
      """,
    switches: [.flag(byTitle), .option(format)],
    examples: [
      "watch": "by member",
      "watch --by-title": "all movies by title",
      "watch --json": "every change as a line of JSON",
    ]
  )

  static let rate = Command(
    "rate",
    summary: "Look up the popularity of movies",
    discussion: """
      Asks The Movie Database (TMDB) for four movies at a time and saves every answer when it comes.
      It needs a key of yours in the environment variable TMDB_API_KEY.
      """,
    switches: [.flag(all), .option(baseURL)],
    examples: ["rate": "what is not known yet", "rate --all": "everything anew"]
  )

  static let export = Command(
    "export",
    summary: "Write the family and its movies into a JSON file",
    positionals: [newFile],
    examples: ["export movies.json": "", "export -": "to standard output"]
  )

  static let importing = Command(
    "import",
    summary: "Add the family and the movies of a JSON file",
    discussion: """
      Members and movies that are there already are kept; they get the file's movies and
      popularities. A file with a mistake changes nothing.
      """,
    positionals: [file],
    examples: ["import movies.json": ""]
  )
}
