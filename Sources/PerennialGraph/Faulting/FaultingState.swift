// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// What a context keeps to load rows in batches.
///
/// Invariant: but for the settings, `prefetched` and `undecodable`, nothing here is needed for a right answer; it may
/// be forgotten at any time.
struct FaultingState {
  /// How many faults, or owners of members, are loaded at once.
  static let batchCount = 500
  /// How many targets of to-one relationships are held, and how many objects of lists that were read by position.
  static let keptCount = 4096
  /// How many rows of members a batch may bring before it stops.
  static let memberLimit = 20_000

  var batchesFaults = true
  var lazyLoading = LazyLoading.load
  /// How many requests are running that load what they need.
  var explicitLoads = 0
  /// Whether a to-many relationship is being read for the program.
  var readsLazily = false
  /// What was prefetched while nothing may be loaded lazily.
  var prefetched = PrefetchedOwners()
  var stalenessInterval: Double = -1
  var shouldDeleteInaccessibleFaults = true
  var inaccessibleFaultHandler: ((ManagedObject) -> Bool)?
  var statistics = FaultStatistics()
  var alarm = FaultAlarm()
  /// The keys of objects of which a stored value has been read that its type cannot decode.
  var undecodable: [SlotOfEntity: Set<Int64>] = [:]
  /// How many owners the last batch of members was read for, and how many of them were asked for.
  var memberBatchSize = 0
  var memberBatchUse = 0
  private var memberBatchLimit = FaultingState.batchCount

  /// The pages that faults were made from last, with their keys.
  private var sources: [(page: RowPage, slot: Int, keys: RowPage)] = []
  private var nextSource = 0
  /// The objects that were loaded for siblings last: a ring.
  private var kept: ContiguousArray<ManagedObject> = []
  private var nextKept = 0
  var lists = HeldLists()

  /// Replaces temporary keys.
  mutating func translateKeys(_ translation: KeyTranslation) {
    prefetched.translateKeys(translation)
    guard !undecodable.isEmpty else { return }
    for (place, keys) in undecodable {
      undecodable[place] = Set(keys.map { translation.key($0, place.entity) })
    }
  }

  /// How many owners the next batch of members may ask for.
  ///
  /// A batch that was dropped before a quarter of it was used, by a save for instance, makes the
  /// next smaller: a loop that saves after every owner must not read all the others each time.
  mutating func nextMemberBatch(isFirst: Bool) -> Int {
    if isFirst, memberBatchUse * 4 < memberBatchSize {
      memberBatchLimit = max(2, memberBatchUse * 2)
    } else {
      memberBatchLimit = min(Self.batchCount, memberBatchLimit * 4)
    }
    memberBatchUse = 1
    return memberBatchLimit
  }

  /// The page of keys for what a slot of a page's rows refers to.
  mutating func targets(
    of page: RowPage,
    _ slot: Int,
    make: () -> RowPage
  ) -> RowPage {
    if let known = sources.first(where: { $0.page === page && $0.slot == slot }) {
      return known.keys
    }
    let keys = make()
    if sources.count < 4 {
      sources.append((page, slot, keys))
    } else {
      sources[nextSource] = (page, slot, keys)
      nextSource = (nextSource + 1) & 3
    }
    return keys
  }

  /// Holds an object for a while.
  ///
  /// - Returns: The object that is let go for it; to be released when nothing here is in use.
  mutating func keep(_ object: ManagedObject) -> ManagedObject? {
    guard kept.count == Self.keptCount else {
      kept.append(object)
      return nil
    }
    let old = kept[nextKept]
    kept[nextKept] = object
    nextKept = (nextKept + 1) % Self.keptCount
    return old
  }

  /// Lets everything go that is held.
  ///
  /// - Returns: What was held; to be released when nothing here is in use.
  mutating func forget() -> (objects: ContiguousArray<ManagedObject>, lists: HeldLists) {
    sources = []
    nextSource = 0
    nextKept = 0
    let old = (kept, lists)
    kept = []
    lists = HeldLists()
    return old
  }
}

/// What faulting has cost a context so far.
public struct FaultStatistics: Sendable, Hashable {
  /// Fetches and counts that asked the store, or the parent.
  public internal(set) var fetchQueries = 0
  /// Faults whose row was needed.
  public internal(set) var faultsFired = 0
  /// The fired faults whose row another context, or a batch, had already loaded.
  public internal(set) var cacheHits = 0
  /// Queries for the rows of faults, alone or with their siblings.
  public internal(set) var faultQueries = 0
  /// Queries for the members of to-many relationships, or for their number.
  public internal(set) var memberQueries = 0
  /// Rows that the queries for faults and members brought.
  public internal(set) var rows = 0

  /// All queries.
  public var queries: Int { fetchQueries + faultQueries + memberQueries }
}
