// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
import PerennialStore

/// A working copy of the objects of a store: it fetches them, tracks what changes, and saves all changes or none.
///
/// ```swift
/// try await container.performBackgroundTask { context in
///   let commit = Commit(context: context)
///   commit.sha = "2f77f2fc"
///   commit.message = "Fix a bug"
///   commit.date = .now
///   try context.save()
/// }
/// ```
///
/// A context has one object for a row, however often the row is fetched. It holds objects with changes strongly;
/// others are held only by the code that uses them.
///
/// Isolation: a context and its objects stay where they were made. They are not Sendable, so the compiler refuses
/// what makes Core Data crash. Saving and firing a fault block the thread.
///
/// Invariants:
/// 1. There is one home for every entity, at the entity's place in the model.
/// 2. A forwarding object is a key of `forwardings`; its survivor may be a forwarding object too.
///    It is in no identity map.
///
/// Core Data: `NSManagedObjectContext`.
public final class ManagedObjectContext {
  package let coordinator: StoreCoordinator
  /// What this context reads from: the container's store, or the parent.
  let store: any RowProvider
  /// What ties this context to its parent and its children.
  @exclusivity(unchecked) var family: ContextFamily
  /// What no other context has.
  let identifier = UUID()
  /// How the context does the work of a batch request; `nil` for a context of the program's.
  let batchMode: BatchMode?
  /// Safe because the homes are freed in `deinit`, after every object has lost its pointer to them.
  let homes: UnsafeMutablePointer<EntityHome>
  let homeCount: Int
  /// Safe because it is freed with the homes.
  private let counts: UnsafeMutablePointer<ChangeCounts>

  /// What a save does when the store has other values than expected.
  ///
  /// Core Data: `NSManagedObjectContext.mergePolicy`.
  public var mergePolicy = MergePolicy.error

  /// A name for messages, and for the history.
  public var name: String?

  /// The last error that occurred while a property was read, which cannot throw.
  ///
  /// A fault that cannot be loaded reads as empty, and a stored value that its type cannot decode reads as the
  /// property's default. This error says why.
  public internal(set) var lastFaultError: PerennialError?

  /// Wrong uses that a setter could not throw; the next save or fetch does.
  ///
  /// It and others below are unchecked, as nothing that looks at them or changes them calls out.
  @exclusivity(unchecked) var misuses: [PerennialError] = []
  /// Deleted objects whose delete rules have not been applied yet.
  @exclusivity(unchecked) var pendingDeletions = PendingDeletions()
  /// The objects whose `prepareForDeletion` is running, the innermost last.
  @exclusivity(unchecked) var preparing: [ObjectIdentifier] = []
  @exclusivity(unchecked) var relationships = RelationshipChanges()
  @exclusivity(unchecked) var faulting = FaultingState()
  /// The greatest number of live objects since the last sweep.
  @exclusivity(unchecked) var liveCountPeak = 0
  @exclusivity(unchecked) var mail = MailState()
  var constraintIndex = ConstraintIndex()
  var temporaryKeys = TemporaryKeys()
  /// Makes the IDs of stored objects, and those of objects that are not saved yet.
  private(set) lazy var storedIDs = ObjectIDMaker(coordinator.store.model, coordinator.naming)
  private(set) lazy var temporaryIDs = ObjectIDMaker(
    coordinator.store.model,
    owner: family.identifier
  )
  /// What the hooks of objects do while a save runs them.
  @exclusivity(unchecked) var lifecycle = Lifecycle()
  /// The survivors of merged objects by the IDs that the losers had.
  var aliases: [ManagedObjectID: ManagedObject] = [:]
  /// Merged objects that have a stored row, and the deleted objects that took their rows over.
  var absorbed: [(loser: ManagedObject, tombstone: ManagedObject)] = []
  /// Conflicts, what was done about them, and what to look at for more.
  @exclusivity(unchecked) var merging = MergeState()
  /// Counts the changes of properties, to see whether anything changed in between.
  var mutationCount: Int {
    get { counts.pointee.mutations }
    set { counts.pointee.mutations = newValue }
  }
  /// Counts what may have changed the members of a relationship.
  var membershipStamp = 0
  /// How often pairs and orders were changed here, which are no changes of an object's row.
  var pairCount = 0
  /// Who is told of changes, and what has been noted for them.
  let notices = Notices()
  /// The lists that are kept in step with the objects.
  let liveResults = LiveResults()
  /// All objects, while they are retained.
  var retainedObjects: Set<ManagedObject>?
  @exclusivity(unchecked) var undoRegistration = UndoRegistration()
  @exclusivity(unchecked) private var forwardings: [ObjectIdentifier: Forwarding] = [:]
  /// The home that a class or a fetch asked for last: programs do the same thing in loops.
  @exclusivity(unchecked) var latestHome: UnsafeMutablePointer<EntityHome>?

  /// Safe because an object takes its forwarding out when it dies.
  private struct Forwarding {
    unowned(unsafe) let loser: ManagedObject
    let survivor: ManagedObject
    /// Whether the parent has merged them, and nothing else was done here.
    let isFollowing: Bool
  }

  package convenience init(coordinator: StoreCoordinator, parent: ManagedObjectContext? = nil) {
    self.init(coordinator, parent: parent, batchMode: nil)
  }

