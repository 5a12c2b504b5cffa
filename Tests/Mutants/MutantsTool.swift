// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

/// The command line of `mutants`.
enum MutantsTool {
  static let checkout = Positional(
    "CHECKOUT",
    help: "the checkout whose sources are changed; it stays as it is",
    completion: .folders
  )
  static let copy = Positional(
    "COPY",
    help: "the copy of it that the changed sources are written into",
    completion: .folders
  )
  static let seed = Option(
    "seed",
    placeholder: "N",
    help: "which places are chosen (default: 2026)",
    expects: "a whole number, 0 or more",
    convert: { UInt64($0) }
  )
  static let count = Option(count: "count", help: "how many places are changed (default: 200)")
  static let without = Option<[Int]>(
    "without",
    placeholder: "LIST",
    help: "the numbers of mutants to leave out, with commas between: those that do not compile",
    expects: "whole numbers with commas between",
    convert: { list in
      let numbers = list.split(separator: ",").map { Int($0) }
      return numbers.contains(nil) ? nil : numbers.compactMap { $0 }
    }
  )

  static let tool: CommandLineTool = CommandLineTool(
    "mutants",
    summary: "Changes what the code means in many places, to see whether tests notice.",
    commands: [
      Command(
        "",
        summary: "Changes what the code means in many places, to see whether tests notice.",
        discussion: """
          Every change is a mutant, which a variable turns on alone, so that one build serves all \
          of them. The areas are those of Tests/Coverage/Areas.txt, with as many mutants each. \
          'make mutants' does it all: it copies the checkout, calls this, builds, and runs \
          for each mutant the suites of tests that reach its place.

          A line is printed for each mutant, with tabs between its number, its area, its place and \
          what is different.
          """,
        positionals: [checkout, copy],
        switches: [.option(count), .option(seed), .option(without)],
        examples: [
          ". .build/mutants/package --count 20": "20 places",
          ". .build/mutants/package --without 3,17": "all but two that do not compile",
        ]
      )
    ],
    sections: [
      HelpSection(
        .environment,
        [
          "PERENNIAL_MUTANT": "read by the changed code: the number of the mutant that is on",
          "PERENNIAL_MUTANTS_REACHED":
            "read by the changed code: a file for the numbers of the places that a program gets to",
        ]
      ),
      .exitCodes([
        .success: "the sources are written",
        .failure:
          "a file cannot be read or written; the copy must have the folders of the checkout",
        .usage: "the command line is wrong",
      ]),
    ]
  )
}
