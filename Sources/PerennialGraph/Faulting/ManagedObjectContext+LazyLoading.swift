// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

// Refusing to load lazily. Only what properties do for the program is refused: requests of the program, from saves to
// undo, read properties too, and begin and end explicit loads around it.

extension ManagedObjectContext {
  /// Whether the store must not be asked for what a property needs.
  var refusesLazyLoads: Bool {
    faulting.lazyLoading == .raiseOnLazyLoad && faulting.explicitLoads == 0
  }

  /// Begins a request that loads what it needs, here and in the contexts above.
  func beginExplicitLoads() {
    faulting.explicitLoads += 1
    parent?.beginExplicitLoads()
  }

  func endExplicitLoads() {
    faulting.explicitLoads -= 1
    parent?.endExplicitLoads()
  }

  /// Runs a request that loads what it needs.
  func loadingExplicitly<Result>(
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    beginExplicitLoads()
    defer { endExplicitLoads() }
    return try body()
  }

  /// The error of reading a property of an object whose row would have to be asked for; `nil` when there is
  /// no need to, or when it is allowed.
  func lazyLoadError(of object: ManagedObject, _ key: @autoclosure () -> String) -> PerennialError?
  {
    guard refusesLazyLoads, object._row == nil, let home = object._home else { return nil }
    if let survivor = survivor(of: object) { return lazyLoadError(of: survivor, key()) }
    if takeCachedRow(object, root: home.pointee.layout.root) {
      faulting.statistics.faultsFired += 1
      coordinator.noteFault()
      return nil
    }
    return .lazyLoad(of: object, key())
  }

  /// Throws when the members of an owner would be asked for by a property, which must not, unless they
  /// were prefetched and have been forgotten.
  func checkLazyLoad(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) {
    guard faulting.readsLazily, refusesLazyLoads,
      !faulting.prefetched.contains(ownerKey(owner, relationship))
    else { return }
    throw .lazyLoad(of: owner, membersOf: relationship.name)
  }

  /// Notes that a to-many relationship of some owners was prefetched.
  func notePrefetched(_ relationship: RelationshipLayout, of owners: [ManagedObject]) {
    for owner in owners { faulting.prefetched.insert(ownerKey(owner, relationship)) }
    let homes = homes
    faulting.prefetched.trim { homes[$0.entity].root.pointee.map.find($0.owner) != nil }
  }

  /// Forgets what was prefetched for an object, which has become a fault.
  func forgetPrefetched(_ object: ManagedObject) {
    guard !faulting.prefetched.isEmpty, let home = object._home else { return }
    for relationship in home.pointee.layout.toManys {
      faulting.prefetched.remove(ownerKey(object, relationship))
    }
  }

  /// Reads what a to-many relationship needs for the program.
  ///
  /// - Returns: What the closure returns; `nil` after an error, which is kept.
  func readingLazily<Value>(_ body: () throws(PerennialError) -> Value) -> Value? {
    let outer = faulting.readsLazily
    faulting.readsLazily = true
    defer { faulting.readsLazily = outer }
    do throws(PerennialError) {
      return try body()
    } catch {
      keep(error)
      return nil
    }
  }

  /// Keeps an error that a property cannot throw.
  ///
  /// A refused load is thrown by the next save or fetch, too: once for each property, as loops refuse many.
  func keep(_ error: PerennialError) {
    lastFaultError = error
    guard error.code == .lazyLoad else { return }
    let isKnown = misuses.contains {
      $0.code == .lazyLoad && $0.entity == error.entity && $0.property == error.property
    }
    if !isKnown { note(misuse: error) }
  }

