// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// A fault fires: its row comes from the coordinator's cache, or from the store, and then the rows of
// its siblings come with it.
//
// Siblings need no bookkeeping. A fault made by a to-one relationship, or by a fetch in batches,
// holds a page of keys; any other fault has for siblings the faults whose keys are near its own.
//
// Safe because every entry of an identity map is alive, and an object keeps the page of its row.

extension ManagedObjectContext {
  /// Loads the row of a fault; afterwards the object has one, or is gone, or is a fault still and
  /// `lastFaultError` says why.
  func fire(_ object: ManagedObject) {
    guard let home = object._home else { return }
    faulting.statistics.faultsFired += 1
    coordinator.noteFault()
    let root = home.pointee.layout.root
    if takeCachedRow(object, root: root) { return }
    do throws(PerennialError) {
      let (keys, keeps) = siblings(of: object)
      // It may be a `deinit` that asks: what is dying cannot be held.
      let held = keeps && object.isAlive
      do throws(PerennialError) {
        try load(keys, root: root, keeps: keeps)
      } catch {
        // Another row of the batch may be the one that cannot be read.
        guard keys.count > 1 else { throw error }
        try load([object._key], root: root, keeps: false)
      }
      if object._row == nil { noteInaccessible(object) } else if held { keep([object]) }
    } catch {
      lastFaultError = error
    }
  }

  /// Whether the context reads the coordinator's store: rows may be shared, and batches kept.
  var readsSharedRows: Bool { store.capabilities.contains(.cacheableRows) }

  /// Gives a fault its row from the coordinator's cache.
  ///
  /// - Returns: Whether it was there.
  func takeCachedRow(_ object: ManagedObject, root: Int) -> Bool {
    guard readsSharedRows else { return false }
    let cached = coordinator.rowCache.row(
      root: root,
      key: object._key,
      age: faulting.stalenessInterval
    )
    guard let cached, object._fits(cached.entity) else { return false }
    faulting.statistics.cacheHits += 1
    object._row = cached.pointer
    object._page = cached.page
    object.set(.awaitsAwakening, true)
    awaken(object)
    return true
  }

  /// The keys to load with a fault, its own among them, and whether to keep objects for them all.
  private func siblings(of object: ManagedObject) -> (keys: [Int64], keeps: Bool) {
    guard faulting.batchesFaults, let home = object._home else { return ([object._key], false) }
    let root = home.pointee.root
    guard let page = object._page, page.count == 0 else {
      return (root.pointee.map.faults(near: object._key, FaultingState.batchCount), false)
    }
    var keys: [Int64] = []
    let keeps = page.keyPurpose == .targets
    for key in page.keys {
      let known = root.pointee.map.find(key)?._withUnsafeGuaranteedRef { $0._row != nil }
      if known == false || known == nil && keeps { keys.append(key) }
    }
    // An owner that was changed since leads to what the rows of its page do not.
    if !keys.contains(object._key) { keys.append(object._key) }
    guard keeps else { return (keys, false) }
    keys.sort()
    var last: Int64 = 0
    keys.removeAll { key in
      defer { last = key }
      return key == last
    }
    return (window(keys, around: object._key), true)
  }

  /// At most as many keys as a batch has, one of which is given.
  private func window(_ keys: [Int64], around key: Int64) -> [Int64] {
    let count = FaultingState.batchCount
    guard keys.count > count, let place = keys.firstIndex(of: key) else { return keys }
    let start = max(0, min(place - count / 2, keys.count - count))
    return Array(keys[start..<start + count])
  }

  /// Loads rows: faults take theirs; others are kept for a while as objects if that is wanted.
  ///
  /// - Returns: The objects that got rows.
  @discardableResult
  func load(
    _ keys: [Int64],
    root: Int,
    keeps: Bool
  ) throws(PerennialError) -> [ManagedObject] {
    var query = StoreQuery(entity: root, scope: .keys(keys))
    query.includesSubentities = true
    let epoch = coordinator.rowCache.epoch
    var pages: [RowPage] = []
    faulting.statistics.faultQueries += 1
    if keys.count == 1 { noteSingleQuery(.rows(root: root)) }
    try store.fetchRows(query) { pages.append($0) }
    if readsSharedRows { coordinator.rowCache.insert(pages, root: root, epoch: epoch) }
    var taken: [ManagedObject] = []
    var new: [ManagedObject] = []
    for page in pages {
      faulting.statistics.rows += page.count
      for index in 0..<page.count { take(page, index, keeps: keeps, &taken, &new) }
    }
    keep(new)
    for object in taken { awaken(object) }
    return taken + new
  }

  private func take(
    _ page: RowPage,
    _ index: Int,
    keeps: Bool,
    _ taken: inout [ManagedObject],
    _ new: inout [ManagedObject]
  ) {
    let row = page.row(index)
    let home = homes + PackedRow.entity(row)
    let known = home.pointee.root.pointee.map.find(PackedRow.key(row))
    guard let object = known?.takeUnretainedValue() else {
      if keeps {
        let object = object(of: PageRow(page: page, index: index))
        taken.append(object)
        new.append(object)
      }
      return
    }
    if object._row == nil, object._home == home {
      object._row = row
      object._page = page
      object.set(.awaitsAwakening, true)
      taken.append(object)
    }
  }

  /// Holds objects for a while, so that they are there when they are asked for.
  ///
  /// Only new ones, and such as are known to be alive: what is dying cannot be held.
  func keep(_ objects: some Sequence<ManagedObject>) {
    let old = objects.compactMap { faulting.keep($0) }
    withExtendedLifetime(old) {}
  }

  /// Does what the context is told to do with a fault whose row is not in the store.
  private func noteInaccessible(_ object: ManagedObject) {
    lastFaultError = .objectGone(object.objectID)
    if let handler = faulting.inaccessibleFaultHandler {
      if handler(object) || object._home == nil { return }
    }
    if faulting.shouldDeleteInaccessibleFaults { becomeGone(object) }
  }

  /// The object that a slot of another refers to: a known one, or a new fault that knows its
  /// siblings.
  func target(_ reference: ObjectReference, of slot: Int, _ owner: ManagedObject) -> ManagedObject {
    let home = homes + reference.entity
    if let known = home.pointee.root.pointee.map.find(reference.key) {
      return known.takeUnretainedValue()
    }
    let object = object(for: reference)
    let owner = owner._survivor ?? owner
    if faulting.batchesFaults, reference.key > 0, let page = owner._committedPage, page.count > 1,
      let relationship = owner._relationship(slot)
    {
      let model = store.model
      object._page = faulting.targets(of: page, slot) {
        page.targets(of: slot, relationship, in: model)
      }
    }
    return object
  }
}

extension ManagedObject {
  /// The page of the row as it was saved or fetched; `nil` for a fault and a new object.
  final var _committedPage: RowPage? {
    guard _row != nil else { return nil }
    return _edit == nil ? _page : _edit?.pointee.committedPage?.takeUnretainedValue()
  }

  /// The row as it was saved or fetched.
  final var _committedRow: UnsafeRawPointer? {
    _edit == nil ? _row : _edit?.pointee.committedRow
  }
}
