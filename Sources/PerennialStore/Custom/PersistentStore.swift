// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// A place that keeps rows: what you write to give Perennial a kind of store of your own.
///
/// ```swift
/// let container = try PersistentContainer(
///   name: "Project38", entities: Commit.self, Author.self,
///   store: .custom { try CSVStore(folder: folder) })
/// ```
///
/// A store keeps three things: **rows**, by table and key; **lists of members**, by relationship and
/// owner; and its **metadata**. It knows no context and no object, computes nothing and checks
/// nothing that it does not claim in ``capabilities``: predicates, sorts, limits, counts, aggregates,
/// derived attributes, versions and unique values are done for it, by the code that the in-memory store
/// uses. The article WritingAStore leads through a whole one; the behaviours of
/// `PerennialTestKit` tell whether it is right.
///
/// Isolation: the calls of one container come from any thread, but one after the other, never two at
/// once, so that a store needs no lock for Perennial's sake. They block the thread that asked: a
/// context's.
///
/// Errors: throw whatever you have. A `PerennialError` reaches the program as it is, a ``StoreProblem``
/// with its own words, everything else as `underlying` of code 134,080 (reading) or 134,030 (saving).
///
/// Core Data: `NSIncrementalStore` and `NSAtomicStore`. SwiftData: `DataStore`.
public protocol PersistentStore: Sendable {
  /// What the store does itself; read once, after ``open(_:)``.
  var capabilities: StoreCapabilities { get }

  /// Gets ready, and tells what is stored; called once, before everything else.
  ///
  /// Perennial compares ``PersistentStoreMetadata/modelVersionHashes`` with the model's and refuses to go on
  /// (134,100) when they differ; a store that can bring its rows to the new model does it here, and gives the
  /// new hashes (``ManagedObjectModel/entityVersionHashesByName``). A store that cannot be read throws and
  /// leaves everything as it is. Where there is none, nothing is made: ``write(_:)`` does it.
  ///
  /// Core Data: `NSIncrementalStore.loadMetadata()`.
  ///
  /// - Parameter model: The model of the rows to come.
  /// - Returns: The metadata that ``write(_:)`` was given last; `nil` when there is no store yet.
  /// - Throws: What the store could not read; then everything is as it was.
  func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata?

  /// Keeps the metadata in place of what was there, and with it a new store that was not there before.
  ///
  /// It is called once for a new store, and whenever the application's entries change. Rows, lists and keys that are
  /// set aside stay.
  ///
  /// - Parameter metadata: The identity of the store, the hashes of its model, and the application's own entries.
  /// - Throws: What the store could not write; then the metadata of before are still there.
  func write(_ metadata: PersistentStoreMetadata) throws

  /// The rows that a request selects.
  ///
  /// A store that claims no `filter`, `sort` or `limit` gets a request without them, and gives all rows
  /// of the request's entities in any order. One that claims them but cannot do what this request asks
  /// for throws ``PreferInMemory``, and is asked again without it.
  ///
  /// Core Data: `NSIncrementalStore.execute(_:with:)`.
  ///
  /// - Parameter request: What to fetch.
  /// - Returns: The rows, complete.
  /// - Throws: ``PreferInMemory``, or what the store could not read.
  func fetch(_ request: StoreRequest) throws -> [StoreRow]

  /// How many rows a request selects, its offset and limit left out.
  ///
  /// It is asked only what ``fetch(_:)`` would do by itself; the default counts what that gives.
  ///
  /// - Parameter request: What to count.
  /// - Returns: The number of rows; 0 when none is selected.
  /// - Throws: As ``fetch(_:)``.
  func count(_ request: StoreRequest) throws -> Int

  /// The rows of some keys, of one of the model's tables or, for stores that claim `history`, of
  /// ``StoreRowID/historyTable``.
  ///
  /// It is called for every fault and before every save, so it should not search.
  ///
  /// Core Data: `NSIncrementalStore.newValuesForObject(with:with:)`.
  ///
  /// - Parameters:
  ///   - table: The table's name.
  ///   - keys: The keys, each once.
  /// - Returns: The rows in any order; keys that have none are left out.
  /// - Throws: What the store could not read.
  func rows(of table: String, keys: [Int64]) throws -> [StoreRow]

  /// The lists of members that were saved for some owners.
  ///
  /// Core Data: `NSIncrementalStore.newValue(forRelationship:forObjectWith:with:)`.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - owners: The keys of the owners, each once.
  /// - Returns: The lists by owner; owners without one are left out.
  /// - Throws: What the store could not read.
  func members(of relationship: StoreRelationship, owners: [Int64]) throws -> [Int64: [Int64]]

  /// Sets keys of a table aside: neither this call nor one after the next opening gives them again.
  ///
  /// Keys are positive. That some are never used does no harm, so a store may set aside more at once.
  ///
  /// Core Data: `NSIncrementalStore.obtainPermanentIDs(for:)`.
  ///
  /// - Parameters:
  ///   - count: How many keys, at least 1.
  ///   - table: The table's name.
  /// - Returns: The first of `count` successive keys.
  /// - Throws: What the store could not write.
  func reserveKeys(_ count: Int, of table: String) throws -> Int64

  /// Writes everything that one save changes: all of it or nothing.
  ///
  /// The deletions, the insertions, the updates and the members may be written in any order. When it
  /// returns an empty list, what was written is as safe as the store makes it. When it throws, nothing
  /// should be written; where that is not certain (a connection broke, a disk failed), the same
  /// changes come again with the same ``StoreChanges/identifier``, and writing them twice must give what
  /// writing them once does: put complete rows in their places, set values, take away what may be gone.
  ///
  /// Core Data: `NSIncrementalStore.execute(_:with:)` with an `NSSaveChangesRequest`.
  ///
  /// - Parameter changes: What to write.
  /// - Returns: The conflicts that forbade it, if the store claims `constraints`; else none.
  /// - Throws: What the store could not write.
  func save(_ changes: StoreChanges) throws -> [StoreConflict]

  /// Changes all rows that a request selects, all of them or none.
  ///
  /// Only a store that claims `batch` is asked. The default throws ``PreferInMemory``: the rows are
  /// fetched and saved then.
  ///
  /// Core Data: `NSIncrementalStore.execute(_:with:)` with an `NSBatchUpdateRequest` or an
  /// `NSBatchDeleteRequest`.
  ///
  /// - Parameter batch: What to change.
  /// - Returns: How many rows it was.
  /// - Throws: ``PreferInMemory``, or what the store could not write; nothing is written then.
  func execute(_ batch: StoreBatch) throws -> Int
}

extension PersistentStore {
  /// Leaves the batch to be fetched and saved.
  ///
  /// - Parameter batch: What to change.
  /// - Returns: It does not return.
  /// - Throws: ``PreferInMemory``, always.
  public func execute(_ batch: StoreBatch) throws -> Int { throw PreferInMemory.filter }

  /// Counts the rows that ``fetch(_:)`` gives.
  ///
  /// - Parameter request: What to count.
  /// - Returns: The number of rows.
  /// - Throws: As ``fetch(_:)``.
  /// - Complexity: O(*n*) in the rows that are selected, all of which are read.
  public func count(_ request: StoreRequest) throws -> Int { try fetch(request).count }
}

/// A store's answer to a request that it cannot do, although it claims to do such things: it is asked
/// again without, and the rest is done for it.
///
/// SwiftData: `DataStoreError.preferInMemoryFilter` and `preferInMemorySort`.
public enum PreferInMemory: Error, Sendable {
  /// The request's predicate, and with it everything after it.
  case filter
  /// The request's sorts, and with them its limit.
  case sort
}
