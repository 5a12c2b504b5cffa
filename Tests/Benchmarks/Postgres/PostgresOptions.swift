// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The command line of the bench.
struct PostgresOptions {
  var operations = PostgresOperation.allCases
  var rows = 100_000
  var url = ProcessInfo.processInfo.environment["PERENNIAL_POSTGRES_URL"]
  var jsonFile: String?
  var resultsFolder: String?
  var thresholdsFile = PostgresThresholds.path
  /// Whether the time of this process is measured, without what it waits for.
  var isProcessorTime = false
  /// Whether only Perennial runs, or only the other side, for a profiler.
  var only: PostgresContestant.Role?
  var repetitions = 5
  var isHelp = false

  /// Reads the arguments that follow the program's name.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else {
        throw BenchmarkError("'\(option)' needs a value; see --help.")
      }
      return value
    }
    func number(_ range: ClosedRange<Int>, of option: String) throws -> Int {
      let text = try value(of: option)
      guard let number = Int(text), range.contains(number) else {
        throw BenchmarkError("'\(option)' takes a number of \(range), not '\(text)'.")
      }
      return number
    }
    while let option = rest.popFirst() {
      switch option {
      case "--help", "-h": isHelp = true
      case "--ops": operations = try Self.operations(value(of: option))
      case "--rows": rows = try number(1_000...3_000_000, of: option)
      case "--repetitions": repetitions = try number(1...1_000, of: option)
      case "--url": url = try value(of: option)
      case "--json": jsonFile = try value(of: option)
      case "--results": resultsFolder = try value(of: option)
      case "--thresholds": thresholdsFile = try value(of: option)
      case "--cpu": isProcessorTime = true
      case "--only":
        switch try value(of: option) {
        case "ours": only = .ours
        case "raw": only = .raw
        default: throw BenchmarkError("'--only' takes 'ours' or 'raw'.")
        }
      default: throw BenchmarkError("Unknown option '\(option)'; see --help.")
      }
    }
  }

  static var help: String {
    let operations = PostgresOperation.allCases.map { operation in
      let name = operation.rawValue
      return "  \(name)\(String(repeating: " ", count: 6 - name.count))\(operation.summary)"
    }
    return """
      perennial-bench-postgres [--ops P1,P3] [--rows N] [--results FOLDER] …

      Compares Perennial with hand-written Swift on libpq, on the same tables of one server.
      Medians of 5 after a warm-up; the sides alternate, and what they read and write is checked. A figure over its
      threshold is measured once more and judged by the medians of both rounds. Exit code 1 when values differ or a
      figure is missed (judged from \(PostgresBench.rowsToJudge) rows on).

      --url URL          a database without tables, whose tables are removed at the end;
                         PERENNIAL_POSTGRES_URL by default
      --ops LIST         operations, separated by commas, "P3" for P3a and P3b; all by default
      --rows N           number of commits, 1,000 to 3,000,000; 100,000 by default
      --repetitions N    5 by default
      --results FOLDER   write a page with the figures and the machine to FOLDER
      --thresholds FILE  \(PostgresThresholds.path) by default
      --json FILE        write one JSON line per figure to FILE
      --cpu              measure the processor's time of this process: without the server and the waiting
      --only ours|raw    run one side only, for a profiler

      \(operations.joined(separator: "\n"))
      """
  }

  private static func operations(_ list: String) throws -> [PostgresOperation] {
    try list.split(separator: ",").flatMap { name in
      let found = PostgresOperation.allCases.filter {
        $0.rawValue == name || $0.rawValue.dropLast() == name && $0.rawValue.count == 3
      }
      guard !found.isEmpty else {
        throw BenchmarkError("Unknown operation '\(name)'; see --help.")
      }
      return found
    }
  }
}
