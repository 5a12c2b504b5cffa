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

  final func _members(_ index: Int) -> [ManagedObject] { _knownMembers(index) ?? [] }

  /// The members; `nil` when they cannot be read now, or must not be.
  final func _knownMembers(_ index: Int) -> [ManagedObject]? {
    guard let (owner, relationship, context) = resolve(index) else { return [] }
    let members = context.readingLazily { () throws(PerennialError) in
      try context.members(of: owner, relationship)
    }
    _noteToManyAccess(index, giving: members ?? [])
    return members
  }

  final func _memberCount(_ index: Int) -> Int {
    _noteToManyAccess(index)
    guard let (owner, relationship, context) = resolve(index) else { return 0 }
    return context.readingLazily { () throws(PerennialError) in
      try context.memberCount(of: owner, relationship)
    } ?? 0
  }

  final func _containsMember(_ index: Int, _ member: ManagedObject) -> Bool {
    _knows(index, member) ?? false
  }

  /// Whether an object is a member; `nil` when that cannot be told now, or must not be asked for.
  private final func _knows(_ index: Int, _ member: ManagedObject) -> Bool? {
    _noteToManyAccess(index)
    guard let (owner, relationship, context) = resolve(index) else { return false }
    let member = member._survivor ?? member
    guard member._home?.pointee.context === context else { return false }
    return context.readingLazily { () throws(PerennialError) in
      try context.isMember(member, of: owner, relationship)
    }
  }

  /// Adds a member, at the end when the relationship is ordered; one that is in stays where it is.
  ///
  /// - Returns: Whether it is a member now; else the context has noted why it may not be.
  @discardableResult
  final func _insertMember(_ index: Int, _ member: ManagedObject) -> Bool {
    guard let (owner, relationship, context) = resolve(index), !owner._isFrozen,
      let member = context.usable(member, for: relationship, of: owner)
    else { return false }
    if let slot = relationship.inverseSlot {
      member._setTarget(slot, owner)
    } else if let side = relationship.side {
      let isMember = _knows(index, member)
      if isMember == nil, context.refusesLazyLoads { return false }
      if isMember != true { context.addPair(owner, member, side) }
    }
    return true
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

  /// Makes the members those of a list, in its order when the relationship is ordered.
  final func _replaceMembers(_ index: Int, with members: [ManagedObject]) {
    guard let (owner, relationship, context) = resolve(index), !owner._isFrozen else { return }
    var seen: Set<ObjectIdentifier> = []
    let wanted = members.map { $0._survivor ?? $0 }.filter {
      seen.insert(ObjectIdentifier($0)).inserted
    }
    let known = _knownMembers(index)
    if known == nil, context.refusesLazyLoads { return }
    let current = known ?? []
    if current.elementsEqual(wanted, by: ===) { return }
    for old in current where !seen.contains(ObjectIdentifier(old)) { _removeMember(index, old) }
    // One that is in may be deleted by now, but is a member until its delete rules are applied.
    let present = Set(current.map(ObjectIdentifier.init))
    let accepted = wanted.filter {
      present.contains(ObjectIdentifier($0)) || _insertMember(index, $0)
    }
    if relationship.isOrdered {
      context.setOrder(accepted.map(\._reference), of: owner, relationship)
    }
  }

  /// Puts other objects into the places of some members; one that is a member already stays in its own.
  package final func _replaceMembers(_ heirs: [ManagedObject: ManagedObject], in index: Int) {
    let members = _members(index)
    var present = Set(members.filter { heirs[$0] == nil })
    _replaceMembers(
      index,
      with: members.compactMap { member in
        guard let heir = heirs[member] else { return member }
        return present.insert(heir).inserted ? heir : nil
      }
    )
  }

  /// The list that the context holds of the members since a position was read last.
  ///
  /// There is none where edits decide who is a member: to make or to drop one counts as no change of members.
  final func _heldList(_ index: Int) -> AnyObject? {
    guard let (owner, relationship, context) = resolve(index),
      !context.areInDoubt(owner, relationship)
    else { return nil }
    return context.faulting.lists
      .list(of: context.ownerKey(owner, relationship), at: context.membershipMoment)
  }

  /// Lets the context hold a list of the members that was just read, for the position that is read next.
  final func _holdList(_ index: Int, _ list: AnyObject, count: Int) {
    guard let (owner, relationship, context) = resolve(index),
      count <= FaultingState.keptCount, !context.areInDoubt(owner, relationship)
    else { return }
    let key = context.ownerKey(owner, relationship)
    let moment = context.membershipMoment
    let former = context.faulting.lists.hold(list, count: count, of: key, at: moment)
    withExtendedLifetime(former) {}
  }

  /// Counts what may have changed the members of any relationship; `nil` without a context.
  final var _membershipStamp: Int? { _home?.pointee.context.membershipStamp }
}

extension ManagedObjectContext {
  /// What has been counted that may change what `members(of:)` gives.
  fileprivate var membershipMoment: HeldLists.Moment {
    HeldLists.Moment(
      memberships: membershipStamp,
      loads: relationships.loads,
      epoch: memberEpoch
    )
  }

  /// Runs what a property getter needs; an error is kept, and the getter gives an empty value.
  func reading<Value>(
    _ empty: Value,
    _ body: () throws(PerennialError) -> Value
  ) -> Value {
    do throws(PerennialError) {
      return try body()
    } catch {
      keep(error)
      return empty
    }
  }

  /// Puts the members of an owner into an order.
  func setOrder(
    _ members: [ObjectReference],
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) {
    if undoRegistration.isActive { noteUndo(ofOrder: relationship, owner) }
    let key = ownerKey(owner, relationship)
    membershipStamp &+= 1
    pairCount &+= 1
    relationships.orders[key] = OrderedReferences(members)
    relationships.orderedOwners[key] = owner
    if case .toMany(let number) = relationship.place,
      homes[relationship.entity].writeStamp != 0
    {
      noteMembers(number, of: owner)
    }
  }
}
