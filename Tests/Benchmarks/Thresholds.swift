// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// What Perennial must not exceed, read from `Thresholds.json`.
struct Thresholds: Decodable {
  /// The thresholds of an operation; what is not there is measured and not judged.
  struct Entry: Decodable {
    /// Ours ÷ raw Swift.
    var ratio: Double?
    /// Bytes for each object.
    var bytes: Double?
    /// Nanoseconds for each step, on the machine of the performance page.
    var nanoseconds: Double?
    /// Ours ÷ a variant, by the variant's name.
    var variants: [String: Double]?
    /// How many times the cost of a tenth of the rows all of them may take.
    var growth: Double?
    /// Raw Swift ÷ raw C as once measured; more than 1.2 times of it is a yardstick that became slow.
    var yardstick: Double?
    /// What differs at so many rows.
    var at: [String: Entry]?

    /// The same with everything that the other one has.
    fileprivate func replaced(by other: Entry) -> Entry {
      Entry(
        ratio: other.ratio ?? ratio,
        bytes: other.bytes ?? bytes,
        nanoseconds: other.nanoseconds ?? nanoseconds,
        variants: other.variants ?? variants,
        growth: other.growth ?? growth,
        yardstick: other.yardstick ?? yardstick
      )
    }
  }

  /// Where the file is in a checkout.
  static let path = "Tests/Benchmarks/Thresholds.json"

  private var operations: [String: Entry]
  /// Instructions for each object, counted by `make perf-gate`.
  private(set) var instructions: [String: Double]

  /// Reads a file, and refuses names of operations and variants that do not exist.
  init(file: String) throws {
    do {
      let data = try Data(contentsOf: URL(filePath: file))
      self = try JSONDecoder().decode(Thresholds.self, from: data)
    } catch {
      throw BenchmarkError("The thresholds '\(file)' cannot be read: \(error)")
    }
    for (name, entry) in operations {
      guard let operation = Operation(rawValue: name) else {
        throw BenchmarkError("'\(file)' has thresholds for '\(name)', which is no operation.")
      }
      let variants = Bench.contestants(for: operation).map(\.role)
      for variant in (entry.variants ?? [:]).keys where !variants.contains(.variant(variant)) {
        throw BenchmarkError("'\(file)': operation '\(name)' has no variant '\(variant)'.")
      }
    }
  }

  /// The thresholds of an operation at so many commits.
  func entry(_ operation: Operation, rows: Int) -> Entry {
    guard let entry = operations[operation.rawValue] else { return Entry() }
    return entry.at?[String(rows)].map(entry.replaced) ?? entry
  }
}
