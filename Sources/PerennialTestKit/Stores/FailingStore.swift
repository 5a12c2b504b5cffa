// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Perennial
import Synchronization

/// A store that fails at one of its calls, and leaves all others to another store.
///
/// ```swift
/// for number in 1... {
///   let store = FailingStore(try CSVStore(folder: makeEmptyFolder()), at: number)
///   do { try work(in: store) } catch { failures += 1 }
///   if store.callCount < number { break }
/// }
/// ```
public final class FailingStore: PersistentStore {
  /// What the store throws at the call that fails.
  public struct Failure: Error, Sendable, Hashable {
    /// The number of the call, from 1, among those that count.
    public let number: Int
  }

  private let base: any PersistentStore
  private let kinds: Set<StoreCall.Kind>
  private let number: Int
  private let failsAfterwards: Bool
  private let count = Mutex(0)

  /// A store that fails at one call.
  ///
  /// - Parameters:
  ///   - base: The store that does the work.
  ///   - kinds: The kinds of calls that count.
  ///   - number: Which of these calls fails, from 1.
  ///   - failsAfterwards: Whether the work is done before the call fails, as when a connection breaks
  ///     before the answer comes.
  public init(
    _ base: any PersistentStore,
    in kinds: Set<StoreCall.Kind> = Set(StoreCall.Kind.allCases),
    at number: Int,
    afterwards failsAfterwards: Bool = false
  ) {
    self.base = base
    self.kinds = kinds
    self.number = number
    self.failsAfterwards = failsAfterwards
  }

  /// How many calls of the kinds that count there have been so far.
  public var callCount: Int { count.withLock { $0 } }

  /// What the other store claims.
  public var capabilities: StoreCapabilities { base.capabilities }

  /// Calls the other store.
  ///
  /// - Parameter model: The model of the rows to come.
  /// - Returns: What the other store gives: the metadata; `nil` when there is no store yet.
  /// - Throws: ``Failure`` if this is the call that fails; otherwise what the other store throws.
  public func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? {
    try call(.open) { try base.open(model) }
  }

  /// Calls the other store.
  ///
  /// - Parameter metadata: What to keep.
  /// - Throws: ``Failure`` if this is the call that fails; otherwise what the other store throws.
  public func write(_ metadata: PersistentStoreMetadata) throws {
    try call(.write) { try base.write(metadata) }
  }

  /// Calls the other store.
  ///
  /// - Parameter request: What to fetch.
  /// - Returns: What the other store gives: the rows.
  /// - Throws: ``Failure`` if this is the call that fails; otherwise what the other store throws.
  public func fetch(_ request: StoreRequest) throws -> [StoreRow] {
    try call(.fetch) { try base.fetch(request) }
  }

  /// Calls the other store.
  ///
  /// - Parameter request: What to count.
  /// - Returns: What the other store gives: the number of rows.
  /// - Throws: ``Failure`` if this is the call that fails; otherwise what the other store throws.
  public func count(_ request: StoreRequest) throws -> Int {
    try call(.count) { try base.count(request) }
  }

  /// Calls the other store.
  ///
  /// - Parameters:
  ///   - table: The table's name.
  ///   - keys: The keys, each once.
  /// - Returns: What the other store gives: the rows, in any order.
  /// - Throws: ``Failure`` if this is the call that fails; otherwise what the other store throws.
  public func rows(of table: String, keys: [Int64]) throws -> [StoreRow] {
    try call(.rows) { try base.rows(of: table, keys: keys) }
  }

  /// Calls the other store.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - owners: The keys of the owners, each once.
  /// - Returns: What the other store gives: the lists by owner.
  /// - Throws: ``Failure`` if this is the call that fails; otherwise what the other store throws.
  public func members(
    of relationship: StoreRelationship,
    owners: [Int64]
  ) throws -> [Int64: [Int64]] {
    try call(.members) { try base.members(of: relationship, owners: owners) }
  }

  /// Calls the other store.
  ///
  /// - Parameters:
  ///   - count: How many keys, at least 1.
  ///   - table: The table's name.
  /// - Returns: What the other store gives: the first of `count` successive keys.
  /// - Throws: ``Failure`` if this is the call that fails; otherwise what the other store throws.
  public func reserveKeys(_ count: Int, of table: String) throws -> Int64 {
    try call(.reserveKeys) { try base.reserveKeys(count, of: table) }
  }

  /// Calls the other store.
  ///
  /// - Parameter batch: What to change.
  /// - Returns: What the other store gives: how many rows were changed.
  /// - Throws: ``Failure`` if this is the call that fails; otherwise what the other store throws.
  public func execute(_ batch: StoreBatch) throws -> Int {
    try call(.execute) { try base.execute(batch) }
  }

  /// Calls the other store.
  ///
  /// - Parameter changes: What to write.
  /// - Returns: What the other store gives: the conflicts that prevented the save.
  /// - Throws: ``Failure`` if this is the call that fails; otherwise what the other store throws.
  public func save(_ changes: StoreChanges) throws -> [StoreConflict] {
    try call(.save) { try base.save(changes) }
  }

  private func call<Result>(_ kind: StoreCall.Kind, _ body: () throws -> Result) throws -> Result {
    let isFailing = count.withLock { count in
      if kinds.contains(kind) { count += 1 }
      return kinds.contains(kind) && count == number
    }
    guard isFailing else { return try body() }
    if failsAfterwards { _ = try body() }
    throw Failure(number: number)
  }
}
