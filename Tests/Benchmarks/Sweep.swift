// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// How the cost of operations grows from a few rows to very many.
struct Sweep {
  private static let sizes = [1_000, 10_000, 100_000, 1_000_000, 3_000_000]
  /// Stores of so many rows are measured once and not warmed up.
  private static let rowsToSpare = 1_000_000

  /// The times of one operation, in milliseconds, in the order of the sizes.
  struct Row {
    let operation: Operation
    let sizes: [Int]
    var ours: [Double] = []
    var raw: [Double] = []

    /// The exponent of the growth of ours: 1 when the time is proportional to the rows.
    var slope: Double? { Sweep.slope(sizes, ours) }
    var rawSlope: Double? { Sweep.slope(sizes, raw) }
  }

  let sizes: [Int]
  private(set) var rows: [Row]

  /// Measures the operations in all sizes; the large stores are no larger than the others here.
  static func run(_ options: Options, in folder: URL) throws -> Sweep {
    let sizes = sizes.filter { $0 <= options.greatestSweep ?? 0 }
    let rows = options.operations.filter { !$0.isMemory }.map { Row(operation: $0, sizes: sizes) }
    var sweep = Sweep(sizes: sizes, rows: rows)
    for size in sizes {
      let own = folder.appending(path: "sweep")
      let sitting = try Sitting(
        in: own,
        rows: size,
        largeRows: size,
        options: options,
        isSparing: size >= rowsToSpare
      )
      for index in sweep.rows.indices { try sweep.rows[index].measure(sitting) }
      try FileManager.default.removeItem(at: own)
      print("\(size) rows are measured.")
      fflush(nil)
    }
    print(Report.heading(ofSweep: sizes))
    for row in sweep.rows { print(Report.table(row)) }
    return sweep
  }

  /// The slope of the line through the logarithms of the sizes and the times, by least squares.
  private static func slope(_ sizes: [Int], _ times: [Double]) -> Double? {
    guard times.count == sizes.count, times.count > 1, times.allSatisfy({ $0 > 0 }) else {
      return nil
    }
    let points = zip(sizes, times).map { (log10(Double($0)), log10($1)) }
    let count = Double(points.count)
    let (meanX, meanY) = (
      points.reduce(0) { $0 + $1.0 } / count, points.reduce(0) { $0 + $1.1 } / count
    )
    let products = points.reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
    return products / points.reduce(0) { $0 + ($1.0 - meanX) * ($1.0 - meanX) }
  }
}

extension Sweep.Row {
  fileprivate mutating func measure(_ sitting: Sitting) throws {
    let contestants = sitting.contestants(for: operation)
      .filter { $0.role == .ours || $0.role == .yardstick }
    var samples = Samples(of: contestants.map(\.role))
    try sitting.measure(operation, contestants, into: &samples)
    for (index, contestant) in contestants.enumerated() {
      let median = samples.median(of: index)
      if contestant.role == .ours { ours.append(median) } else { raw.append(median) }
    }
  }
}
