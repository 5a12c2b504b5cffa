// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// To-one relationships: reading a target, and writing both sides at once. Safe because the homes live
// as long as the context of the objects.

extension ManagedObject {
  /// This object, as other objects' slots name it.
  final var _reference: ObjectReference {
    ObjectReference(key: _key, entity: _home?.pointee.index ?? 0)
  }

  /// The to-one relationship of a slot.
  final func _relationship(_ slot: Int) -> RelationshipLayout? {
    _home?.pointee.relationship(slot)?.takeUnretainedValue()
  }

  /// What a slot refers to now; the row must be loaded.
  final func _currentReference(_ slot: Int) -> ObjectReference {
    _row.map { PackedRow.reference($0, slot) } ?? ObjectReference(word: 0)
  }

  /// What a slot referred to when the object was last saved.
  final func _committedReference(_ slot: Int) -> ObjectReference {
    guard let edit = _edit else { return _currentReference(slot) }
    return edit.pointee.committedRow.map { PackedRow.reference($0, slot) }
      ?? ObjectReference(word: 0)
  }

  /// The object that a to-one slot refers to, as a fault when it is not loaded.
  final func _target(_ slot: Int) -> ManagedObject? {
    let target = target(slot)
    if has(.isObserved) { _noteAccess(slot, giving: target) }
    return target
  }

  @inline(__always)
  private final func target(_ slot: Int) -> ManagedObject? {
    let reference = PackedRow.reference(_row ?? _loadedRow(), slot)
    guard reference.key != 0, let home = _home else { return nil }
    return home.pointee.context.target(reference, of: slot, self)
  }

  /// Makes a to-one slot refer to an object, and keeps the inverse in step.
  public final func _setTarget(_ slot: Int, _ value: ManagedObject?) {
    guard _row != nil else {
      _writable(slot)?._setTarget(slot, value)
      return
    }
    guard !_isFrozen, let home = _home, let known = home.pointee.target(slot) else { return }
    guard !known.hasPartner, value.map({ home.isUsable($0, for: known) }) != false else {
      return setTargetAndPartner(slot, value, home)
    }
    write(value, slot)
  }

  /// Writes a slot whose inverse is no to-one relationship; equal to what it has, as any value.
  @inline(__always)
  private final func write(_ target: ManagedObject?, _ slot: Int) {
    let new = target?._reference ?? ObjectReference(word: 0)
    guard _currentReference(slot) == new else { return _writeReference(slot, target) }
    _store(new.key == 0 ? .null : .word(word(new)), slot)
  }

  /// Makes a slot refer to an object that has to be looked at closely, or that must refer to this one then.
  @inline(never)
  private final func setTargetAndPartner(
    _ slot: Int,
    _ value: ManagedObject?,
    _ home: UnsafeMutablePointer<EntityHome>
  ) {
    guard let relationship = home.pointee.relationship(slot)?.takeUnretainedValue() else { return }
    var target: ManagedObject?
    if let value {
      guard let usable = home.pointee.context.usable(value, for: relationship, of: self) else {
        return
      }
      target = usable
    }
    guard let inverse = relationship.inverseSlot else { return write(target, slot) }
    let context = home.pointee.context
    if let target, target._writable(inverse) == nil { return }
    if context.refusesPartners(of: _currentReference(slot), target, slot, inverse) { return }
    if let target {
      context.renew(self, slot, target, inverse)
      guard _home != nil, !_isFrozen else { return context.note(misuse: .objectGone(objectID)) }
      guard target._home != nil, !target._isFrozen else {
        return context.note(misuse: .deletedObject(target, relationship: relationship))
      }
    }
    let hasTarget = _currentReference(slot) == target?._reference ?? ObjectReference(word: 0)
    if hasTarget, target?._names(_reference, inverse) != false { return write(target, slot) }
    context.partner(_currentReference(slot), naming: _reference, inverse)?
      ._writeReference(inverse, nil)
    if let target {
      context.partner(target._currentReference(inverse), naming: target._reference, slot)?
        ._writeReference(slot, nil)
      target.writeAsChange(inverse, self)
    }
    writeAsChange(slot, target)
  }

  /// Writes one side, which counts as changed though it has the value already: the other side has not.
  private final func writeAsChange(_ slot: Int, _ target: ManagedObject?) {
    if let target, _names(target._reference, slot) { _writeReference(slot, nil) }
    _writeReference(slot, target)
  }

