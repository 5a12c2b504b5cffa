// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The command line of the bench.
struct Options {
  var operations = Operation.workload
  var rows = 100_000
  var jsonFile: String?
  var isGrowthMeasured = false
  /// Whether only Perennial runs, for a profiler.
  var isAlone = false
  /// Set in a process that W11 has started.
  var memoryTask: MemoryWorker.Task?
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
      case "--alone": isAlone = true
      case "--memory-of": memoryTask = try MemoryWorker.Task(&rest)
      default: throw BenchmarkError("Unknown option '\(option)'; see --help.")
      }
    }
  }

  static var help: String {
    let operations = Operation.allCases.map { operation in
      let name = operation.rawValue
      return "  \(name)\(String(repeating: " ", count: 5 - name.count))\(operation.summary)"
    }
    return """
      perennial-bench [--ops W1,W2] [--rows N] [--growth] [--alone] [--json FILE]

      Compares Perennial with hand-written Swift on the same SQLite file. Medians of 5 after a
      warm-up; both sides alternate and check the same sum over all values. A figure that is missed
      is measured up to twice more and judged by the medians of all rounds. Exit code 1 when values
      differ, when a figure is missed, or when raw Swift is more than 1.2 times slower against raw C
      than it once was (judged from 50,000 rows on).

      --ops LIST   operations, separated by commas; W1 to W11 by default
      --rows N     number of commits, 16 to 1,000,000; 100,000 by default
      --growth     also measure a tenth of the rows, and inserting into one to-many relationship
      --alone      run Perennial only, for a profiler
      --json FILE  write one JSON line per figure to FILE

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
      let found = Operation.allCases.filter {
        $0.rawValue == name || $0.rawValue.prefix(1) == name
          || $0.rawValue.last?.isLetter == true && $0.rawValue.dropLast() == name
      }
      guard !found.isEmpty else {
        throw BenchmarkError("Unknown operation '\(name)'; see --help.")
      }
      return found
    }
  }

  private static func rows(_ text: String) throws -> Int {
    guard let rows = Int(text), (16...1_000_000).contains(rows) else {
      throw BenchmarkError("'--rows' takes a number from 16 to 1000000, not '\(text)'.")
    }
    return rows
  }
}
