// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

/// The command line of `perennial`: its options.
enum ToolArguments {
  /// All commands with their options.
  static let tool = CommandLineTool(
    "perennial",
    summary: "Looks into Perennial's and Core Data's stores and models, copies and compares them.",
    switches: [.flag(CommonOptions.json), .option(CommonOptions.color)],
    commands: [inspect, dump, model, checkMigration, diff, hash, convert, vacuum, backup]
  )

  static let store = Positional("STORE", help: "a store's file, SQLite or JSON")
  static let modelFile = Option(
    "model",
    placeholder: "FILE",
    help: "the store's model (default: the copy in the store)"
  )

  static let entity = Option(
    "entity",
    placeholder: "NAME",
    help: "the entity whose rows are printed"
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

  static let source = Positional("FILE", help: "an .xcdatamodeld, an .xcdatamodel, or a store")
  static let version = Option(
    "version",
    placeholder: "NAME",
    help: "a version of the model (default: the current one)"
  )
  static let swift = Flag("swift", help: "print Swift source: classes with @Managed")
  static let mermaid = Flag("mermaid", help: "print a class diagram for Mermaid")
  static let dot = Flag("dot", help: "print a diagram for Graphviz")
  static let svg = Flag("svg", help: "print a diagram as an SVG picture")

  static let old = Positional("OLD", help: "the model that stores have: its file, or a store")
  static let new = Positional("NEW", help: "the model that they are to have: its file, or a store")

  static let first = Positional("A", help: "a store's file, SQLite or JSON")
  static let second = Positional("B", help: "the store that it is compared with")

  static let input = Positional(
    "IN",
    help: "a store's file, SQLite or JSON, or its address on a server"
  )
  static let output = Positional(
    "OUT",
    help: "the new store's file, or its address on a server"
  )
  static let from = Option<FileFormat>(
    choice: "from",
    help: "what IN is (default: what its first bytes say)"
  )
  static let to = Option<FileFormat>(
    choice: "to",
    help: "what OUT becomes (default: by its extension)"
  )
  static let destination = Positional("DEST", help: "the copy's file, which must not exist")
}
