// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import BenchmarksRawC
import Foundation

/// What `.ci/perf-gate` starts: one operation whose instructions callgrind counts.
///
/// Only what runs within `rawc_counted` is to be counted, not the program's start or the workload.
enum CountedTask {
  /// Makes an empty and a filled store in a folder, which is not counted.
  case prepare(folder: URL, rows: Int)
  /// Runs an operation on a store, and prints its sum.
  case count(Operation, Contestant, store: URL, rows: Int)

  /// Reads what follows `--prepare`: a folder, and a number of rows.
  static func prepare(_ arguments: inout ArraySlice<String>) throws -> CountedTask {
    let folder = URL(filePath: try Options.value(of: "--prepare", &arguments))
    let rows = try Options.rows(Options.value(of: "--prepare", &arguments))
    return .prepare(folder: folder, rows: rows)
  }

  /// Reads what follows `--counted`: operation, `ours` or `raw`, store, number of rows (also 0).
  static func count(_ arguments: inout ArraySlice<String>) throws -> CountedTask {
    let name = try Options.value(of: "--counted", &arguments)
    let isOurs = try Options.value(of: "--counted", &arguments) == "ours"
    let store = URL(filePath: try Options.value(of: "--counted", &arguments))
    let rows = Int(try Options.value(of: "--counted", &arguments)) ?? 0
    guard let operation = Operation(rawValue: name),
      let contestant = Bench.contestants(for: operation)
        .first(where: { $0.role == (isOurs ? .ours : .yardstick) })
    else {
      throw BenchmarkError("'--counted' knows no operation '\(name)' of that side.")
    }
    return .count(operation, contestant, store: store, rows: rows)
  }

  func run() throws {
    switch self {
    case .prepare(let folder, let rows):
      _ = try StoreFiles(
        in: folder,
        workload: Workload(rows: rows),
        largeRows: rows,
        createStore: Bench.createStore,
        indexText: Bench.indexText
      )
    case .count(let operation, let contestant, let store, let rows):
      var workload = Workload(rows: rows)
      if operation == .update || operation == .upsertChanged {
        workload = workload.revised(1, first: rows)
      }
      // What happens once in a process is not counted: the first run works on a copy.
      let copy = store.appendingPathExtension("copy")
      try FileManager.default.copyItem(at: store, to: copy)
      _ = try contestant.prepare(Trial(file: copy, workload: workload, rows: rows))()
      let work = try contestant.prepare(Trial(file: store, workload: workload, rows: rows))
      print(try Self.counted(work))
    }
  }

  /// Runs a closure within `rawc_counted`.
  private static func counted(_ work: @escaping () throws -> UInt64) throws -> UInt64 {
    final class Call {
      let work: () throws -> UInt64
      var result: Result<UInt64, any Error>?

      init(_ work: @escaping () throws -> UInt64) { self.work = work }
    }
    let call = Call(work)
    // Safe because the call outlives the function, which keeps no pointer to it.
    rawc_counted(
      { pointer in
        let call = Unmanaged<Call>.fromOpaque(pointer).takeUnretainedValue()
        call.result = Result { try call.work() }
      },
      Unmanaged.passUnretained(call).toOpaque()
    )
    guard let result = call.result else { throw BenchmarkError("The work was not done.") }
    return try result.get()
  }
}
