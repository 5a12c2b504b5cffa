// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Perennial
import Synchronization

/// A store that records its calls, and leaves them to another store.
///
/// ```swift
/// let store = RecordingStore(try CSVStore(folder: folder))
/// let container = try PersistentContainer(name: "A", model: model, store: .custom { store })
/// try work(in: container.newBackgroundContext())
/// #expect(store.calls.filter { $0.kind == .save }.count == 1)
/// ```
public final class RecordingStore: PersistentStore {
  private let base: any PersistentStore
  private let log = Mutex<[StoreCall]>([])

  /// A store that leaves its calls to another one.
  ///
  /// - Parameter base: The store that does the work.
  public init(_ base: any PersistentStore) { self.base = base }

  /// The calls so far, in their order.
  public var calls: [StoreCall] { log.withLock { $0 } }

  /// Forgets the calls so far.
  public func forgetCalls() { log.withLock { $0 = [] } }

  /// What the other store claims.
  public var capabilities: StoreCapabilities { base.capabilities }

  /// Calls the other store.
  ///
  /// - Parameter model: The model of the rows to come.
  /// - Returns: What the other store gives: the metadata; `nil` when there is no store yet.
  /// - Throws: What the other store throws; the call is recorded even then.
  public func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? {
    note(.open)
    return try base.open(model)
  }

  /// Calls the other store.
  ///
  /// - Parameter metadata: What to keep.
  /// - Throws: What the other store throws; the call is recorded even then.
  public func write(_ metadata: PersistentStoreMetadata) throws {
    note(.write(metadata))
    try base.write(metadata)
  }

  /// Calls the other store.
  ///
  /// - Parameter request: What to fetch.
  /// - Returns: What the other store gives: the rows.
  /// - Throws: What the other store throws; the call is recorded even then.
  public func fetch(_ request: StoreRequest) throws -> [StoreRow] {
    note(.fetch(request))
    return try base.fetch(request)
  }

  /// Calls the other store.
  ///
  /// - Parameter request: What to count.
  /// - Returns: What the other store gives: the number of rows.
  /// - Throws: What the other store throws; the call is recorded even then.
  public func count(_ request: StoreRequest) throws -> Int {
    note(.count(request))
    return try base.count(request)
  }

  /// Calls the other store.
  ///
  /// - Parameters:
  ///   - table: The table's name.
  ///   - keys: The keys, each once.
  /// - Returns: What the other store gives: the rows, in any order.
  /// - Throws: What the other store throws; the call is recorded even then.
  public func rows(of table: String, keys: [Int64]) throws -> [StoreRow] {
    note(.rows(table: table, keys: keys))
    return try base.rows(of: table, keys: keys)
  }

  /// Calls the other store.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - owners: The keys of the owners, each once.
  /// - Returns: What the other store gives: the lists by owner.
  /// - Throws: What the other store throws; the call is recorded even then.
  public func members(
    of relationship: StoreRelationship,
    owners: [Int64]
  ) throws -> [Int64: [Int64]] {
    note(.members(relationship, owners: owners))
    return try base.members(of: relationship, owners: owners)
  }

  /// Calls the other store.
  ///
  /// - Parameters:
  ///   - count: How many keys, at least 1.
  ///   - table: The table's name.
  /// - Returns: What the other store gives: the first of `count` successive keys.
  /// - Throws: What the other store throws; the call is recorded even then.
  public func reserveKeys(_ count: Int, of table: String) throws -> Int64 {
    note(.reserveKeys(count, table: table))
    return try base.reserveKeys(count, of: table)
  }

  /// Calls the other store.
  ///
  /// - Parameter batch: What to change.
  /// - Returns: What the other store gives: how many rows were changed.
  /// - Throws: What the other store throws; the call is recorded even then.
  public func execute(_ batch: StoreBatch) throws -> Int {
    note(.execute(batch))
    return try base.execute(batch)
  }

  /// Calls the other store.
  ///
  /// - Parameter changes: What to write.
  /// - Returns: What the other store gives: the conflicts that prevented the save.
  /// - Throws: What the other store throws; the call is recorded even then.
  public func save(_ changes: StoreChanges) throws -> [StoreConflict] {
    note(.save(changes))
    return try base.save(changes)
  }

  private func note(_ call: StoreCall) { log.withLock { $0.append(call) } }
}
