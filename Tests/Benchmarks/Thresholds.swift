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

  /// Reads a file, and refuses keys and names of operations and variants that do not exist.
  init(file: String) throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw BenchmarkError(
        "There are no thresholds at '\(file)'; run in the checkout, or name a file."
      )
    }
    do {
      self = try JSONDecoder().decode(Thresholds.self, from: data)
      try Self.checkKeys(of: data)
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

  /// The decoder skips keys that it does not know; a misspelt one would judge nothing.
  private static func checkKeys(of data: Data) throws {
    let known = ["ratio", "bytes", "nanoseconds", "variants", "growth", "yardstick", "at"]
    let file = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let entries = file?["operations"] as? [String: [String: Any]] ?? [:]
    for (name, entry) in entries {
      let replacing = entry["at"] as? [String: [String: Any]] ?? [:]
      let keys = [entry.keys] + replacing.values.map(\.keys)
      for key in keys.joined() where !known.contains(key) {
        throw BenchmarkError("'\(name)' has the unknown key '\(key)'.")
      }
    }
  }

  /// The thresholds of an operation at so many commits.
  func entry(_ operation: Operation, rows: Int) -> Entry {
    guard let entry = operations[operation.rawValue] else { return Entry() }
    return entry.at?[String(rows)].map(entry.replaced) ?? entry
  }
}
