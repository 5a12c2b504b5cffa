// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

/// The command line of `perennial`: its options.
enum ToolArguments {
  /// All commands with their options.
  static let tool = CommandLineTool(
    "perennial",
    summary: "Looks into Perennial's and Core Data's stores and models, copies and compares them.",
    discussion: """
      Stores are SQLite and JSON files, of Perennial or of Core Data; models are .xcdatamodeld and \
      .xcdatamodel files, compiled ones (.momd, .mom), or stores that hold their model. Reading \
      changes nothing, neither the store nor what lies beside it; only 'vacuum' changes a store, and no \
      command writes over a file.

      Data go to standard output, notes and errors to standard error. With '--json' the output is \
      JSON.
      """,
    switches: [.flag(CommonOptions.json), .option(CommonOptions.color)],
    commands: [inspect, dump, model, checkMigration, diff, hash, convert, vacuum, backup],
    examples: [
      "inspect Library.sqlite": "what is in a store, and is it whole?",
      "dump Library.sqlite --entity Book --limit 10": "the first rows of an entity",
      "model Library.xcdatamodeld --svg > library.svg": "a picture of a model",
      "check-migration Old.xcdatamodeld New.xcdatamodeld": "what would become of the stores?",
    ],
    sections: [
      HelpSection(
        .environment,
        [
          ("PGPASSWORD", "the password of a PostgreSQL server, beside what else libpq reads"),
          ("TMPDIR", "where the copy of a store is made that is only to be read"),
        ] + CommonSections.terminalVariables
      ),
      .exitCodes([
        .success: "done, also when the reader of the output went away",
        .failure: "failed, or: the store is damaged (inspect), something would be lost "
          + "(check-migration), the stores differ (diff)",
        .cancelled: "cancelled with Ctrl-C",
        .usage: "the command line is wrong",
        .tryLater: "the same command may work later: somebody else is writing to the store",
      ]),
    ],
    related: ["commits", "movies", "sqlite3"]
  )

  static let store = Positional(
    "STORE",
    help: "a store's file, SQLite or JSON",
    completion: .files
  )
  static let modelFile = Option(
    "model",
    placeholder: "FILE",
    help: "the store's model (default: the copy in the store)",
    completion: .files
  )

  static let entity = Option(
    "entity",
    placeholder: "NAME",
    help: "the entity whose rows are printed; must be given"
  )
  static let exactEntity = Flag("exact-entity", help: "without the rows of its subentities")
  static let format = Option(
    "where",
    placeholder: "FORMAT",
    help: "only rows that match a predicate format"
  )
  static let sort = Option(
    "sort",
    placeholder: "KEY",
    help: "sort by an attribute; -KEY begins with the greatest; several with commas"
  )
  static let limit = Option(
    count: "limit",
    help: "at most N, 0 for all (default: 50, or all with --json)"
  )

  static let source = Positional(
    "FILE",
    help: "an .xcdatamodeld, an .xcdatamodel, or a store",
    completion: .files
  )
  static let version = Option(
    "version",
    placeholder: "NAME",
    help: "a version of the model (default: the current one)"
  )
  static let swift = Flag("swift", help: "print Swift source: classes with @Managed")
  static let mermaid = Flag("mermaid", help: "print a class diagram for Mermaid")
  static let dot = Flag("dot", help: "print a diagram for Graphviz")
  static let svg = Flag("svg", help: "print a diagram as an SVG picture")

  static let old = Positional(
    "OLD",
    help: "the model that stores have: its file, or a store",
    completion: .files
  )
  static let new = Positional(
    "NEW",
    help: "the model that they are to have: its file, or a store",
    completion: .files
  )

  static let first = Positional("A", help: "a store's file, SQLite or JSON", completion: .files)
  static let second = Positional(
    "B",
    help: "the store that it is compared with",
    completion: .files
  )

  static let input = Positional(
    "IN",
    help: "a store's file, SQLite or JSON, or its address on a server",
    completion: .files
  )
  static let output = Positional(
    "OUT",
    help: "the new store's file, or its address on a server",
    completion: .files
  )
  static let from = Option<FileFormat>(
    choice: "from",
    help: "what IN is (default: what its first bytes say)"
  )
  static let to = Option<FileFormat>(
    choice: "to",
    help: "what OUT becomes (default: by its extension)"
  )
  static let destination = Positional(
    "DEST",
    help: "the copy's file, which must not exist",
    completion: .files
  )
}