  init(_ coordinator: StoreCoordinator, parent: ManagedObjectContext?, batchMode: BatchMode?) {
    self.coordinator = coordinator
    self.batchMode = batchMode
    store = parent.map { ParentReader($0) } ?? coordinator.store
    family = ContextFamily(parent: parent, context: identifier)
    let entities = coordinator.store.model.entities
    homes = .allocate(capacity: entities.count)
    let keySource = parent?.top.homes ?? homes
    homeCount = entities.count
    counts = .allocate(capacity: 1)
    counts.initialize(to: ChangeCounts())
    for (index, entity) in entities.enumerated() {
      (homes + index).initialize(
        to: EntityHome(
          context: self,
          layout: entity,
          type: batchMode?.usesClasses == false ? ManagedObject.self : coordinator.classes[index],
          root: homes + entity.root,
          keySource: keySource + entity.root,
          counts: counts
        )
      )
    }
    faulting.lazyLoading = parent?.faulting.lazyLoading ?? .load
    mail.knownSaves = coordinator.saveNumber
    parent?.family.add(self)
  }

  deinit {
    settleForwardings()
    for index in homeIndexes {
      homes[index].map.visit { object in
        if parent != nil, object._state == .inserted { unpublish(object) }
        if object._row == nil { detach(object) }
        object._leave(self, isGone: false)
      }
      homes[index].map.free()
    }
    homes.deinitialize(count: store.model.entities.count)
    homes.deallocate()
    counts.deallocate()
  }

  var homeIndexes: Range<Int> { 0..<homeCount }

  // MARK: Homes

  /// The home of a managed class.
  func home(of type: ManagedObject.Type) -> UnsafeMutablePointer<EntityHome> {
    if let latest = latestHome(of: type) { return latest }
    guard let index = coordinator.entityIndexes[ObjectIdentifier(type)] else {
      preconditionFailure(
        "The class \(type) belongs to no entity of this context's model; pass it to the container, or insert by entity name."
      )
    }
    latestHome = homes + index
    return homes + index
  }

  /// The home of a managed class, if it was asked for last.
  func latestHome(of type: ManagedObject.Type) -> UnsafeMutablePointer<EntityHome>? {
    guard let latestHome, latestHome.pointee.type == type else { return nil }
    return latestHome
  }

  /// The home of an entity by name.
  func home(named name: String) throws(PerennialError) -> UnsafeMutablePointer<EntityHome> {
    homes + (try store.model.entity(named: name)).index
  }

  // MARK: Forwarding objects

  func survivor(of object: ManagedObject) -> ManagedObject? {
    guard !forwardings.isEmpty, var found = forwardings[ObjectIdentifier(object)]?.survivor else {
      return nil
    }
    while let next = forwardings[ObjectIdentifier(found)]?.survivor { found = next }
    return found
  }

  /// Makes an object stand for another from now on.
  ///
  /// - Parameters:
  ///   - loser: The object, which has no row any more.
  ///   - survivor: The other.
  ///   - isFollowing: Whether this context has nothing of the loser's but that the parent has merged it.
  func forward(_ loser: ManagedObject, to survivor: ManagedObject, isFollowing: Bool = false) {
    loser._home?.pointee.forwards = true
    forwardings[ObjectIdentifier(loser)] = Forwarding(
      loser: loser,
      survivor: survivor,
      isFollowing: isFollowing
    )
  }

  /// The objects of a key that stand for another only because the parent has merged them.
  func followers(of reference: ObjectReference) -> [ManagedObject] {
    let root = homes[reference.entity].root
    return forwardings.values.filter { $0.isFollowing && $0.loser._key == reference.key }
      .map(\.loser).filter { $0._home?.pointee.root == root && $0.isAlive }
  }

  /// The object that had a key of its own before it came to stand for another.
  func forwardingObject(of reference: ObjectReference) -> ManagedObject? {
    let root = homes[reference.entity].root
    return forwardings.values.lazy.map(\.loser)
      .first { $0._key == reference.key && $0._home?.pointee.root == root && $0.isAlive }
  }

  func forgetForwarding(of object: ManagedObject) {
    guard !forwardings.isEmpty else { return }
    // The survivor may die with its entry, and then comes here again: not during the removal.
    let survivor = forwardings.removeValue(forKey: ObjectIdentifier(object))
    withExtendedLifetime(survivor) {}
  }

  /// Takes every forwarding object out of the context.
  func settleForwardings() {
    let old = forwardings
    for forwarding in old.values { settle(forwarding.loser) }
    forwardings = [:]
    withExtendedLifetime(old) {}
  }

  /// Gives a forwarding object a copy of what it reads, and takes it out of the context.
  func settle(_ loser: ManagedObject) {
    guard let home = loser._home else { return }
    if let survivor = survivor(of: loser), let row = survivor._row {
      let layout = homes[PackedRow.entity(row)].layout
      var builder = PageBuilder(byteCount: 1024)
      builder.copy(row, byteCount: PackedRow.byteCount(row, layout))
      let page = builder.seal()
      loser._row = page.row(0)
      loser._page = page
    } else {
      loser._row = home.pointee.blank.row(0)
      loser._page = home.pointee.blank
    }
    if let survivor = survivor(of: loser) { loser._key = survivor._key }
    loser._leave(self, isGone: false)
  }

  /// Gives an object without a row one that it can be read by without a context.
  func detach(_ object: ManagedObject) {
    guard let home = object._home else { return }
    object._row = home.pointee.blank.row(0)
    object._page = home.pointee.blank
  }
}

@available(
  *,
  unavailable,
  message: "a context stays in its isolation; use performBackgroundTask or newBackgroundContext"
)
extension ManagedObjectContext: Sendable {}
