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
/// owner; and its **metadata**. It knows no context and no object. It computes and checks nothing that it
/// does not claim in ``capabilities``: predicates, sorts, limits, counts, aggregates, derived attributes,
/// versions and unique values are done for it, by the code of the in-memory store. The article
/// WritingAStore shows how to write a whole store; the behaviours of `PerennialTestKit` test whether it is
/// right.
///
/// Isolation: the calls of one container come from any thread, but one after the other, never two at
/// once. So a store needs no lock for Perennial's sake. A call blocks the thread of the context that asked.
///
/// Errors: you may throw any error. A `PerennialError` reaches the program as it is, and a ``StoreProblem``
/// with its own words. Any other error becomes `underlying` of an error with code 134080 (reading) or
/// 134030 (saving).
///
/// Core Data: `NSIncrementalStore` and `NSAtomicStore`. SwiftData: `DataStore`.
public protocol PersistentStore: Sendable {
  /// What the store does itself; Perennial reads this once, after ``open(_:)``.
  var capabilities: StoreCapabilities { get }

  /// Gets the store ready and returns its metadata; called once, before everything else.
  ///
  /// Perennial compares ``PersistentStoreMetadata/modelVersionHashes`` with the model's, and refuses the store
  /// (134100) when they differ. A store that can bring its rows to the new model does so here, and returns the
  /// new hashes (``ManagedObjectModel/entityVersionHashesByName``). A store that cannot be read throws, and
  /// leaves everything as it is. Do not make a new store here: ``write(_:)`` does that.
  ///
  /// Core Data: `NSIncrementalStore.loadMetadata()`.
  ///
  /// - Parameter model: The model of the rows to come.
  /// - Returns: The metadata that ``write(_:)`` was given last; `nil` when there is no store yet.
  /// - Throws: Why the store could not be read; everything is then as it was.
  func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata?

  /// Replaces the metadata; where there is no store yet, makes a new one.
  ///
  /// It is called once for a new store, and whenever the application's entries change. Rows, lists and reserved
  /// keys stay.
  ///
  /// - Parameter metadata: The identity of the store, the hashes of its model, and the application's own entries.
  /// - Throws: Why the store could not write; the metadata are then as they were.
  func write(_ metadata: PersistentStoreMetadata) throws

  /// The rows that a request selects.
  ///
  /// What the store does not claim of `filter`, `sort` and `limit` is left out of its requests. If it claims
  /// none, it returns all rows of the request's entities in any order. A store that cannot do what this
  /// request asks for, although it claims it, throws ``PreferInMemory``, and is asked again without it.
  ///
  /// Core Data: `NSIncrementalStore.execute(_:with:)`.
  ///
  /// - Parameter request: What to fetch.
  /// - Returns: The rows, complete.
  /// - Throws: ``PreferInMemory``, or why the store could not read.
  func fetch(_ request: StoreRequest) throws -> [StoreRow]

  /// The number of rows that a request selects, without regard to its offset and limit.
  ///
  /// It gets only requests that ``fetch(_:)`` can do by itself. The default counts what ``fetch(_:)`` returns.
  ///
  /// - Parameter request: What to count.
  /// - Returns: The number of rows; 0 when none is selected.
  /// - Throws: As ``fetch(_:)``.
  func count(_ request: StoreRequest) throws -> Int

  /// The rows of some keys, in one of the model's tables or, for stores that claim `history`, in
  /// ``StoreRowID/historyTable``.
  ///
  /// It is called for every fault and before every save, so it should not have to search.
  ///
  /// Core Data: `NSIncrementalStore.newValuesForObject(with:with:)`.
  ///
  /// - Parameters:
  ///   - table: The table's name.
  ///   - keys: The keys, each once.
  /// - Returns: The rows in any order; keys without a row are left out.
  /// - Throws: Why the store could not read.
  func rows(of table: String, keys: [Int64]) throws -> [StoreRow]

  /// The lists of members that were saved for some owners.
  ///
  /// Core Data: `NSIncrementalStore.newValue(forRelationship:forObjectWith:with:)`.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - owners: The keys of the owners, each once.
  /// - Returns: The lists by owner; owners without a list are left out.
  /// - Throws: Why the store could not read.
  func members(of relationship: StoreRelationship, owners: [Int64]) throws -> [Int64: [Int64]]

  /// Reserves keys of a table: no later call returns them again, not even after the store is opened again.
  ///
  /// Keys are positive. Keys that are never used do no harm, so a store may set aside more at once.
  ///
  /// Core Data: `NSIncrementalStore.obtainPermanentIDs(for:)`.
  ///
  /// - Parameters:
  ///   - count: How many keys, at least 1.
  ///   - table: The table's name.
  /// - Returns: The first of `count` successive keys.
  /// - Throws: Why the store could not write.
  func reserveKeys(_ count: Int, of table: String) throws -> Int64

  /// Writes everything that one save changes: all of it or nothing.
  ///
  /// The deletions, insertions, updates and members may be written in any order. When the call returns an
  /// empty list, the changes are as safe as the store makes them. When it throws, nothing should be written.
  /// Where that is not certain (a connection broke, a disk failed), the same changes come again with the same
  /// ``StoreChanges/identifier``, and writing them twice must be like writing them once: put complete rows in
  /// their places, set values, and ignore deletions of rows that are gone.
  ///
  /// Core Data: `NSIncrementalStore.execute(_:with:)` with an `NSSaveChangesRequest`.
  ///
  /// - Parameter changes: What to write.
  /// - Returns: The conflicts that prevented the save, if the store claims `constraints`; otherwise none.
  /// - Throws: Why the store could not write.
  func save(_ changes: StoreChanges) throws -> [StoreConflict]

  /// Changes all rows that a request selects, all of them or none.
  ///
  /// Only a store that claims `batch` is asked. The default throws ``PreferInMemory``: the rows are then
  /// fetched and saved.
  ///
  /// Core Data: `NSIncrementalStore.execute(_:with:)` with an `NSBatchUpdateRequest` or an
  /// `NSBatchDeleteRequest`.
  ///
  /// - Parameter batch: What to change.
  /// - Returns: How many rows were changed.
  /// - Throws: ``PreferInMemory``, or why the store could not write; nothing is then written.
  func execute(_ batch: StoreBatch) throws -> Int
}

extension PersistentStore {
  /// Leaves the batch to Perennial, which fetches and saves its rows.
  ///
  /// - Parameter batch: What to change.
  /// - Returns: Nothing; it always throws.
  /// - Throws: ``PreferInMemory``, always.
  public func execute(_ batch: StoreBatch) throws -> Int { throw PreferInMemory.filter }

  /// Counts the rows that ``fetch(_:)`` returns.
  ///
  /// - Parameter request: What to count.
  /// - Returns: The number of rows.
  /// - Throws: As ``fetch(_:)``.
  /// - Complexity: O(*n*) in the rows that are selected, all of which are read.
  public func count(_ request: StoreRequest) throws -> Int { try fetch(request).count }
}

/// What a store throws for a request that it cannot do, although it claims to do such things.
///
/// Perennial asks again without what the store cannot do, and does that itself.
///
/// SwiftData: `DataStoreError.preferInMemoryFilter` and `preferInMemorySort`.
public enum PreferInMemory: Error, Sendable {
  /// The store cannot do the request's predicate; it is then not asked for the sorts and the limit either.
  case filter
  /// The store cannot do the request's sorts; it is then not asked for the limit either.
  case sort
}
