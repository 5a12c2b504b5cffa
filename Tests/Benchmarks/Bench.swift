// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Runs the operations that the options name and reports them.
struct Bench {
  /// Results with fewer rows are too noisy to judge the yardstick by.
  private static let rowsToJudge = 50_000

  let options: Options

  /// Returns false when the yardstick is too slow; the reason has been printed.
  func run() throws -> Bool {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "perennial-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    print("Stores in \(folder.path); writer cache 64 MiB and 16-row INSERT OR ROLLBACK both sides.")
    let workload = Workload(rows: options.rows)
    let stores = try StoreFiles(in: folder, workload: workload, createStore: createStore)
    let measure = Measure(workload: workload, stores: stores)
    print(Report.heading)
    var results: [OperationResult] = []
    for operation in options.operations {
      let result = try self.result(of: operation, measure)
      print(Report.table(result))
      results.append(result)
    }
    for note in Report.notes(results) { print(note) }
    try writeJSON(results)
    return judge(results)
  }

  private func result(of operation: Operation, _ measure: Measure) throws -> OperationResult {
    let contestants =
      ours(for: operation) + RawContestants.contestants(for: operation)
      + RawCContestants.contestants(for: operation)
    let medians = try measure.medians(of: operation, contestants)
    var result = OperationResult(operation: operation, rows: options.rows)
    for (contestant, time) in zip(contestants, medians) {
      switch contestant.role {
      case .ours: result.ours = time
      case .yardstick: result.raw = time
      case .rawC: result.rawC = time
      case .variant(let name): result.variants.append((name, time))
      }
    }
    return result
  }

  private func judge(_ results: [OperationResult]) -> Bool {
    guard options.rows >= Self.rowsToJudge else {
      print("Fewer than \(Self.rowsToJudge) rows: the yardstick is not judged.")
      return true
    }
    let slow = results.filter { !$0.isYardstickFast }
    for result in slow {
      print(
        "\(result.operation.rawValue): raw Swift is too slow against raw C; mend the yardstick."
      )
    }
    return slow.isEmpty
  }

  private func writeJSON(_ results: [OperationResult]) throws {
    guard let path = options.jsonFile else { return }
    let text = results.map { Report.json($0) + "\n" }.joined()
    try text.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
  }
}

#if PERENNIAL
// The target is built with Perennial: the store is made by it, and it takes part.
extension Bench {
  private func createStore(at file: URL) throws { try PerennialContestants.createStore(at: file) }

  private func ours(for operation: Operation) -> [Contestant] {
    PerennialContestants.contestants(for: operation)
  }
}
#else
extension Bench {
  private func createStore(at file: URL) throws { try RawSchema.create(at: file) }

  private func ours(for operation: Operation) -> [Contestant] { [] }
}
#endif
