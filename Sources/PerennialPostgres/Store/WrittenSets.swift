// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL

/// What is known of the last change sets that were written, or may have been.
struct WrittenSets {
  /// The identifiers of sets that were written, or may have been; the latest last.
  private var identifiers: [UInt64] = []
  /// The tokens of attempts of which nobody knows how they have ended, by the identifiers of their sets.
  private var doubts: [UInt64: Int64] = [:]
  /// The tokens of attempts that are committed, as long as the server has their rows.
  private(set) var committed: [Int64] = []

  private static let greatestCount = 64

  func contains(_ identifier: UInt64) -> Bool { identifiers.contains(identifier) }

  /// The attempt of a set of which nobody knows how it has ended.
  func doubt(_ identifier: UInt64) -> Int64? { doubts[identifier] }

  /// Notes that a set was written, or may have been.
  mutating func note(_ identifier: UInt64, doubt: Int64? = nil) {
    identifiers.removeAll { $0 == identifier }
    identifiers.append(identifier)
    doubts[identifier] = doubt
    if identifiers.count > Self.greatestCount { doubts[identifiers.removeFirst()] = nil }
  }

  /// Notes that an attempt was committed, and that the rows of others are gone.
  mutating func noteCommitted(_ token: Int64, forgotten: [Int64]) {
    committed.removeAll(where: forgotten.contains)
    committed.append(token)
  }
}
#endif
