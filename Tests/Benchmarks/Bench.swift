// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Runs the operations that the options name and reports them.
struct Bench {
  /// Results with fewer rows are too noisy to be judged.
  private static let rowsToJudge = 50_000
  /// A figure that is missed is measured once more, and judged by the medians of both rounds: what
  /// else runs on the machine disturbs single rounds.
  private static let greatestRounds = 2

  let options: Options
  private let thresholds: Thresholds
  private let folder: URL

  init(options: Options) throws {
    self.options = options
    thresholds = try Thresholds(file: options.thresholdsFile)
    folder = FileManager.default.temporaryDirectory
      .appending(path: "perennial-bench-\(ProcessInfo.processInfo.processIdentifier)")
  }

  /// Returns false when a figure is missed or the yardstick is too slow; which has been printed.
  func run() throws -> Bool {
    defer { try? FileManager.default.removeItem(at: folder) }
    print("Stores in \(folder.path); writer cache 64 MiB and 16-row INSERT OR ROLLBACK both sides.")
    if options.greatestSweep != nil {
      let sweep = try Sweep.run(options, in: folder)
      try write(sweep.rows.map(Report.json))
      try options.resultsFolder.map { try ResultsFolder($0).write(sweep) }
      return true
    }
    let sitting = try Sitting(
      in: folder,
      rows: options.rows,
      largeRows: StoreFiles.largeRows(of: options.rows),
      options: options
    )
    let slowness = try sitting.slowness()
    print(Report.slowness(slowness))
    print(Report.heading)
    var results: [OperationResult] = []
    for operation in options.operations {
      let result = try result(of: operation, sitting, slowness, maximumRounds: maximumRounds)
      print(Report.table(result))
      // What is printed is seen at once, also in a file.
      fflush(nil)
      results.append(result)
    }
    let growths = options.isGrowthMeasured ? try self.growths(of: results) : []
    try write(results.map(Report.json) + growths.map(Report.json))
    try options.resultsFolder.map {
      try ResultsFolder($0).write(results, growths, rows: options.rows, slowness: slowness)
    }
    return judge(results, growths)
  }

  private var isJudged: Bool { options.rows >= Self.rowsToJudge }
  private var maximumRounds: Int { isJudged && !options.isAlone ? Self.greatestRounds : 1 }

  static func contestants(for operation: Operation) -> [Contestant] {
    ours(for: operation) + RawContestants.contestants(for: operation)
      + RawCContestants.contestants(for: operation)
  }

  private func result(
    of operation: Operation,
    _ sitting: Sitting,
    _ slowness: Double,
    maximumRounds: Int
  ) throws -> OperationResult {
    let contestants = sitting.contestants(for: operation)
    var result = OperationResult(
      of: operation,
      rows: try sitting.rows(of: operation),
      threshold: thresholds.entry(operation, rows: sitting.rows),
      slowness: slowness,
      isJudged: isJudged
    )
    var samples = Samples(of: contestants.map(\.role))
    repeat {
      try sitting.measure(operation, contestants, into: &samples)
      result.take(samples)
    } while result.rounds < maximumRounds && !(result.isWithinThresholds && result.isYardstickFast)
    return result
  }

  // MARK: Growth

  private func growths(of results: [OperationResult]) throws -> [Growth] {
    print(Report.growthHeading)
    let tenth = max(options.rows / 10, 16)
    let sitting = try Sitting(
      in: folder,
      rows: tenth,
      largeRows: StoreFiles.largeRows(of: tenth),
      options: options
    )
    var growths: [Growth] = []
    for result in results {
      guard let limit = result.threshold.growth, let large = result.ours,
        try sitting.rows(of: result.operation) < result.rows
      else { continue }
      let smaller = try self.result(of: result.operation, sitting, 1, maximumRounds: 1)
      guard let small = smaller.ours else { continue }
      let growth = Growth(
        name: result.operation.rawValue,
        rows: result.rows,
        small: small,
        large: large,
        limit: limit,
        rawFactor: smaller.raw.flatMap { raw in result.raw.map { $0 / raw } },
        isRatioHeld: result.isWithinThreshold,
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
      results.filter { !$0.isWithinThresholds }.map(\.operation.rawValue)
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
  static func createStore(at file: URL) throws { try PerennialContestants.createStore(at: file) }

  static func indexText(of file: URL) throws { try PerennialContestants.indexText(of: file) }

  private static func ours(for operation: Operation) -> [Contestant] {
    PerennialContestants.contestants(for: operation)
  }

  private func furtherGrowths() throws -> [Growth] {
    [try ToManyInsertion.growth(in: folder)] + (try MemoryStoreGrowth.growths())
  }
}
#else
extension Bench {
  static func createStore(at file: URL) throws { try RawSchema.create(at: file) }

  static func indexText(of file: URL) throws {}

  private static func ours(for operation: Operation) -> [Contestant] { [] }

  private func furtherGrowths() throws -> [Growth] { [] }
}
#endif
