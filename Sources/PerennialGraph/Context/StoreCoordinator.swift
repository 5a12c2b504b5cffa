// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialStore
import Synchronization

/// What all contexts of a container share: the store and the classes of the entities.
package final class StoreCoordinator: Sendable {
  package let store: any RowStore
  /// Is told what goes wrong where nothing can be thrown, and what costs time.
  let log: EventLog
  /// The class of every entity; its superentity's for one without a class, else `ManagedObject`.
  package let classes: [ManagedObject.Type]
  let entityIndexes: [ObjectIdentifier: Int]
  /// Whether the model limits the number of members of any relationship.
  let hasCountedRelationships: Bool
  /// The model's texts, compiled.
  let rules: ModelRules
  /// Temporary IDs of contexts that have saved: an ID taken before the save works everywhere.
  let temporaryKeys = Mutex(SavedTemporaryKeys())
  /// What the contexts have saved, to tell it from what others have.
  let savedVersions = Mutex(SavedVersions())
  /// The rows that faults of all contexts look for first.
  let rowCache: RowCache
  /// What objects that leave their contexts keep of the store.
  let storeNumber = StoreNumber()
  /// How stored objects are named.
  package let naming: StoreNaming
  /// The store, if it is several in one.
  package let combined: CombinedStore?
  /// The mailboxes of the contexts that want to know of other contexts' saves.
  let registry = MailboxRegistry()
  /// How many saves there were; held during a save, so that saves are posted in their order.
  private let saveCount = Mutex(0)
  /// How many saves have been posted, for those who must not wait for one.
  private let postedSaves = Atomic(0)
  let remote = RemoteChangeState()
  /// How many saves have written rows of each root entity, for those who must not wait for one.
  let rowSaves: Mutex<[Int]>
  /// How many saves have added pairs of each link.
  let pairSaves: Mutex<[Int]>
  /// How many faults of all contexts have fired.
  private let faultCount = Atomic(0)

  /// A coordinator of a store.
  ///
  /// - Parameters:
  ///   - store: The store, open.
  ///   - classes: The classes of entities, by entity name.
  ///   - log: Is told of wrong uses and of what costs time.
  package init(
    store: any RowStore,
    classes: [String: ManagedObject.Type],
    log: EventLog = .quiet
  ) {
    self.store = store
    self.log = log
    rowCache = RowCache(isEnabled: store.capabilities.contains(.cacheableRows))
    rowSaves = Mutex(Array(repeating: 0, count: store.model.entities.count))
    pairSaves = Mutex(Array(repeating: 0, count: store.model.links.count))
    hasCountedRelationships = store.model.entities.contains { !$0.countedToManys.isEmpty }
    naming = store.naming
    combined = store as? CombinedStore
    var types: [ManagedObject.Type] = []
    for entity in store.model.entities {
      let inherited = entity.superentity.map { types[$0] } ?? ManagedObject.self
      types.append(classes[entity.name] ?? inherited)
    }
    self.classes = types
    var indexes: [ObjectIdentifier: Int] = [:]
    for entity in store.model.entities {
      if let type = classes[entity.name] { indexes[ObjectIdentifier(type)] = entity.index }
    }
    entityIndexes = indexes
    rules = ModelRules(store.model)
  }

  /// Throws what is wrong with the texts in a model: patterns, conditions, derivations.
  package static func check(_ model: ManagedObjectModel) throws(PerennialError) {
    let problems = ModelRules(model.layout).problems
    let code = problems.count > 1 ? PerennialError.Code.invalidModel : nil
    if let error = PerennialError.combined(problems, code: code) { throw error }
  }

  /// What has been asked of the store so far.
  package var counters: StoreCounters {
    var counters = store.counters
    counters.faultsFired = faultCount.load(ordering: .relaxed)
    return counters
  }

  /// Counts a fault.
  func noteFault() { faultCount.wrappingAdd(1, ordering: .relaxed) }

  /// Forgets the rows that contexts share; faults ask the store again.
  package func forgetRows() { rowCache.removeAll() }

  /// Saves the changes of a context, the one way in which anything is written, and posts them to
  /// every other context's mailbox.
  ///
  /// - Returns: What was saved, as the mailboxes have it.
  @discardableResult
  func save(
    _ changes: ChangeSet,
    of context: ManagedObjectContext
  ) throws(SaveFailure) -> CommittedChanges {
    let stamp = SaveStamp(context)
    var changes = changes
    changes.author = .init(name: stamp.author, contextName: stamp.name)
    let mailbox = context.mail.mailbox
    return try saveCount.withLock { count throws(SaveFailure) in
      do throws(SaveFailure) {
        try store.save(changes)
      } catch {
        rowCache.removeAll()
        throw error
      }
      rowCache.noteSave(changes, of: store.model, rules)
      if !changes.updates.isEmpty || !changes.deletions.isEmpty {
        savedVersions.withLock { $0.note(changes, store.model) }
      }
      count += 1
      noteRows(of: changes)
      let save = CommittedChanges(count, stamp, changes, store)
      registry.post(save, except: mailbox)
      postedSaves.store(count, ordering: .releasing)
      return save
    }
  }

  /// Gives a batch statement to the store; every other context reads its objects again.
  ///
  /// - Returns: What it did, or `nil` when the store cannot do it.
  func execute(
    _ statement: BatchStatement,
    of context: ManagedObjectContext
  ) throws(PerennialError) -> BatchOutcome? {
    var statement = statement
    statement.author = .init(name: context.transactionAuthor, contextName: context.name)
    return try saveCount.withLock { count throws(PerennialError) in
      defer { rowCache.removeAll() }
      guard let outcome = try store.execute(statement) else { return nil }
      count += 1
      rowSaves.withLock { $0[store.model.entities[statement.query.entity].root] += 1 }
      registry.postUnknownChanges(except: context.top.mail.mailbox)
      postedSaves.store(count, ordering: .releasing)
      return outcome
    }
  }

  deinit { remote.finish() }

  /// How many saves have been posted.
  var saveNumber: Int { postedSaves.load(ordering: .acquiring) }

  /// Whether a number of saves is still that of all, and none is being made: what was read since is of one state.
  func isQuiet(since number: Int) -> Bool {
    saveCount.withLockIfAvailable { $0 == number } ?? false
  }

  /// Keeps saves of all contexts waiting while a closure runs; it must not wait for a watcher, which may wait
  /// for a save.
  package func pausingSaves<Result: Sendable>(
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    try saveCount.withLock { _ throws(PerennialError) in try body() }
  }

  /// Calls a closure with the number of saves, which it may raise; no save comes in between.
  func withSaveCount<Result: Sendable>(
    _ body: (inout Int) throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    try saveCount.withLock { count throws(PerennialError) in
      // What was posted before something failed counts, too.
      defer { postedSaves.store(count, ordering: .releasing) }
      return try body(&count)
    }
  }

  /// Counts a save for the entities whose rows may have got new values by it, and for the links that may have got
  /// pairs.
  func noteRows(of changes: ChangeSet) {
    let entities = changes.insertions.map(\.entity) + changes.updates.map(\.entity)
    let roots = Set(entities.map { store.model.entities[$0].root })
    rowSaves.withLock { for root in roots { $0[root] += 1 } }
    let links = changes.links.filter { !$0.added.isEmpty }
    if links.isEmpty { return }
    pairSaves.withLock { for link in links { $0[link.link] += 1 } }
  }
}

/// How far the saves of all contexts had come at a moment.
struct SaveMark {
  let saves: Int
  /// How many of them have written rows of each root entity, and added pairs of each link.
  private let rows: [Int]
  private let pairs: [Int]

  init(_ coordinator: StoreCoordinator) {
    // In this order: a save that comes in between is one of those to come.
    saves = coordinator.saveNumber
    rows = coordinator.rowSaves.withLock { $0 }
    pairs = coordinator.pairSaves.withLock { $0 }
  }

  /// Whether a to-many relationship may have got members since an earlier mark.
  func hasMembers(of relationship: RelationshipLayout, root: Int, since other: SaveMark) -> Bool {
    if let side = relationship.side { return pairs[side.link] != other.pairs[side.link] }
    return rows[root] != other.rows[root]
  }
}
