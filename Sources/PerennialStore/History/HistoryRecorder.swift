// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Gathers what a save really does, while it does it.
///
/// A store notes what it has written: not the rows that an earlier attempt has, nor deletions of rows
/// that are gone. So a save that is given twice is in the history once.
///
/// Invariant: an object has one change in the draft, whatever was noted of it.
package final class HistoryRecorder {
  typealias Place = HistoryDraft.Place

  let model: ModelLayout
  /// Whether replaced values are wanted.
  package let keepsOldValues: Bool
  private var inserted: [Int: KeyRuns] = [:]
  private var updated: [HistoryDraft.Batch] = []
  private var deleted: [Int: KeyRuns] = [:]
  /// The names of changed properties that no row of the change set says.
  private var others: [Place: Set<String>] = [:]
  private var tombstones: [Place: [String: PropertyValue]] = [:]
  var details: [Place: HistoryDetails] = [:]
  /// Whose orders are to be kept, with the objects that leave their places.
  var orderedOwners: [OrderedOwner: [OrderedOwner.Mover]] = [:]

  package init(model: ModelLayout, keepsOldValues: Bool) {
    self.model = model
    self.keepsOldValues = keepsOldValues
  }

  package func noteInsertion(of entity: Int, _ keys: some Sequence<Int64>) {
    var runs = inserted.removeValue(forKey: entity) ?? KeyRuns()
    for key in keys { runs.append(key) }
    if !runs.isEmpty { inserted[entity] = runs }
  }

  package func noteUpdate(of entity: Int, _ slots: [Int], _ keys: some Sequence<Int64>) {
    let names = Set(slots.map { model.entities[entity].slots[$0].name })
    let runs = KeyRuns(keys)
    guard !runs.isEmpty else { return }
    updated.append(.init(type: .update, entity: entity, properties: names, keys: runs))
  }

  package func noteDeletion(of entity: Int, _ key: Int64) {
    deleted[entity, default: KeyRuns()].append(key)
  }

  /// Notes a pair that a link has gained or lost, also because one of its objects goes.
  package func notePair(_ pair: ChangeSet.LinkChange.Pair, of link: LinkLayout, isAdded: Bool) {
    let first = Place(root: model.entities[link.first.entity].root, key: pair.first)
    let second = Place(root: model.entities[link.second.entity].root, key: pair.second)
    others[first, default: []].insert(link.first.name)
    if link.isSymmetric {
      others[second, default: []].insert(link.first.name)
    } else if let name = link.second.name {
      others[second, default: []].insert(name)
    }
    noteDetails(of: pair, link, isAdded: isAdded)
  }

  private func noteDetails(
    of pair: ChangeSet.LinkChange.Pair,
    _ link: LinkLayout,
    isAdded: Bool
  ) {
    guard keepsOldValues else { return }
    let first = Place(root: model.entities[link.first.entity].root, key: pair.first)
    var details = details[first] ?? HistoryDetails()
    if isAdded {
      details.added[link.first.name, default: []].append(pair.second)
    } else {
      details.removed[link.first.name, default: []].append(pair.second)
    }
    self.details[first] = details
  }

  /// Notes that the order of a relationship's objects has changed.
  package func noteOrder(of relationship: RelationshipLayout, owner: Int64) {
    let place = Place(root: model.entities[relationship.entity].root, key: owner)
    others[place, default: []].insert(relationship.name)
  }

  /// Notes attributes that the store has computed.
  package func noteDerived(_ slot: Int, of entity: Int, _ keys: some Sequence<Int64>) {
    let layout = model.entities[entity]
    for key in keys {
      others[Place(root: layout.root, key: key), default: []].insert(layout.slots[slot].name)
    }
  }

  /// Notes the stored row of an object that will be updated or deleted.
  ///
  /// A row that is one of another entity by now, as a damaged file may say, is left out: it has other slots.
  ///
  /// - Parameters:
  ///   - row: The row as it is stored.
  ///   - entity: The entity that is updated or deleted.
  ///   - slots: The slots that will be written; `nil` for a deletion.
  ///   - value: Gives the value of a slot.
  package func noteOld(
    _ row: PageRow,
    of entity: Int,
    slots: [Int]?,
    value: (PageRow, Int) -> PropertyValue
  ) {
    guard model.entities[entity].family.contains(row.entity) else { return }
    let layout = model.entities[row.entity]
    let place = Place(root: layout.root, key: row.key)
    if slots == nil {
      for slot in layout.preservedSlots {
        let value = value(row, slot)
        if !value.isNull { tombstones[place, default: [:]][layout.slots[slot].name] = value }
      }
    }
    guard keepsOldValues else { return }
    let all = layout.slots.indices.filter { !layout.slots[$0].isTransient }
    for slot in slots ?? all {
      let value = value(row, slot)
      details[place, default: HistoryDetails()].values[layout.slots[slot].name] = value
      if case .objectID(let owner) = value { noteLeaving(place, layout, slot, owner.key) }
    }
  }

  /// What was noted.
  ///
  /// - Parameter entities: Gives the concrete entities of stored rows of a root entity by their keys.
  /// - Returns: The batches, an object in one of them.
  /// - Throws: What the closure throws.
  package func draft<Failure: Error>(
    entities: (Int, [Int64]) throws(Failure) -> [Int64: Int]
  ) throws(Failure) -> HistoryDraft {
    var draft = HistoryDraft()
    draft.tombstones = tombstones
    draft.details = details
    for (entity, keys) in inserted.sorted(by: { $0.key < $1.key }) {
      draft.batches.append(.init(type: .insert, entity: entity, properties: [], keys: keys))
    }
    draft.batches += try updates(entities: entities)
    for (entity, keys) in deleted.sorted(by: { $0.key < $1.key }) {
      draft.batches.append(.init(type: .delete, entity: entity, properties: [], keys: keys))
    }
    return draft
  }

  /// The updates, with what no row of the change set says.
  private func updates<Failure: Error>(
    entities: (Int, [Int64]) throws(Failure) -> [Int64: Int]
  ) throws(Failure) -> [HistoryDraft.Batch] {
    guard !others.isEmpty else { return updated }
    var pending = pendingUpdates()
    var batches: [HistoryDraft.Batch] = []
    var groups: [Int: [Set<String>: [Int64]]] = [:]
    for var batch in updated {
      let root = model.entities[batch.entity].root
      let shared = Set(batch.keys.intersection((pending[root] ?? [:]).keys))
      for key in shared {
        let names = batch.properties.union(pending[root]?.removeValue(forKey: key) ?? [])
        groups[batch.entity, default: [:]][names, default: []].append(key)
      }
      batch.keys = batch.keys.subtracting(shared)
      if !batch.keys.isEmpty { batches.append(batch) }
    }
    for (root, objects) in pending where !objects.isEmpty {
      let found = try entities(root, objects.keys.sorted())
      for (key, names) in objects {
        guard let entity = found[key] else { continue }
        groups[entity, default: [:]][names, default: []].append(key)
      }
    }
    for (entity, keysByNames) in groups.sorted(by: { $0.key < $1.key }) {
      let sorted = keysByNames.map { (names: $0.key.sorted(), keys: $0.value.sorted()) }
        .sorted { $0.names.lexicographicallyPrecedes($1.names) }
      for (names, keys) in sorted {
        batches.append(
          .init(type: .update, entity: entity, properties: Set(names), keys: KeyRuns(keys))
        )
      }
    }
    return batches
  }

  /// The names of changed properties that no row says, of objects that are neither new nor gone, by
  /// root entity and key.
  private func pendingUpdates() -> [Int: [Int64: Set<String>]] {
    var pending: [Int: [Int64: Set<String>]] = [:]
    for (place, names) in others { pending[place.root, default: [:]][place.key] = names }
    for (entity, keys) in Array(inserted) + Array(deleted) {
      let root = model.entities[entity].root
      for key in keys.intersection((pending[root] ?? [:]).keys) { pending[root]?[key] = nil }
    }
    return pending
  }
}

extension EntityLayout {
  /// The slots whose last values history keeps when an object is deleted, by name.
  package var preservedSlots: [Int] {
    slots.indices.filter {
      slots[$0].attribute?.preservesValueInHistoryOnDeletion == true && !slots[$0].isTransient
    }.sorted { slots[$0].name.utf8.lexicographicallyPrecedes(slots[$1].name.utf8) }
  }
}
