// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

/// The command line of `perennial-bench`.
enum BenchTool {
  static let operations = Option<[Operation]>(
    "ops",
    placeholder: "LIST",
    help: "the operations, with commas between; 'W3' stands for W3 and W3ids, 'P' for P1 to P6 "
      + "(default: W)",
    expects: "operations such as W1,W2 (see --help)",
    convert: operations(named:)
  )
  static let rows = Option<Int>(
    "rows",
    placeholder: "N",
    help: "the number of commits, 16 to 3,000,000 (default: 100,000)",
    expects: "a whole number from 16 to 3000000",
    convert: rowCount
  )
  static let growth = Flag(
    "growth",
    help: "also measure a tenth of the rows, and inserting into one relationship"
  )
  static let sweep = Option<Int>(
    "sweep",
    placeholder: "N",
    help:
      "measure 1,000 to N rows instead (at most 3,000,000, which takes long), and report slopes",
    expects: "a whole number from 16 to 3000000",
    convert: rowCount
  )
  static let results = Option(
    "results",
    placeholder: "FOLDER",
    help: "write a page with the figures and the machine, and a plot, into a folder",
    completion: .folders
  )
  static let thresholds = Option(
    "thresholds",
    placeholder: "FILE",
    help: "what the figures are judged by (default: \(Thresholds.path))",
    completion: .files
  )
  static let json = Option(
    "json",
    placeholder: "FILE",
    help: "write a line of JSON for each figure into a file",
    completion: .files
  )
  static let cpu = Flag(
    "cpu",
    help:
      "measure the processor's time, not that on the wall: what waits for the disk is left out, "
      + "and what other programs do disturbs less"
  )
  static let alone = Flag("alone", help: "run Perennial only, for a profiler")

  static let tool = CommandLineTool(
    "perennial-bench",
    summary: "Compares Perennial with hand-written Swift and C on the same SQLite file.",
    commands: [
      Command(
        "",
        summary: "Compares Perennial with hand-written Swift and C on the same SQLite file.",
        discussion: """
          Medians of 5 runs (of 3 from 1,000,000 rows on) after a warm-up. Both sides alternate and \
          check the same sum over all values. A figure over its threshold is measured once more and \
          judged by the medians of both rounds. Times of the thresholds are those of one machine, \
          and scale with what raw Swift needs here for W2.

          Close other programs first, and compare ratios, not milliseconds.
          """,
        switches: [
          .option(operations), .option(rows), .flag(growth), .option(sweep), .option(results),
          .option(thresholds), .option(json), .flag(cpu), .flag(alone),
        ],
        examples: [
          "": "the whole workload with 100,000 commits",
          "--ops W1,W2 --rows 20000": "two operations, small",
          "--ops W5 --alone": "one to look at with a profiler",
          "--sweep 1000000 --results Documentation/Benchmarks": "how the times grow",
        ]
      )
    ],
    sections: [
      HelpSection(
        .other("Operations"),
        Operation.allCases.map { ($0.rawValue, $0.summary) }
      ),
      HelpSection(
        .other("For other programs"),
        [
          "--prepare FOLDER N": "make the stores that '.ci/perf-gate' counts instructions on",
          "--counted OPERATION ours|raw STORE N": "run an operation for it, and print its sum",
          "--memory-of OPERATION ours|raw STORE N":
            "measure the memory of an operation, in a process of its own",
        ]
      ),
      .exitCodes([
        .success: "both sides agree, and every figure is within its threshold",
        .failure: "values differ, a figure was missed, or raw Swift is more than 1.2 times slower "
          + "against raw C than it once was (judged from 50,000 rows on)",
        .usage: "the command line is wrong",
      ]),
    ]
  )

  private static func operations(named list: String) -> [Operation]? {
    var operations: [Operation] = []
    for name in list.split(separator: ",") {
      // "W9" stands for W9a and W9b, "P" for P1 to P6, and so on.
      let found = Operation.allCases.filter { operation in
        let full = operation.rawValue
        let number = full.prefix(1) + full.dropFirst().prefix { $0.isNumber }
        return full == name || number == name || full.prefix(1) == name
      }
      guard !found.isEmpty else { return nil }
      operations += found
    }
    return operations
  }

  static func rowCount(_ text: String) -> Int? {
    Int(text).flatMap { (16...3_000_000).contains($0) ? $0 : nil }
  }
}
