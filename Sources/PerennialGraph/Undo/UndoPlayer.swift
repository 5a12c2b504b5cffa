// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Takes a group of changes back, through the primitives that made them.
///
/// The primitives note what they do: the group that makes the changes again arises by itself.
///
/// The order: what left the context comes back first, so that everything else can refer to it; then
/// the entries backwards; then the other sides of one-to-one relationships that others have changed
/// meanwhile; then the orders of members; then what a deletion deletes in turn.
struct UndoPlayer {
  private let context: ManagedObjectContext
  /// The objects concerned, in the order of their first change, and what happened to them.
  private var touched: [ManagedObject] = []
  private var events: [ObjectIdentifier: SnapshotEvents] = [:]
  private var inverses = InverseRepair()
  /// What comes back in the place of objects whose rows others had brought back.
  private var standIns: [ObjectIdentifier: ManagedObject] = [:]

  init(_ context: ManagedObjectContext) { self.context = context }

  mutating func play(_ group: UndoGroup) {
    context.relationships.keepsStoredPlaces = true
    for order in group.orders.values where order.owner._home != nil {
      context.noteUndo(ofOrder: order.relationship, order.owner)
    }
    let targets = UndoTargets(of: group, in: context)
    bringBack(group, targets)
    for entry in group.entries.reversed() { takeBack(entry, targets) }
    inverses.repair(in: context)
    context.relationships.keepsStoredPlaces = false
    for order in group.orders.values { restore(order) }
    context.reading(()) { () throws(PerennialError) in try context.propagateDeletions() }
    context.forgetAbsentees()
    for object in touched {
      object.awake(fromSnapshotEvents: events[ObjectIdentifier(object)] ?? [])
    }
  }

  private mutating func note(_ event: SnapshotEvents, _ object: ManagedObject) {
    if events[ObjectIdentifier(object), default: []].isEmpty { touched.append(object) }
    events[ObjectIdentifier(object), default: []].formUnion(event)
  }

  private mutating func bringBack(_ group: UndoGroup, _ targets: UndoTargets) {
    var returned: [ManagedObject] = []
    var replaced: [ManagedObject] = []
    for entry in group.entries.reversed() {
      guard let absentee = entry.absentee, let object = targets.returning(absentee) else {
        continue
      }
      let isNew = object._home == nil
      guard context.reinstate(object) else { continue }
      returned.append(object)
      if object !== absentee {
        standIns[ObjectIdentifier(absentee)] = object
        replaced.append(absentee)
      }
      context.noteUndo(isNew ? .insertion(object) : .restoration(object))
      note(.undoDeletion, object)
    }
    for object in returned {
      context.noteReferences(of: object, targets)
      for slot in object._home?.pointee.layout.referenceSlots ?? [] {
        inverses.note(object, slot, in: context)
      }
    }
    for object in replaced { copyValues(of: object, targets) }
  }

  /// The object that stands for one, itself as a rule.
  private func standIn(for object: ManagedObject) -> ManagedObject {
    standIns[ObjectIdentifier(object)] ?? object
  }

  /// Gives the object that stands for another one the values that the other had when it was deleted.
  private mutating func copyValues(of object: ManagedObject, _ targets: UndoTargets) {
    guard let home = standIn(for: object)._home else { return }
    let layout = home.pointee.layout
    for slot in layout.slots.indices
    where home.pointee.derivations?.slots.contains(slot) != true {
      let value = context.undoValue(of: slot, object, layout, targets)
      takeBack(.slot(object, slot, value, wasAssigned: true), targets)
    }
  }

  private mutating func takeBack(_ entry: UndoGroup.Entry, _ targets: UndoTargets) {
    switch entry {
    case .deletion, .withdrawal: break
    case .edit(let object): context.endEditIfUnchanged(standIn(for: object))
    case .slot(let owner, let slot, let value, let wasAssigned):
      let object = standIn(for: owner)
      inverses.note(object, slot, in: context)
      guard context.set(value, slot, of: object, isAssigned: wasAssigned, targets) else { return }
      note(.undoUpdate, object)
    case .insertion(let object):
      if context.takeOut(object) { note(.undoInsertion, object) }
    case .restoration(let object):
      if context.deleteAgain(object) { note(.undoInsertion, object) }
    case .addedPair(let owner, let member, let side):
      link(standIn(for: owner), standIn(for: member), side, false)
    case .removedPair(let owner, let member, let side):
      link(standIn(for: owner), standIn(for: member), side, true)
    }
  }

  private mutating func link(
    _ owner: ManagedObject,
    _ member: ManagedObject,
    _ side: RelationshipLayout.Side,
    _ isWanted: Bool
  ) {
    guard owner._home != nil, member._home != nil,
      !isWanted || !owner.isDeletedElsewhere && !member.isDeletedElsewhere,
      let relationship = context.linkRelationship(side, of: owner)
    else { return }
    let isLinked = context.reading(isWanted) { () throws(PerennialError) in
      try context.isMember(member, of: owner, relationship)
    }
    guard isLinked != isWanted else { return }
    if isWanted {
      context.addPair(owner, member, side)
    } else {
      context.removePair(owner, member, side)
    }
    note(.undoUpdate, owner)
    note(.undoUpdate, member)
  }

  /// Puts the members of an owner into the order that they had.
  ///
  /// An order that was not a pending change is none again, if it comes out right without.
  private mutating func restore(_ order: UndoGroup.Order) {
    let owner = standIn(for: order.owner)
    var places: [ObjectReference: Int] = [:]
    for (place, member) in order.members.enumerated() {
      places[context.reference(member)] = place
    }
    let key = context.ownerKey(owner, order.relationship)
    if !order.wasSet, order.epoch == context.undoRegistration.epoch {
      context.relationships.orders[key] = nil
      if !order.wasDue { context.relationships.orderedOwners[key] = nil }
      context.relationships.sortAdded(order.relationship, of: key.owner) {
        places[$0] ?? .max
      }
      context.membershipStamp &+= 1
      if context.homes.pointee.writeStamp != 0, case .toMany(let number) = order.relationship.place
      {
        context.noteMembers(number, of: owner)
      }
    }
    guard owner._home != nil, !owner.isDeleted else { return }
    let current = context.reading([]) { () throws(PerennialError) in
      try context.members(of: owner, order.relationship)
    }
    let wanted = current.enumerated().sorted { left, right in
      (places[left.element._reference] ?? .max, left.offset)
        < (places[right.element._reference] ?? .max, right.offset)
    }.map(\.element)
    if !wanted.elementsEqual(current, by: ===) {
      context.setOrder(wanted.map(\._reference), of: owner, order.relationship)
    }
    note(.undoUpdate, owner)
  }
}
