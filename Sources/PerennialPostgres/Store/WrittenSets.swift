// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL

/// What is known of the last change sets that were written, or may have been.
struct WrittenSets {
  /// An attempt of which nobody knows how it has ended.
  struct Doubt {
    /// The number by which the server knows.
    let token: Int64
    /// What the attempt was to write: a set of the same identifier may have other contents by now.
    let digest: Int
  }

  /// The identifiers of sets that were written; the latest last.
  private var identifiers: [UInt64] = []
  /// The attempts in doubt by the identifiers of their sets; the latest last.
  private var doubts: [(identifier: UInt64, doubt: Doubt)] = []
  /// The tokens of attempts that are committed, as long as the server has their rows.
  private var committed: [Int64] = []

  private static let greatestCount = 64

  func contains(_ identifier: UInt64) -> Bool { identifiers.contains(identifier) }

  /// The attempt of a set of which nobody knows how it has ended.
  func doubt(_ identifier: UInt64) -> Doubt? {
    doubts.last { $0.identifier == identifier }?.doubt
  }

  /// Notes that an attempt to write a set may have been committed.
  mutating func note(_ identifier: UInt64, _ doubt: Doubt) {
    forgetDoubt(identifier)
    doubts.append((identifier, doubt))
    if doubts.count > Self.greatestCount { doubts.removeFirst() }
  }

  /// Notes that an attempt was not committed, and never will be.
  mutating func forgetDoubt(_ identifier: UInt64) {
    doubts.removeAll { $0.identifier == identifier }
  }

  /// Notes that an attempt to write a set was committed.
  mutating func noteCommitted(_ identifier: UInt64, _ token: Int64) {
    forgetDoubt(identifier)
    identifiers.removeAll { $0 == identifier }
    identifiers.append(identifier)
    if identifiers.count > Self.greatestCount { identifiers.removeFirst() }
    committed.append(token)
  }

  /// Takes the tokens whose rows the next attempt deletes: two attempts that delete the same would wait for each other.
  mutating func takeCommitted() -> [Int64] {
    defer { committed = [] }
    return committed
  }

  /// Gives back tokens whose rows were not deleted.
  mutating func giveBack(_ tokens: [Int64]) { committed += tokens }
}
#endif
