// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console

/// What the bench is told on the command line.
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

  /// Reads the arguments that follow the program's name; a wrong one, or `--help`, ends the process.
  init(_ arguments: [String]) throws {
    // What other programs ask for is read apart, so that it costs them nothing.
    var rest = arguments.dropFirst()
    switch arguments.first {
    case "--prepare": countedTask = try .prepare(&rest)
    case "--counted": countedTask = try .count(&rest)
    case "--memory-of": memoryTask = try MemoryWorker.Task(&rest)
    default: take(BenchTool.tool.argumentsOrExit(arguments))
    }
  }

  private mutating func take(_ arguments: ParsedArguments) {
    operations = arguments[BenchTool.operations] ?? operations
    rows = arguments[BenchTool.rows] ?? rows
    isGrowthMeasured = arguments[BenchTool.growth]
    greatestSweep = arguments[BenchTool.sweep]
    resultsFolder = arguments[BenchTool.results]
    thresholdsFile = arguments[BenchTool.thresholds] ?? thresholdsFile
    jsonFile = arguments[BenchTool.json]
    isProcessorTime = arguments[BenchTool.cpu]
    isAlone = arguments[BenchTool.alone]
  }

  static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst() else {
      throw BenchmarkError("'\(option)' needs a value; see --help.")
    }
    return value
  }

  static func rows(_ text: String) throws -> Int {
    guard let rows = BenchTool.rowCount(text) else {
      throw BenchmarkError("The number of rows is from 16 to 3000000, not '\(text)'.")
    }
    return rows
  }
}
