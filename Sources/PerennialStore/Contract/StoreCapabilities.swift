// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a store does itself, and what it promises.
///
/// Perennial looks at the capabilities before it asks the store: it does itself whatever the store does not
/// claim. A store that claims nothing is a correct store.
///
/// Core Data has no such thing: what an `NSIncrementalStore` cannot do shows when it fails.
public struct StoreCapabilities: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int

  /// A set of bits.
  ///
  /// - Parameter rawValue: The sum of the capabilities' raw values.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// What is saved outlives the process.
  public static let durable = StoreCapabilities(rawValue: 1)
  /// Predicates: `fetch` and `count` obey ``StoreRequest/predicate``.
  public static let filter = StoreCapabilities(rawValue: 8)
  /// Sorts: `fetch` obeys ``StoreRequest/sorts``.
  public static let sort = StoreCapabilities(rawValue: 16)
  /// Limits and offsets: `fetch` obeys ``StoreRequest/limit`` and ``StoreRequest/offset``.
  public static let limit = StoreCapabilities(rawValue: 32)
  /// Conflicts: `save` compares versions and keeps unique values unique, in one step with writing.
  ///
  /// A store that others write to at the same time has to do this.
  public static let constraints = StoreCapabilities(rawValue: 64)
  /// A history that outlives the process: the store keeps the rows of ``StoreRowID/historyTable``
  /// like those of the model.
  ///
  /// With `historyTracking`, Perennial keeps a history of every store. Without this capability, the history
  /// goes when the store is closed.
  public static let history = StoreCapabilities(rawValue: 128)
  /// Batches: ``PersistentStore/execute(_:)`` updates or deletes many rows that are not read.
  public static let batch = StoreCapabilities(rawValue: 256)
  /// Nobody else changes what is stored while the store is open.
  ///
  /// Perennial reads such a store once and keeps what it has read, unless the store also claims ``filter``.
  public static let unshared = StoreCapabilities(rawValue: 1024)

  /// One-to-many relationships: `members` also finds the rows whose to-one inverse leads to an owner.
  ///
  /// Without it, Perennial reads the members' whole table for every one-to-many relationship that is
  /// looked at.
  public static let members = StoreCapabilities(rawValue: 2048)

  /// Predicates and sorts are done by an engine of the store's own.
  package static let queryEngine: StoreCapabilities = [.filter, .sort, .limit]
  /// Rows of this process's readers change only by `save`, so that they may be kept for others.
  package static let cacheableRows = StoreCapabilities(rawValue: 4)
}

extension StoreCapabilities: CustomStringConvertible {
  /// The names of what a store can claim.
  private static let names: [(StoreCapabilities, String)] = [
    (.durable, "durable"), (.unshared, "unshared"), (.filter, "filter"), (.sort, "sort"),
    (.limit, "limit"), (.members, "members"), (.constraints, "constraints"),
    (.history, "history"), (.batch, "batch"),
  ]

  /// The names of the capabilities, such as `durable, history`.
  public var description: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
