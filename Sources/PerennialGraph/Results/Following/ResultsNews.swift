// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// What may have changed since somebody last looked at a context's objects and the store.
struct ResultsNews {
  /// The keys of rows that may have changed, come or gone, by root entity.
  private(set) var touched: [Int: Set<Int64>] = [:]
  /// The keys of those of which only the members of to-many relationships are others.
  private(set) var owners: [Int: Set<Int64>] = [:]
  /// Objects that were deleted or have left the context, by their references: whoever held them knows
  /// them as these.
  private(set) var departed: [ObjectReference: ManagedObject] = [:]
  /// The root entities of such objects, and of those of the contexts above.
  private(set) var departedRoots: Set<Int> = []
  /// Whether rows may have changed that nobody has named.
  var hasUnknown = false
  /// Whether the context has forgotten all of its objects.
  var isReset = false
  /// Whether new objects have been saved, and have other keys now.
  var hasSaved = false
  /// Whether the context has taken what others have saved, or what was stored, into its objects.
  private(set) var hasMerged = false

  var isEmpty: Bool { touched.isEmpty && !hasUnknown && !isReset && !hasSaved }

  mutating func formUnion(_ other: ResultsNews) {
    if touched.isEmpty {
      (touched, owners) = (other.touched, other.owners)
    } else {
      for (root, keys) in other.touched {
        let changed = (changed(root), other.changed(root))
        touched[root, default: []].formUnion(keys)
        let owned = (owners[root] ?? []).union(other.owners[root] ?? [])
        owners[root] = owned.subtracting(changed.0).subtracting(changed.1)
      }
    }
    departed.merge(other.departed) { first, _ in first }
    departedRoots.formUnion(other.departedRoots)
    hasUnknown = hasUnknown || other.hasUnknown
    isReset = isReset || other.isReset
    hasSaved = hasSaved || other.hasSaved
    hasMerged = hasMerged || other.hasMerged
  }

  /// The keys of rows whose own values may have changed.
  func changed(_ root: Int) -> Set<Int64> {
    guard let keys = touched[root] else { return [] }
    return owners[root].map { keys.subtracting($0) } ?? keys
  }

  mutating func touch(_ keys: some Sequence<Int64>, root: Int) {
    touched[root, default: []].formUnion(keys)
  }

  /// Notes what an event has changed in a context.
  mutating func note(_ changes: ChangedObjects, in context: ManagedObjectContext) {
    if changes.invalidatedAll { isReset = true }
    if !changes.refreshed.isEmpty { hasMerged = true }
    let earlier = self
    for objects in [
      changes.inserted, changes.updated, changes.deleted, changes.refreshed, changes.invalidated,
    ] {
      for object in objects { note(object, in: context) }
    }
    for object in changes.owners {
      guard let root = object._home?.pointee.layout.root else { continue }
      if !earlier.changed(root).contains(object._key) {
        owners[root, default: []].insert(object._key)
      }
    }
    for object in changes.deleted {
      guard let home = object._home else { continue }
      departed[object._reference] = object
      departedRoots.insert(home.pointee.layout.root)
    }
  }

  /// The same as a child takes it: what has changed above is stored for it, and it has objects of its own, if it knows
  /// them.
  func passed(to child: ManagedObjectContext) -> ResultsNews {
    var news = self
    news.hasMerged = true
    news.departed = [:]
    for reference in departed.keys { news.departed[reference] = child.known(reference) }
    return news
  }

  /// Adds the keys that objects have got by being saved.
  mutating func translateKeys(in context: ManagedObjectContext) {
    guard hasSaved else { return }
    for (root, keys) in touched where keys.contains(where: { $0 < 0 }) {
      let saved = keys.compactMap { key in
        key < 0 ? context.top.temporaryKeys.key(root: root, temporary: key) : nil
      }
      touched[root]?.formUnion(saved)
    }
  }

  /// Notes an object; the entity of one that has left the context is known by its class, if it has one.
  mutating func note(_ object: ManagedObject, in context: ManagedObjectContext) {
    if let home = object._home {
      touched[home.pointee.layout.root, default: []].insert(object._key)
    } else if let entity = context.coordinator.entityIndexes[ObjectIdentifier(type(of: object))] {
      let root = context.homes[entity].layout.root
      touched[root, default: []].insert(object._key)
      departed[ObjectReference(key: object._key, entity: entity)] = object
      departedRoots.insert(root)
    } else {
      hasUnknown = true
    }
  }

  /// Notes what a context has merged.
  mutating func note(_ merged: MergedChanges, in context: ManagedObjectContext) {
    hasMerged = true
    switch merged.source {
    case .saves(let saves): for save in saves { note(save.changes, of: context.store.model) }
    case .named(let changes):
      for ids in [
        changes.inserted, changes.updated, changes.deleted, changes.refreshed, changes.invalidated,
      ] {
        for id in ids { note(id, in: context) }
      }
      // Who named them may not do so any more.
      departedRoots.formUnion(changes.deleted.compactMap { root(of: $0, in: context) })
    case .everything: hasUnknown = true
    }
  }

  private mutating func note(_ id: ManagedObjectID, in context: ManagedObjectContext) {
    guard let root = root(of: id, in: context) else { return }
    if let key = context.key(of: id, root: root) { touched[root, default: []].insert(key) }
  }

  private func root(of id: ManagedObjectID, in context: ManagedObjectContext) -> Int? {
    context.store.model.entitiesByName[id.entityName].map { context.homes[$0].layout.root }
  }

  /// Notes the rows that a save has written, and those whose members are others.
  private mutating func note(_ changes: ChangeSet, of model: ModelLayout) {
    for insertion in changes.insertions {
      note(insertion.pages, model.entities[insertion.entity].root)
    }
    for update in changes.updates { note(update.pages, model.entities[update.entity].root) }
    for deletion in changes.deletions {
      touch(deletion.rows.lazy.map(\.key), root: model.entities[deletion.entity].root)
    }
    for change in changes.links {
      let link = model.links[change.link]
      for pair in change.added + change.removed {
        touched[model.entities[link.first.entity].root, default: []].insert(pair.first)
        touched[model.entities[link.second.entity].root, default: []].insert(pair.second)
      }
    }
    for order in changes.orders {
      touch([order.owner], root: model.entities[order.relationship.entity].root)
    }
    for derivation in changes.derivations {
      let root = model.entities[derivation.entity].root
      touch(derivation.owners, root: root)
      touch(derivation.reached, root: root)
      hasUnknown = hasUnknown || derivation.hasTargets
    }
  }

  private mutating func note(_ pages: [RowPage], _ root: Int) {
    for page in pages {
      touch((0..<page.count).lazy.map { PackedRow.key(page.row($0)) }, root: root)
    }
  }
}