  /// Writes one side only, and tells the index of the other side.
  final func _writeReference(_ slot: Int, _ target: ManagedObject?) {
    guard _row != nil else {
      _writable()?._writeReference(slot, target)
      return
    }
    guard let home = _home, !_isFrozen else { return }
    home.pointee.relationship(slot)?
      ._withUnsafeGuaranteedRef { writeReference(slot, target, $0, home) }
  }

  @inline(__always)
  private final func writeReference(
    _ slot: Int,
    _ target: ManagedObject?,
    _ relationship: RelationshipLayout,
    _ home: UnsafeMutablePointer<EntityHome>
  ) {
    let old = _currentReference(slot)
    let new = target?._reference ?? ObjectReference(word: 0)
    let context = home.pointee.context
    if context.undoRegistration.isActive, old != new { context.noteUndo(ofOrderAt: slot, self) }
    context.prepareMove(relationship, slot)
    _store(new.key == 0 ? .null : .word(word(new)), slot)
    context.noteMove(of: self, relationship, slot, from: old.key, to: target)
  }

  private final func word(_ reference: ObjectReference) -> UInt64 {
    UInt64(bitPattern: reference.word)
  }
}

extension UnsafeMutablePointer<EntityHome> {
  /// Whether a relationship of an object may refer to another as it is: what `usable` finds out, at less cost.
  @inline(__always)
  fileprivate func isUsable(_ target: ManagedObject, for known: EntityHome.Target) -> Bool {
    guard target._row != nil, let other = target._home, !target.isDeleted else { return false }
    let homes = self - pointee.index
    return other >= homes + known.family.lowerBound && other < homes + known.family.upperBound
  }
}

extension ManagedObjectContext {
  /// The object that a relationship may refer to, or `nil` after noting why it may not.
  func usable(
    _ value: ManagedObject,
    for relationship: RelationshipLayout,
    of owner: ManagedObject
  ) -> ManagedObject? {
    let target = value._row == nil ? value._survivor ?? value : value
    guard let home = target._home, let entity = index(of: home) else {
      note(
        misuse: target.isGone
          ? .deletedObject(target, relationship: relationship)
          : .foreignObject(target, context: self, relationship: relationship)
      )
      return nil
    }
    guard !target.isDeleted else {
      note(misuse: .deletedObject(target, relationship: relationship))
      return nil
    }
    guard homes[relationship.destination].family.contains(entity) else {
      note(
        misuse:
          .wrongDestination(
            target,
            relationship: relationship,
            expected: store.model.entities[relationship.destination].name
          )
      )
      return nil
    }
    return target
  }

  /// The place of a home's entity; `nil` for a home of another context.
  @inline(__always)
  func index(of home: UnsafeMutablePointer<EntityHome>) -> Int? {
    home >= homes && home < homes + homeCount ? home - homes : nil
  }

  /// Whether a one-to-one relationship cannot be set without loading who gives up a partner for it: the object that
  /// the owner referred to, or the one that the target did.
  func refusesPartners(
    of old: ObjectReference,
    _ target: ManagedObject?,
    _ slot: Int,
    _ inverse: Int
  ) -> Bool {
    guard refusesLazyLoads else { return false }
    if object(forNonzero: old)?._refusesLoad(inverse) == true { return true }
    guard let row = target?._row else { return false }
    return object(forNonzero: PackedRow.reference(row, inverse))?._refusesLoad(slot) == true
  }

  /// The object of a reference if the context has it.
  func known(_ reference: ObjectReference) -> ManagedObject? {
    homes[reference.entity].root.pointee.map.find(reference.key)?.takeUnretainedValue()
  }

  /// Reads two objects again of which one names the other only: it may have been read before others parted them, and
  /// is to be written though it has the value already.
  fileprivate func renew(
    _ object: ManagedObject,
    _ slot: Int,
    _ target: ManagedObject,
    _ inverse: Int
  ) {
    if object._names(target._reference, slot) == target._names(object._reference, inverse) {
      return
    }
    refreshMerging([object, target].filter { $0._edit == nil })
  }

  /// The partner that a reference leads to, if its slot names another object in turn.
  ///
  /// One that does not is read again first: it may have been read before others made it the partner, and is to be
  /// written when it is no more. One with changes stays as it is: a save finds that it is older.
  func partner(
    _ reference: ObjectReference,
    naming other: ObjectReference,
    _ slot: Int
  ) -> ManagedObject? {
    guard let partner = object(forNonzero: reference) else { return nil }
    if partner._edit == nil, !partner._names(other, slot) { refreshMerging([partner]) }
    return partner._names(other, slot) ? partner : nil
  }

  func object(forNonzero reference: ObjectReference) -> ManagedObject? {
    reference.key == 0 ? nil : object(for: reference)
  }
}
