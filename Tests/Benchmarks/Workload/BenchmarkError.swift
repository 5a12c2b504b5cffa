// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What stops the bench, as one sentence for its user.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
