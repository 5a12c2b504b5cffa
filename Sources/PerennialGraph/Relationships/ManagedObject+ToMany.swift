// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// To-many relationships, as the views `ToMany` and `OrderedToMany` and dynamic access need them.

extension ManagedObject {
  /// The relationship of a number, with the object that it is read from and its context.
  private final func resolve(
    _ index: Int
  ) -> (ManagedObject, RelationshipLayout, ManagedObjectContext)? {
    let object = _survivor ?? self
    guard let home = object._home else { return nil }
    return (object, home.pointee.layout.toManys[index], home.pointee.context)
  }

  final func _members(_ index: Int) -> [ManagedObject] {
    guard let (owner, relationship, context) = resolve(index) else { return [] }
    return context.reading([]) { () throws(PerennialError) in
      try context.members(of: owner, relationship)
    }
  }

  final func _memberCount(_ index: Int) -> Int {
    guard let (owner, relationship, context) = resolve(index) else { return 0 }
    return context.reading(0) { () throws(PerennialError) in
      try context.memberCount(of: owner, relationship)
    }
  }

  final func _containsMember(_ index: Int, _ member: ManagedObject) -> Bool {
    guard let (owner, relationship, context) = resolve(index) else { return false }
    let member = member._survivor ?? member
    guard member._home?.pointee.context === context else { return false }
    return context.reading(false) { () throws(PerennialError) in
      try context.isMember(member, of: owner, relationship)
    }
  }

  final func _insertMember(_ index: Int, _ member: ManagedObject) {
    guard let (owner, relationship, context) = resolve(index), !owner._isFrozen,
      let member = context.usable(member, for: relationship, of: owner)
    else { return }
    if let slot = relationship.inverseSlot {
      member._setTarget(slot, owner)
    } else if let side = relationship.side, !_containsMember(index, member) {
      let link = context.store.model.links[side.link]
      if side.isFirst {
        context.relationships.addPair(owner._reference, member._reference, link: link)
      } else {
        context.relationships.addPair(member._reference, owner._reference, link: link)
      }
    }
  }

  final func _removeMember(_ index: Int, _ member: ManagedObject) {
    guard let (owner, relationship, context) = resolve(index), !owner._isFrozen,
      _containsMember(index, member)
    else { return }
    let member = member._survivor ?? member
    if let slot = relationship.inverseSlot {
      member._setTarget(slot, nil)
    } else if let side = relationship.side {
      context.removePair(owner, member, side)
    }
  }

  final func _replaceMembers(_ index: Int, with members: [ManagedObject]) {
    guard let (owner, relationship, context) = resolve(index), !owner._isFrozen else { return }
    let kept = Set(members.map { ObjectIdentifier($0._survivor ?? $0) })
    for old in _members(index) where !kept.contains(ObjectIdentifier(old)) {
      _removeMember(index, old)
    }
    for member in members { _insertMember(index, member) }
    if relationship.isOrdered {
      context.relationships.orders[context.ownerKey(owner, relationship)] = members.map {
        ($0._survivor ?? $0)._key
      }
    }
  }
}

extension ManagedObjectContext {
  /// Runs what a property getter needs; an error is kept, and the getter gives an empty value.
  func reading<Value>(
    _ empty: Value,
    _ body: () throws(PerennialError) -> Value
  ) -> Value {
    do throws(PerennialError) {
      return try body()
    } catch {
      lastFaultError = error
      return empty
    }
  }

  func removePair(
    _ owner: ManagedObject,
    _ member: ManagedObject,
    _ side: RelationshipLayout.Side
  ) {
    let link = store.model.links[side.link]
    if side.isFirst {
      relationships.removePair(owner._key, member._key, link: link)
    } else {
      relationships.removePair(member._key, owner._key, link: link)
    }
  }
}
