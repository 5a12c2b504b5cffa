// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

extension ToolArguments {
  static let inspect = Command(
    "inspect",
    summary: "Show what is in a store: metadata, entities, tables, sizes, health",
    discussion: """
      Works without the model. With it, also says whether the store was written with it. The
      exit code is 1 when the store is damaged. Nothing is written, nor left beside the store.
      """,
    positionals: [store],
    switches: [.option(modelFile)],
    examples: [
      "inspect Library.sqlite": "",
      "inspect Library.json --json": "for another program",
      "inspect Library.sqlite --model Library.xcdatamodeld": "was it written with this model?",
    ]
  )

  static let dump = Command(
    "dump",
    summary: "Print the rows of an entity",
    discussion: """
      As JSON, dates are ISO 8601 in UTC (beyond the years 0 to 9999 seconds since 2001), data
      base64, to-one relationships the object's URI and to-many ones lists of URIs. '_id' is the
      row's own URI, '_entity' its entity.
      """,
    positionals: [store],
    switches: [
      .option(modelFile), .option(entity), .flag(exactEntity), .option(format), .option(sort),
      .option(limit),
    ],
    examples: [
      "dump Library.sqlite --entity Book": "a table with at most 50 rows",
      "dump Library.sqlite --entity Book --json": "all rows, one a line",
      "dump Library.sqlite --entity Book --where \"title CONTAINS[c] 'sea'\" --sort=-year,title":
        "the newest first",
      "dump Store.sqlite --model Library.xcdatamodeld --entity Item --exact-entity --limit 10":
        "a store without its model, and no rows of subentities",
    ]
  )

  static let model = Command(
    "model",
    summary: "Show a model: as text, as Swift source, or as a diagram",
    discussion: """
      FILE may be a store that holds its model. Without an option, the model is shown as text: its \
      versions, entities, properties, inverses and constraints.
      """,
    positionals: [source],
    switches: [.option(version), .flag(swift), .flag(mermaid), .flag(dot), .flag(svg)],
    examples: [
      "model Library.xcdatamodeld": "",
      "model Library.xcdatamodeld --svg > library.svg": "a picture, which needs no other program",
      "model Library.xcdatamodeld --dot | dot -Tpdf > library.pdf": "the same by Graphviz",
      "model Library.xcdatamodeld --version 'Library 2' --json": "another version, with its hashes",
      "model Notes.sqlite --swift > Notes.swift": "classes for a store whose model is lost",
    ]
  )

  static let checkMigration = Command(
    "check-migration",
    summary: "Show what becomes of stores of one model when they are migrated to another",
    discussion: """
      Every change is safe, needs code, or is destructive: it loses something that is stored. The
      exit code is 1 when any is destructive, or when no store can be opened with NEW.
      """,
    positionals: [old, new],
    examples: [
      "check-migration Released.xcdatamodeld Library.xcdatamodeld": "",
      "check-migration 'Library.xcdatamodeld/Library.xcdatamodel' Library.xcdatamodeld --json":
        "two versions of one model",
      "check-migration Library.sqlite Library.xcdatamodeld": "what would become of this store?",
    ]
  )

  static let diff = Command(
    "diff",
    summary: "Compare the rows of two stores",
    discussion: """
      Rows belong together when entity and key are the same, as in copies of one store. The exit
      code is 0 when all are equal, and 1 when not.
      """,
    positionals: [first, second],
    switches: [.option(modelFile)],
    examples: [
      "diff Before.sqlite After.sqlite": "",
      "diff Library.sqlite Library.json --json": "stores of two kinds",
      "diff Before.sqlite After.sqlite --model Library.xcdatamodeld": "stores without their model",
    ]
  )

  static let hash = Command(
    "hash",
    summary: "Print the version hashes of a model, or those that a store was written with",
    discussion: "One line for each entity: the SHA-256 of what stores depend on, in hexadecimal.",
    positionals: [source],
    switches: [.option(version)],
    examples: [
      "hash Library.xcdatamodeld": "those that Core Data computes",
      "hash Library.sqlite --json": "those that the store was written with",
    ]
  )

  static let convert = Command(
    "convert",
    summary: "Copy a store into a new one of another kind",
    discussion: """
      Objects keep their keys and relationships. The new store has an identifier of its own and
      no history. IN stays as it is; OUT must not exist. On a server, it must have no objects:
      there everything is one save, which is held in memory.
      """,
    positionals: [input, output],
    switches: [.option(modelFile), .option(from), .option(to)],
    examples: [
      "convert Library.sqlite Library.json": "",
      "convert Library.json Library.sqlite": "and back",
      "convert Store.data Copy --to sqlite --model Library.xcdatamodeld":
        "names that do not say what they are",
      "convert Library.sqlite postgres://ada@db.example/library":
        "to a server, if the program was built with the trait PostgreSQL",
    ]
  )

  static let vacuum = Command(
    "vacuum",
    summary: "Write a SQLite store anew, without the room that deleted rows left",
    discussion: "Needs free disk space in the size of the store, and that nobody is writing to it.",
    positionals: [store],
    examples: ["vacuum Library.sqlite": ""]
  )

  static let backup = Command(
    "backup",
    summary: "Copy a store as it is at one moment, also while others write to it",
    discussion: "Large values that lie beside the store are copied with it.",
    positionals: [store, destination],
    examples: ["backup Library.sqlite Backups/Library.sqlite": ""]
  )
}