  /// Loads objects that are faults, and the objects that their relationships lead to.
  ///
  /// ```swift
  /// try context.load(commits, prefetching: ["author"])
  /// ```
  ///
  /// This takes one query for the faults of each root entity and, as in a fetch, one for each relationship, where
  /// to-one relationships to the same root entity share one. It takes none if everything is loaded. Objects that are
  /// loaded keep their values. If a row is gone, the context deals with that when the object is read.
  ///
  /// - Parameters:
  ///   - objects: Objects of this context; others are left out.
  ///   - keyPaths: Relationships, named as in ``FetchRequest/relationshipKeyPathsForPrefetching``.
  /// - Throws: `unknownName` (200003) for a name that is no relationship of the objects' entities, or the store's
  ///   error.
  public func load(
    _ objects: some Sequence<ManagedObject>,
    prefetching keyPaths: [String] = []
  ) throws(PerennialError) {
    beginExplicitLoads()
    defer { endExplicitLoads() }
    var seen: Set<ObjectIdentifier> = []
    let own = objects.map { $0._survivor ?? $0 }.filter {
      $0._home?.pointee.context === self && seen.insert(ObjectIdentifier($0)).inserted
    }
    var missing: [Int: [Int64]] = [:]
    for object in own where object._row == nil {
      guard let root = object._home?.pointee.layout.root, !takeCachedRow(object, root: root) else {
        continue
      }
      missing[root, default: []].append(object._key)
    }
    for (root, keys) in missing.sorted(by: { $0.key < $1.key }) {
      try load(keys.sorted(), root: root, keeps: false)
    }
    guard !keyPaths.isEmpty else { return }
    let byEntity = Dictionary(grouping: own) { $0._home?.pointee.layout.index ?? 0 }
    for (entity, objects) in byEntity.sorted(by: { $0.key < $1.key }) {
      let layout = store.model.entities[entity]
      try prefetch(try prefetches(keyPaths, of: layout), for: objects)
    }
  }
}

extension ManagedObject {
  /// The row to read for a property of the program's, unless that is refused: then it reads as empty.
  ///
  /// Safe because the row is used at once, and the home lives as long as the context.
  @usableFromInline
  @inline(never)
  final func _loadedRow(_ slot: Int) -> UnsafeRawPointer {
    if _refusesLoad(slot), let home = _home { return home.pointee.blank.row(0) }
    return _loadedRow()
  }

  /// Whether the object's row must not be loaded for a property; the context then keeps the error.
  final func _refusesLoad(_ slot: Int) -> Bool {
    guard _row == nil, let home = _home else { return false }
    let context = home.pointee.context
    let error = context.lazyLoadError(of: self, home.pointee.layout.slots[slot].name)
    guard let error else { return false }
    context.keep(error)
    return true
  }

  /// The object to write for a property of the program's; `nil` when its row cannot be loaded now, or must not be.
  final func _writable(_ slot: Int) -> ManagedObject? {
    _refusesLoad(slot) ? nil : _writable()
  }

  /// Throws when access by name would have to load the object's row, and must not.
  final func _checkLazyLoad(_ key: String) throws(PerennialError) {
    guard _row == nil, let context = _home?.pointee.context else { return }
    if let error = context.lazyLoadError(of: self, key) {
      context.lastFaultError = error
      throw error
    }
  }
}

extension PerennialError {
  /// A property of a fault was read in a context that refuses it.
  static func lazyLoad(of object: ManagedObject, _ key: String) -> PerennialError {
    let entity = object.entityDescription.name
    return PerennialError(
      .lazyLoad,
      "'\(entity).\(key)' would be loaded lazily, as the object \(object.objectID) is a fault.",
      recovery: """
        prefetch the relationship that leads to it ('relationshipKeyPathsForPrefetching'), load it with \
        'load(_:prefetching:)' or 'refresh(_:mergeChanges: true)', or set 'lazyLoading' to '.load'
        """,
      entity: entity,
      property: key,
      objectID: object.objectID
    )
  }

  /// The objects of a to-many relationship were asked for in a context that refuses it.
  static func lazyLoad(of owner: ManagedObject, membersOf name: String) -> PerennialError {
    let entity = owner.entityDescription.name
    return PerennialError(
      .lazyLoad,
      "The objects of '\(entity).\(name)' of \(owner.objectID) would be loaded lazily.",
      recovery: """
        prefetch '\(name)' ('relationshipKeyPathsForPrefetching'), load it with 'load(_:prefetching: ["\(name)"])', \
        or set 'lazyLoading' to '.load'
        """,
      entity: entity,
      property: name,
      objectID: owner.objectID
    )
  }
}
