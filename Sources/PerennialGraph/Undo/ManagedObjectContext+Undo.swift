// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// What a context keeps for its undo manager.
struct UndoRegistration {
  /// Whether changes are noted: the one thing that is asked for at every change.
  var isActive = false
  var manager: ContextUndoManager?
  /// Counts the saves.
  var epoch = 0
}

extension ManagedObjectContext {
  /// The manager that records the changes of this context, so that they can be undone; `nil` by default.
  ///
  /// A manager serves one context: assigning it to another takes it from the first. Its log begins with the next
  /// change.
  ///
  /// Core Data: `NSManagedObjectContext.undoManager`.
  public var undoManager: ContextUndoManager? {
    get { undoRegistration.manager }
    set {
      guard undoRegistration.manager !== newValue else { return }
      let old = undoRegistration.manager
      undoRegistration.manager = newValue
      old?.attach(to: nil)
      newValue?.attach(to: self)
      notices.hearsEveryWrite = newValue != nil
      updateStamps()
      updateUndoRegistration()
    }
  }

  /// Undoes the last group of changes; does nothing without an ``undoManager``.
  ///
  /// Core Data: `NSManagedObjectContext.undo()`.
  public func undo() { undoManager?.undo() }

  /// Redoes the changes that were undone last; does nothing without an ``undoManager``.
  ///
  /// Core Data: `NSManagedObjectContext.redo()`.
  public func redo() { undoManager?.redo() }

  func updateUndoRegistration() {
    undoRegistration.isActive = undoRegistration.manager?.isActive ?? false
  }

  /// Runs a closure whose changes are not to be undone: they come from elsewhere.
  func withoutUndo<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let wasActive = undoRegistration.isActive
    undoRegistration.isActive = false
    defer { undoRegistration.isActive = wasActive }
    return try body()
  }
}

extension ManagedObjectContext {
  /// Runs a closure whose changes follow from others, and are undone with these: alone, after an undo
  /// or a refresh for instance, they are no group, and leave what can be redone.
  func asConsequence(
    _ body: () throws(PerennialError) -> Void
  ) throws(PerennialError) {
    guard undoRegistration.isActive, undoManager?.hasOpenGroup == false else { return try body() }
    try withoutUndo(body)
  }

  /// Runs a closure whose changes follow from the deletion of an object, and are undone with it, whenever that was;
  /// also where other changes are not noted, as while saves of others are merged.
  func asConsequence(
    ofDeleting object: ManagedObject,
    _ manager: ContextUndoManager,
    _ body: () throws(PerennialError) -> Void
  ) throws(PerennialError) {
    let wasActive = undoRegistration.isActive
    undoRegistration.isActive = true
    defer { undoRegistration.isActive = wasActive && manager.isActive }
    try manager.noteConsequences(ofDeleting: object, body)
  }
}

// What the primitives of change call, when `undoRegistration.isActive` says so.

extension ManagedObjectContext {
  /// Notes a change.
  @inline(never)
  func noteUndo(_ entry: UndoGroup.Entry) { undoRegistration.manager?.note(entry) }

  /// Notes the value of a slot that is about to be written, which has its private row.
  @inline(never)
  func noteUndo(ofSlot slot: Int, _ object: ManagedObject) {
    guard let manager = undoRegistration.manager, let home = object._home, let edit = object._edit,
      let row = object._row
    else { return }
    let isReference = home.pointee.layout.slots[slot].storage == .reference
    if !isReference, manager.keepsOlderValue(of: slot, object) { return }
    let value =
      isReference
      ? undoValue(of: PackedRow.reference(row, slot))
      : UndoValue(PackedRow.slotValue(row, slot, of: home.pointee.layout))
    manager.note(.slot(object, slot, value, wasAssigned: EditRecord.isChanged(edit, slot)))
  }

  /// Notes the order from which an object is about to be taken, as it leaves a to-one slot.
  @inline(never)
  func noteUndo(ofOrderAt slot: Int, _ object: ManagedObject) {
    guard let inverse = object._relationship(slot).flatMap(orderedInverse(of:)),
      let owner = self.object(forNonzero: object._currentReference(slot))
    else { return }
    noteUndo(ofOrder: inverse, owner)
  }

  /// Notes the orders that an object is about to leave with all its to-one slots.
  @inline(never)
  func noteUndo(ofOrdersAround object: ManagedObject) {
    guard let layout = object._home?.pointee.layout else { return }
    for slot in layout.referenceSlots { noteUndo(ofOrderAt: slot, object) }
  }

  /// Notes the orders from which a pair is about to be taken.
  @inline(never)
  func noteUndo(
    ofOrdersOf owner: ManagedObject,
    _ member: ManagedObject,
    _ side: RelationshipLayout.Side
  ) {
    guard let relationship = linkRelationship(side, of: owner) else { return }
    noteUndo(ofOrder: relationship, owner)
    if let inverse = orderedInverse(of: relationship) { noteUndo(ofOrder: inverse, member) }
  }

  /// Notes the members of an ordered relationship, once in a group; loads them.
  @inline(never)
  func noteUndo(ofOrder relationship: RelationshipLayout, _ owner: ManagedObject) {
    guard relationship.isOrdered, case .toMany(let index) = relationship.place,
      let manager = undoRegistration.manager
    else { return }
    let key = UndoGroup.OrderKey(owner: ObjectIdentifier(owner), toMany: index)
    guard !manager.keepsOrder(key) else { return }
    let members = reading([]) { () throws(PerennialError) in
      try self.members(of: owner, relationship)
    }
    let pending = ownerKey(owner, relationship)
    manager.noteOrder(
      UndoGroup.Order(
        owner: owner,
        relationship: relationship,
        members: members.map { undoValue(of: $0._reference) },
        wasSet: relationships.orders[pending] != nil,
        wasDue: relationships.orderedOwners[pending] != nil,
        epoch: undoRegistration.epoch
      ),
      key
    )
  }

  /// The many-to-many relationship of an object that is a side of a link.
  func linkRelationship(
    _ side: RelationshipLayout.Side,
    of owner: ManagedObject
  ) -> RelationshipLayout? {
    let entity = owner._home?.pointee.layout.index ?? owner._row.map(PackedRow.entity)
    return entity.flatMap { homes[$0].layout.toManys.first { $0.side == side } }
  }

  private func orderedInverse(of relationship: RelationshipLayout) -> RelationshipLayout? {
    guard let inverse = relationship.inverse, inverse.isOrdered,
      case .toMany(let number) = inverse.place
    else { return nil }
    return homes[inverse.entity].layout.toManys[number]
  }

  /// A reference that stays right when a save gives its object another key.
  private func undoValue(of reference: ObjectReference) -> UndoValue {
    if reference.key == 0 { return .null }
    if reference.key > 0 { return .word(UInt64(bitPattern: reference.word)) }
    return .object(object(for: reference))
  }
}
