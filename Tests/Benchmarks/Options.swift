// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The command line of the bench.
struct Options {
  var operations = Operation.workload
  var rows = 100_000
  var jsonFile: String?
  var isGrowthMeasured = false
  /// The most rows of a sweep; `nil` for no sweep.
  var greatestSweep: Int?
  /// Whether the time of the processor is measured, not that on the wall.
  var isProcessorTime = false
  var thresholdsFile = Thresholds.path
  /// Where pages and plots are written.
  var resultsFolder: String?
  /// Whether only Perennial runs, for a profiler.
  var isAlone = false
  /// Set in a process that W11 has started.
  var memoryTask: MemoryWorker.Task?
  /// What `make perf-gate` counts the instructions of, or prepares.
  var countedTask: CountedTask?
  var isHelp = false

  /// Reads the arguments that follow the program's name.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--help", "-h": isHelp = true
      case "--ops": operations = try Self.operations(Self.value(of: option, &rest))
      case "--rows": rows = try Self.rows(Self.value(of: option, &rest))
      case "--json": jsonFile = try Self.value(of: option, &rest)
      case "--growth": isGrowthMeasured = true
      case "--sweep": greatestSweep = try Self.rows(Self.value(of: option, &rest))
      case "--cpu": isProcessorTime = true
      case "--thresholds": thresholdsFile = try Self.value(of: option, &rest)
      case "--results": resultsFolder = try Self.value(of: option, &rest)
      case "--alone": isAlone = true
      case "--prepare": countedTask = try .prepare(&rest)
      case "--counted": countedTask = try .count(&rest)
      case "--memory-of": memoryTask = try MemoryWorker.Task(&rest)
      default: throw BenchmarkError("Unknown option '\(option)'; see --help.")
      }
    }
  }

  static var help: String {
    let operations = Operation.allCases.map { operation in
      let name = operation.rawValue
      return "  \(name)\(String(repeating: " ", count: 12 - name.count))\(operation.summary)"
    }
    return """
      perennial-bench [--ops W1,W2] [--rows N] [--growth] [--sweep N] [--results FOLDER] …

      Compares Perennial with hand-written Swift on the same SQLite file. Medians of 5 (of 3 from
      1,000,000 rows on) after a warm-up; both sides alternate and check the same sum over all
      values. A figure over its threshold is measured once more and judged by the medians of both
      rounds. Times of the thresholds are those of one machine, and scale with what raw Swift needs
      here for W2. Exit code 1 when values differ, when a figure is missed, or when raw Swift is
      more than 1.2 times slower against raw C than it once was (judged from 50,000 rows on).

      --ops LIST         operations, separated by commas, "W3" for W3 and W3ids; all W by default
      --rows N           number of commits, 16 to 3,000,000; 100,000 by default
      --growth           also measure a tenth of the rows, and inserting into one relationship
      --sweep N          measure 1,000 to N rows (at most 3,000,000, which takes long) instead, and
                         report slopes
      --results FOLDER   write a page with the figures and the machine, and a plot, to FOLDER
      --thresholds FILE  \(Thresholds.path) by default
      --json FILE        write one JSON line per figure to FILE
      --cpu              measure the processor's time, not that on the wall: what waits for the disk
                         is left out, and what other programs do disturbs less
      --alone            run Perennial only, for a profiler
      --prepare FOLDER N and --counted OPERATION ours|raw STORE N: for .ci/perf-gate

      \(operations.joined(separator: "\n"))
      """
  }

  static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst() else {
      throw BenchmarkError("'\(option)' needs a value; see --help.")
    }
    return value
  }

  private static func operations(_ list: String) throws -> [Operation] {
    try list.split(separator: ",").flatMap { name in
      // "W9" stands for W9a and W9b, "P" for P1 to P6, and so on.
      let found = Operation.allCases.filter { operation in
        let full = operation.rawValue
        let number = full.prefix(1) + full.dropFirst().prefix { $0.isNumber }
        return full == name || number == name || full.prefix(1) == name
      }
      guard !found.isEmpty else {
        throw BenchmarkError("Unknown operation '\(name)'; see --help.")
      }
      return found
    }
  }

  static func rows(_ text: String) throws -> Int {
    guard let rows = Int(text), (16...3_000_000).contains(rows) else {
      throw BenchmarkError("'--rows' takes a number from 16 to 3000000, not '\(text)'.")
    }
    return rows
  }
}
