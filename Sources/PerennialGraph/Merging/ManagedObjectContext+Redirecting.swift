// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

// What refers to a merged object without an inverse that would tell: it refers to the survivor.

extension ManagedObjectContext {
  /// Makes the to-one slots of changed objects that name the loser name the survivor.
  func redirectReferences(from loser: ManagedObject, to survivor: ManagedObject) {
    let loserIndex = layout(of: loser).index
    merging.holders.noteQuestion()
    for index in homeIndexes where !homes[index].changed.isEmpty {
      for slot in homes[index].layout.referenceSlots where isNameless(slot, index, to: loserIndex) {
        for object in holders(of: loser._reference, index, slot)
        where object !== loser && object._currentReference(slot) == loser._reference {
          object._writeReference(slot, survivor)
        }
      }
    }
  }

  /// Makes the stored rows that name a loser with a row of its own name the survivor.
  ///
  /// Without an inverse nobody knows them but the store: one query for each such relationship.
  func redirectStoredReferences(
    from loser: ManagedObject,
    to survivor: ManagedObject
  ) throws(PerennialError) {
    guard isKnownAbove(loser) else { return }
    let loserIndex = layout(of: loser).index
    for index in homeIndexes {
      let layout = homes[index].layout
      for slot in layout.referenceSlots
      where layout.slots[slot].entity == index && isNameless(slot, index, to: loserIndex) {
        let holders = try stored(index, layout.slots[slot].name, .direct, loser.objectID)
        for object in holders
        where !object.isDeleted && object._currentReference(slot) == loser._reference {
          object._writeReference(slot, survivor)
        }
      }
    }
    for link in store.model.links where isNameless(link, to: loserIndex) {
      for owner in try stored(link.first.entity, link.first.name, .any, loser.objectID) {
        try redirectPair(of: owner, link, from: loser, to: survivor)
      }
    }
  }

  private func redirectPair(
    of owner: ManagedObject,
    _ link: LinkLayout,
    from loser: ManagedObject,
    to survivor: ManagedObject
  ) throws(PerennialError) {
    guard !owner.isDeleted, let relationship = relationship(of: owner, naming: link),
      let side = relationship.side, try isMember(loser, of: owner, relationship)
    else { return }
    let place = try keepPlace(of: loser, in: owner, relationship, for: survivor)
    defer { give([place].compactMap { $0 }, to: survivor, from: loser) }
    removePair(owner, loser, side)
    if try !isMember(survivor, of: owner, relationship) { addPair(owner, survivor, side) }
  }

  /// Moves the pending pairs of to-many relationships that have no inverse.
  func moveNamelessPairs(
    of loser: ManagedObject,
    to survivor: ManagedObject
  ) throws(PerennialError) {
    let entity = layout(of: loser).index
    // Nothing here holds a copy of the changes: the first write would copy them all.
    for link in store.model.links where isNameless(link, to: entity) {
      for owner in relationships.links[link.index]?.fromSecond.additions(to: loser._key) ?? [] {
        let object = object(for: owner)
        let relationship = relationship(of: object, naming: link)
        let isIn =
          if let relationship { try isMember(survivor, of: object, relationship) } else { false }
        relationships.removePair(owner.key, loser._key, link: link)
        let order = orderKey(of: owner.key, link, isFirst: true)
        if let order { relationships.removeFromOrder(loser._key, order) }
        if !isIn {
          let first = ObjectReference(key: owner.key, entity: link.first.entity)
          relationships.addPair(first, survivor._reference, link: link)
          if let order { relationships.orders[order]?.append(survivor._reference) }
        }
      }
    }
  }

  /// The relationship of an owner that names a link.
  func relationship(
    of owner: ManagedObject,
    naming link: LinkLayout
  ) -> RelationshipLayout? {
    owner._home?.pointee.layout.toMany(named: link.first.name)
  }

  /// Whether a slot leads to objects of an entity, which have no relationship back.
  private func isNameless(_ slot: Int, _ entity: Int, to destination: Int) -> Bool {
    guard let relationship = homes[entity].layout.slots[slot].relationship,
      relationship.inverse == nil
    else { return false }
    return store.model.entities[relationship.destination].family.contains(destination)
  }

  func isNameless(_ link: LinkLayout, to destination: Int) -> Bool {
    link.second.name == nil && !link.isSymmetric
      && store.model.entities[link.second.entity].family.contains(destination)
  }

  /// The stored objects of an entity and its subentities that a relationship leads from to an object.
  private func stored(
    _ entity: Int,
    _ relationship: String,
    _ modifier: Comparison.Modifier,
    _ id: ManagedObjectID
  ) throws(PerennialError) -> [ManagedObject] {
    var query = StoreQuery(entity: entity)
    query.predicate = FetchPredicate(
      .comparison(
        Comparison(
          .path(relationship),
          .equal,
          .constant(.objectID(id)),
          modifier: modifier
        )
      )
    )
    var objects: [ManagedObject] = []
    try store.fetchRows(query) { page in append(page, to: &objects) }
    return objects
  }
}
