// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialStore

// How many statements something takes: for tests, above all.

extension PersistentContainer {
  /// Runs a closure, and throws when it has taken another number of statements than expected.
  ///
  /// ```swift
  /// @Test func `the list takes two statements`() throws {
  ///   try container.assertStatements(2) {
  ///     _ = try context.fetch(Commit.all.prefetching(\.author)).map(\.author?.name)
  ///   }
  /// }
  /// ```
  ///
  /// The error lists the statements, without values: a loop that loads objects one by one shows at once. What other
  /// contexts of the container ask meanwhile counts, too. ``counters`` counts without throwing.
  ///
  /// - Parameters:
  ///   - count: The expected number of statements; in a store without statements, of requests.
  ///   - body: The code that asks the store.
  /// - Returns: What the closure returns.
  /// - Throws: `unexpectedStatements` (200011), or what the closure throws.
  @discardableResult
  public func assertStatements<Result>(
    _ count: Int,
    _ body: () throws -> Result
  ) throws -> Result {
    var recording = StatementRecording(coordinator)
    defer { recording.end() }
    let result = try body()
    try recording.check(count)
    return result
  }

  /// Runs an asynchronous closure, and throws when it has taken another number of statements than expected.
  ///
  /// - Parameters:
  ///   - count: The expected number of statements.
  ///   - isolation: The actor of the closure: the caller's.
  ///   - body: The code that asks the store.
  /// - Returns: What the closure returns.
  /// - Throws: `unexpectedStatements` (200011), or what the closure throws.
  @discardableResult
  public func assertStatements<Result>(
    _ count: Int,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async throws -> Result {
    var recording = StatementRecording(coordinator)
    defer { recording.end() }
    let result = try await body()
    try recording.check(count)
    return result
  }
}

/// The statements from its making to its end.
private struct StatementRecording {
  private let recorder: StatementRecorder
  private let beginning: Int
  private var texts: [String]?

  init(_ coordinator: StoreCoordinator) {
    recorder = coordinator.store.recorder
    beginning = recorder.begin()
  }

  mutating func end() {
    if texts == nil { texts = recorder.end(beginning) }
  }

  mutating func check(_ count: Int) throws(PerennialError) {
    end()
    guard let texts, texts.count != count else { return }
    let list = texts.enumerated().map { "\n  \($0.offset + 1). \($0.element)" }.joined()
    throw PerennialError(
      .unexpectedStatements,
      "\(texts.count) statements have run, not \(count)\(texts.isEmpty ? "." : ":")\(list)",
      recovery: "prefetch what is loaded one by one, or correct the number"
    )
  }
}
