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
      "inspect Library.sqlite", "inspect Library.json --json",
      "inspect Library.sqlite --model Library.xcdatamodeld",
    ]
  )

  static let dump = Command(
    "dump",
    summary: "Print the rows of an entity",
    discussion: """
      As JSON, dates are ISO 8601 in UTC, data base64, to-one relationships the object's URI and
      to-many ones lists of URIs. '_id' is the row's own URI, '_entity' its entity.
      """,
    positionals: [store],
    switches: [
      .option(modelFile), .option(entity), .flag(exactEntity), .option(format), .option(sort),
      .option(limit),
    ],
    examples: [
      "dump Library.sqlite --entity Book",
      "dump Library.sqlite --entity Book --json",
      "dump Library.sqlite --entity Book --where \"title CONTAINS[c] 'sea'\" --sort -year,title",
      "dump Store.sqlite --model Library.xcdatamodeld --entity Item --exact-entity --limit 10",
    ]
  )

  static let model = Command(
    "model",
    summary: "Show a model: as text, as Swift source, or as a diagram",
    discussion: "FILE may be a store that holds its model.",
    positionals: [source],
    switches: [.option(version), .flag(swift), .flag(mermaid), .flag(dot), .flag(svg)],
    examples: [
      "model Library.xcdatamodeld", "model Library.xcdatamodeld --svg > library.svg",
      "model Library.xcdatamodeld --version 'Library 2' --json",
      "model Notes.sqlite --swift > Notes.swift",
      "model Library.xcdatamodeld --dot | dot -Tpdf > library.pdf",
    ]
  )

  static let checkMigration = Command(
    "check-migration",
    summary: "Show what becomes of stores of one model when they are migrated to another",
    discussion: """
      Every change is safe, needs code, or is destructive: it loses something that is stored. The
      exit code is 1 when any is destructive.
      """,
    positionals: [old, new],
    examples: [
      "check-migration Released.xcdatamodeld Library.xcdatamodeld",
      "check-migration 'Library.xcdatamodeld/Library.xcdatamodel' Library.xcdatamodeld --json",
      "check-migration Library.sqlite Library.xcdatamodeld",
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
      "diff Before.sqlite After.sqlite", "diff Library.sqlite Library.json --json",
      "diff Before.sqlite After.sqlite --model Library.xcdatamodeld",
    ]
  )

  static let hash = Command(
    "hash",
    summary: "Print the version hashes of a model, or those that a store was written with",
    positionals: [source],
    switches: [.option(version)],
    examples: ["hash Library.xcdatamodeld", "hash Library.sqlite --json"]
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
      "convert Library.sqlite Library.json", "convert Library.json Library.sqlite",
      "convert Store.data Copy --to sqlite --model Library.xcdatamodeld",
      "convert Library.sqlite postgres://ada@db.example/library",
    ]
  )

  static let vacuum = Command(
    "vacuum",
    summary: "Write a SQLite store anew, without the room that deleted rows left",
    discussion: "Needs free disk space in the size of the store, and that nobody is writing to it.",
    positionals: [store],
    examples: ["vacuum Library.sqlite"]
  )

  static let backup = Command(
    "backup",
    summary: "Copy a store as it is at one moment, also while others write to it",
    discussion: "Large values that lie beside the store are copied with it.",
    positionals: [store, destination],
    examples: ["backup Library.sqlite Backups/Library.sqlite"]
  )
}
