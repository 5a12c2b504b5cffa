// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Runs the operations that the options name and reports them.
struct Bench {
  /// Results with fewer rows are too noisy to be judged.
  private static let rowsToJudge = 50_000
  /// A figure that is missed is measured again, so often, and judged by the medians of all rounds:
  /// what else runs on the machine disturbs single rounds.
  private static let greatestRounds = 3

  let options: Options
  private let folder: URL

  init(options: Options) {
    self.options = options
    folder = FileManager.default.temporaryDirectory
      .appending(path: "perennial-bench-\(ProcessInfo.processInfo.processIdentifier)")
  }

  /// Returns false when a figure is missed or the yardstick is too slow; which has been printed.
  func run() throws -> Bool {
    defer { try? FileManager.default.removeItem(at: folder) }
    print("Stores in \(folder.path); writer cache 64 MiB and 16-row INSERT OR ROLLBACK both sides.")
    print(Report.heading)
    let all = try measure(rows: options.rows, maximumRounds: maximumRounds)
    var lines: [String] = []
    var results: [OperationResult] = []
    for operation in options.operations {
      let result = try all(operation)
      print(Report.table(result))
      lines.append(Report.json(result))
      results.append(result)
    }
    for note in Report.notes(results) { print(note) }
    let growths = options.isGrowthMeasured ? try self.growths(of: results) : []
    try write(lines + growths.map(Report.json))
    return judge(results, growths)
  }

  private var isJudged: Bool { options.rows >= Self.rowsToJudge }
  private var maximumRounds: Int { isJudged ? Self.greatestRounds : 1 }

  /// What measures operations on stores of so many rows, in a folder of their own.
  private func measure(
    rows: Int,
    maximumRounds: Int
  ) throws -> (Operation) throws -> OperationResult {
    let folder = folder.appending(path: String(rows))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let workload = Workload(rows: rows)
    let stores = try StoreFiles(
      in: folder,
      workload: workload,
      createStore: createStore,
      indexText: Self.indexText
    )
    let measure = Measure(workload: workload, stores: stores)
    return { operation in
      try result(of: operation, stores, measure, rows: rows, maximumRounds: maximumRounds)
    }
  }

  static func contestants(for operation: Operation) -> [Contestant] {
    ours(for: operation) + RawContestants.contestants(for: operation)
      + RawCContestants.contestants(for: operation)
  }

  private func result(
    of operation: Operation,
    _ stores: StoreFiles,
    _ measure: Measure,
    rows: Int,
    maximumRounds: Int
  ) throws -> OperationResult {
    let contestants = Self.contestants(for: operation)
      .filter { !options.isAlone || $0.role == .ours }
    let rows = operation.store == .large ? try stores.large().rows : rows
    var result = OperationResult(of: operation, rows: rows, isJudged: isJudged)
    var samples = Samples(of: contestants.map(\.role))
    repeat {
      if operation.isMemory {
        let isLarge = operation.store == .large
        let file = try isLarge ? stores.large().file : stores.copyOfFilled()
        defer { if !isLarge { stores.remove(file) } }
        let trial = Trial(file: file, workload: stores.workload, rows: rows)
        for (index, contestant) in contestants.enumerated() {
          // What a worker only opens is made here.
          if !isLarge { _ = try contestant.prepare(trial) }
          let bytes = try MemoryWorker.bytesPerObject(
            operation,
            contestant.role,
            file: file,
            rows: rows
          )
          samples.add(bytes, to: index)
        }
      } else {
        try measure.measure(operation, contestants, into: &samples)
      }
      result.take(samples)
    } while result.rounds < maximumRounds && !(result.isWithinLimit && result.isYardstickFast)
    return result
  }

  // MARK: Growth

  private func growths(of results: [OperationResult]) throws -> [Growth] {
    print(Report.growthHeading)
    let tenth = try measure(rows: max(options.rows / 10, 16), maximumRounds: 1)
    var growths: [Growth] = []
    for result in results {
      guard let limit = result.operation.greatestGrowth, let large = result.ours else { continue }
      let smaller = try tenth(result.operation)
      guard let small = smaller.ours else { continue }
      let growth = Growth(
        name: result.operation.rawValue,
        rows: result.rows,
        small: small,
        large: large,
        limit: limit,
        rawFactor: smaller.raw.flatMap { raw in result.raw.map { $0 / raw } },
        isJudged: isJudged
      )
      print(Report.table(growth))
      growths.append(growth)
    }
    for growth in try furtherGrowths() {
      print(Report.table(growth))
      growths.append(growth)
    }
    return growths
  }

  // MARK: Verdict

  private func judge(_ results: [OperationResult], _ growths: [Growth]) -> Bool {
    guard isJudged else {
      print("Fewer than \(Self.rowsToJudge) rows: nothing is judged.")
      return true
    }
    var isGood = true
    for result in results where !result.isYardstickFast {
      isGood = false
      print(
        "\(result.operation.rawValue): raw Swift is too slow against raw C; mend the yardstick."
      )
    }
    let missed =
      results.filter { !$0.isWithinLimit }.map(\.operation.rawValue)
      + growths.filter { !$0.isWithinLimit && !$0.isBoundedBySQLite }.map { "growth of \($0.name)" }
    if !missed.isEmpty {
      isGood = false
      print("Missed: \(missed.joined(separator: ", ")).")
    }
    return isGood
  }

  private func write(_ lines: [String]) throws {
    guard let path = options.jsonFile else { return }
    let text = lines.map { $0 + "\n" }.joined()
    try text.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
  }
}

#if PERENNIAL
// The target is built with Perennial: the store is made by it, and it takes part.
extension Bench {
  private func createStore(at file: URL) throws { try PerennialContestants.createStore(at: file) }

  private static func indexText(of file: URL) throws {
    try PerennialContestants.indexText(of: file)
  }

  private static func ours(for operation: Operation) -> [Contestant] {
    PerennialContestants.contestants(for: operation)
  }

  private func furtherGrowths() throws -> [Growth] {
    [try ToManyInsertion.growth(in: folder)] + (try MemoryStoreGrowth.growths())
  }
}
#else
extension Bench {
  private func createStore(at file: URL) throws { try RawSchema.create(at: file) }

  private static func indexText(of file: URL) throws {}

  private static func ours(for operation: Operation) -> [Contestant] { [] }

  private func furtherGrowths() throws -> [Growth] { [] }
}
#endif
