// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Runs the operations that the options name and reports them.
struct PostgresBench {
  /// Results with fewer rows are too noisy to be judged.
  static let rowsToJudge = 50_000
  /// A figure that is missed is measured once more: what else runs on the machine disturbs single rounds.
  private static let greatestRounds = 2

  private let options: PostgresOptions
  private let thresholds: PostgresThresholds
  private let workload: Workload
  private let shuffled: [CommitRecord]
  private let contestants: PostgresContestants
  private let database: BenchmarkDatabase

  init(_ options: PostgresOptions) throws {
    guard let url = options.url else {
      throw BenchmarkError("There is no server: set PERENNIAL_POSTGRES_URL or say --url.")
    }
    self.options = options
    thresholds = try PostgresThresholds(file: options.thresholdsFile)
    workload = Workload(rows: options.rows)
    var generator = SeededGenerator(seed: 7)
    shuffled = workload.commits.shuffled(using: &generator)
    contestants = PostgresContestants(url: url)
    database = try BenchmarkDatabase(url, workload)
  }

  /// Returns false when a figure is missed; which has been printed.
  func run() throws -> Bool {
    do {
      let results = try measure()
      try database.removeTables()
      return judge(results)
    } catch {
      try? database.removeTables()
      throw error
    }
  }

  private func measure() throws -> [PostgresResult] {
    let facts = try database.facts()
    print(facts.joined(separator: "\n") + "\n" + PostgresReport.heading)
    var results: [PostgresResult] = []
    var isFilled = false
    for operation in options.operations {
      if operation != .insert, !isFilled {
        try database.fill()
        isFilled = true
      }
      if operation == .insert { isFilled = false }
      let result = try measure(operation)
      print(PostgresReport.line(result))
      // What is printed is seen at once, also in a file.
      fflush(nil)
      results.append(result)
    }
    if let file = options.jsonFile {
      let lines = try results.map { try PostgresReport.json($0) + "\n" }
      try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
    }
    if let folder = options.resultsFolder {
      let page = PostgresReport.page(results, rows: options.rows, engine: facts)
      let file = URL(filePath: folder).appending(path: "Postgres-\(options.rows).md")
      try page.write(to: file, atomically: true, encoding: .utf8)
      print("Wrote \(file.path).")
    }
    return results
  }

  private func judge(_ results: [PostgresResult]) -> Bool {
    guard isJudged else {
      print("Nothing is judged: fewer than \(Self.rowsToJudge) rows, or one side only.")
      return true
    }
    let missed = results.filter { !$0.isWithinThreshold }.map(\.operation.rawValue)
    if !missed.isEmpty { print("Missed: \(missed.joined(separator: ", ")).") }
    return missed.isEmpty
  }

  private var isJudged: Bool { options.rows >= Self.rowsToJudge && options.only == nil }
}

// MARK: - One operation

extension PostgresBench {
  /// One warm-up, then the repetitions; in each the sides alternate, and another one begins.
  private func measure(_ operation: PostgresOperation) throws -> PostgresResult {
    let sides = contestants.all(for: operation)
      .filter { options.only == nil || $0.role == options.only }
    var result = PostgresResult(
      operation,
      rows: operation.count(of: options.rows),
      thresholds.entry(operation),
      sides.map(\.role),
      isJudged: isJudged
    )
    var revision = 0
    func next() throws -> PostgresTrial {
      revision += 1
      if operation == .insert { try database.clear() }
      return PostgresTrial(
        operation: operation,
        workload: workload,
        shuffled: shuffled,
        revision: revision
      )
    }
    repeat {
      for repetition in 0...options.repetitions {
        for turn in sides.indices {
          let index = (turn + repetition) % sides.count
          let time = try time(sides[index], next())
          if repetition > 0 { result.add(time, to: index) }
        }
      }
      result.rounds += 1
      if options.only == nil { result.roundTrips = try contestants.roundTrips(next()) }
    } while !result.isWithinThreshold && isJudged && result.rounds < Self.greatestRounds
    return result
  }

  /// The time of one repetition in milliseconds.
  private func time(_ contestant: PostgresContestant, _ trial: PostgresTrial) throws -> Double {
    let sum: UInt64
    let milliseconds: Double
    do {
      let work = try contestant.prepare(trial)
      let start = now
      sum = try work()
      milliseconds = now - start
    }
    try database.check(trial, sum)
    return milliseconds
  }

  /// The time in milliseconds since some moment.
  private var now: Double {
    var time = timespec()
    clock_gettime(options.isProcessorTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}
