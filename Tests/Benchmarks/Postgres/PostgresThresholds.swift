// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// What Perennial must not exceed on a server, read from `Postgres/Thresholds.json`.
struct PostgresThresholds: Decodable {
  struct Entry: Decodable {
    /// Ours ÷ raw.
    var ratio: Double?
    /// How often a save may wait for the server.
    var roundTrips: Int?
  }

  /// Where the file is in a checkout.
  static let path = "Tests/Benchmarks/Postgres/Thresholds.json"

  private var operations: [String: Entry]

  /// Reads a file, and refuses names of operations that do not exist.
  init(file: String) throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw BenchmarkError(
        "There are no thresholds at '\(file)'; run in the checkout, or name a file."
      )
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch {
      throw BenchmarkError("The thresholds '\(file)' cannot be read: \(error)")
    }
    for name in operations.keys where PostgresOperation(rawValue: name) == nil {
      throw BenchmarkError("'\(file)' has thresholds for '\(name)', which is no operation.")
    }
  }

  /// The thresholds of an operation; what is not there is measured and not judged.
  func entry(_ operation: PostgresOperation) -> Entry { operations[operation.rawValue] ?? Entry() }
}
