// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// W11, J3 and J4: how much memory a process needs that fetches all objects, reads every attribute of each and
/// still holds them.
///
/// Each contestant runs in a process of its own, started for it: the growth from the moment before
/// the fetch to the peak, over the number of objects.
enum MemoryWorker {
  /// Starts this program anew as a worker and takes the bytes per object that it prints.
  static func bytesPerObject(
    _ operation: Operation,
    _ contestant: Contestant.Role,
    file: URL,
    rows: Int
  ) throws -> Double {
    guard let program = Bundle.main.executableURL else {
      throw BenchmarkError("\(operation.rawValue) cannot find the program to start.")
    }
    let output = Pipe()
    let process = Process()
    process.executableURL = program
    process.arguments = [
      "--memory-of", operation.rawValue, contestant == .ours ? "ours" : "raw", file.path,
      String(rows),
    ]
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0,
      let bytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
    else { throw BenchmarkError("\(operation.rawValue): the worker of '\(contestant)' failed.") }
    return bytes
  }

  /// The worker's side.
  struct Task {
    private let contestant: Contestant
    private let trial: Trial

    /// Reads what follows `--memory-of`: operation, `ours` or `raw`, store, number of rows.
    init(_ arguments: inout ArraySlice<String>) throws {
      let operation = Operation(rawValue: try Options.value(of: "--memory-of", &arguments))
      let role: Contestant.Role =
        try Options.value(of: "--memory-of", &arguments) == "ours" ? .ours : .yardstick
      let file = URL(filePath: try Options.value(of: "--memory-of", &arguments))
      let rows = Int(try Options.value(of: "--memory-of", &arguments)) ?? 0
      guard let operation,
        let found = Bench.contestants(for: operation).first(where: { $0.role == role })
      else { throw BenchmarkError("There is no such contestant.") }
      contestant = found
      trial = Trial(file: file, workload: Workload(rows: 0), rows: rows)
    }

    /// Runs the contestant and prints the bytes per object.
    func run() throws {
      let work = try contestant.prepare(trial)
      let before = try ProcessMemory.current()
      _ = try work()
      let peak = try ProcessMemory.peak()
      print(Double(peak - before) / Double(trial.rows))
    }
  }
}
