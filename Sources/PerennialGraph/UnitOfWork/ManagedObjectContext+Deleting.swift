// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Marks an object as deleted; the next save deletes its row.
  ///
  /// The delete rules of its relationships are applied before the next fetch or save; the save applies them again to
  /// what other contexts have saved since. The rules may call `prepareForDeletion()` of other objects. A save in such
  /// a hook first applies the rules that are left; so does a fetch in it, unless such a fetch or save has called the
  /// hook. A save in a hook that such a save calls writes nothing itself: the outer save writes its changes at its
  /// end.
  ///
  /// Deleting an object twice, or one whose row is gone, does nothing. An object of another context is refused: the
  /// next fetch or save throws `foreignObject` (200005).
  ///
  /// Core Data: `NSManagedObjectContext.delete(_:)`.
  ///
  /// - Parameter object: An object of this context.
  public func delete(_ object: ManagedObject) {
    let object = object._survivor ?? object
    guard let home = object._home else { return }
    guard home.pointee.context === self else {
      note(misuse: .foreignObject(object, context: self, relationship: nil))
      return
    }
    guard !object.isDeleted, !preparing.contains(ObjectIdentifier(object)) else { return }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    guard object._writable() != nil, object._home != nil else { return }
    preparing.append(ObjectIdentifier(object))
    object.prepareForDeletion()
    preparing.removeLast()
    // The hook may have merged the object into another, or made it a fault.
    if let survivor = object._survivor { return delete(survivor) }
    guard object._writable() != nil, object._home != nil, !object.isDeleted else { return }
    markDeleted(object)
  }

  /// Makes a loaded object a deleted one whose delete rules are still to be applied.
  func markDeleted(_ object: ManagedObject) {
    // First: who asks for its owners' members afterwards is not told of it.
    if undoRegistration.isActive { noteUndo(ofOrdersAround: object) }
    let edit = object.beginEdit()
    if edit.pointee.stamp != homes.pointee.writeStamp { touch(object) }
    edit.pointee.state = edit.pointee.state == .inserted ? .deletedInsertion : .deleted
    if undoRegistration.isActive { noteUndo(.deletion(object)) }
    noteDepartures(of: object)
    mutationCount &+= 1
    lifecycle.touch(object)
    pendingDeletions.append(object)
    if object.has(.isObserved) { notices.observation?.changed(object) }
  }

  /// Tells the other sides of an object's to-one relationships that it leaves.
  func noteDepartures(of object: ManagedObject) {
    for (slot, relationship) in layout(of: object).toOnes {
      noteMove(of: object, relationship, slot, from: object._currentReference(slot).key, to: nil)
    }
  }

  /// Applies the delete rules of everything deleted, and of what that deletes.
  ///
  /// Hooks of what that deletes or loads may come here again: then the rules that they interrupt come
  /// first, and then all others. What that calls leaves the rest to it, so that many hooks are not
  /// nested. Only a save, which may leave nothing out, goes on itself; not in a save of a hook.
  func propagateDeletions(beforeSave isSaving: Bool = false) throws(PerennialError) {
    guard !pendingDeletions.isEmpty || isSaving && merging.rulesMark != nil else { return }
    // Before anything is read: what is saved meanwhile is news.
    let mark = merging.rulesMark ?? SaveMark(coordinator)
    forgetMissedMembers()
    if isSaving { try reapplyRulesToNews() }
    guard !pendingDeletions.isEmpty else { return }
    if merging.rulesMark == nil { merging.rulesMark = mark }
    let outer = pendingDeletions.pass
    let pass: PendingDeletions.Pass =
      outer == .none ? .first : isSaving ? .inSaveOfHook : .inHook
    guard pass > outer else { return }
    pendingDeletions.pass = pass
    defer { pendingDeletions.pass = outer }
    if outer != .none {
      for object in pendingDeletions.inProgress where object._isPropagating {
        try propagatePendingDeletion(of: object)
      }
    }
    while let object = pendingDeletions.takeFirst() {
      do throws(PerennialError) {
        try propagatePendingDeletion(of: object)
      } catch {
        pendingDeletions.putBack(object)
        throw error
      }
    }
    withExtendedLifetime(pendingDeletions.removeAll()) {}
  }

  /// Applies the delete rules as far as that can be done now.
  func applyDeleteRules() {
    beginExplicitLoads()
    defer { endExplicitLoads() }
    reading(()) { () throws(PerennialError) in try propagateDeletions() }
  }

  private func propagatePendingDeletion(of object: ManagedObject) throws(PerennialError) {
    if object.isDeleted, object._edit != nil {
      if let manager = undoRegistration.manager, manager.isActive {
        try asConsequence(ofDeleting: object, manager) { () throws(PerennialError) in
          try propagateDeletion(of: object)
        }
      } else {
        try propagateDeletion(of: object)
      }
    }
    guard let edit = object._edit, edit.pointee.isPropagating else { return }
    edit.pointee.isPropagating = false
    edit.pointee.isPropagated = edit.pointee.state.isDeleted
  }

  /// Applies the delete rules of an object, unless a hook ends that: it may have had them applied to
  /// the end, or taken the deletion back.
  private func propagateDeletion(of object: ManagedObject) throws(PerennialError) {
    let layout = layout(of: object)
    for relationship in layout.toManys where object._isPropagating {
      try propagate(relationship, of: object)
    }
    for (slot, relationship) in layout.toOnes where object._isPropagating {
      let (current, saved) = (object._currentReference(slot), object._committedReference(slot))
      // A refreshed object may refer to this one again, although this one had moved on.
      if saved != current { unlink(object, from: saved, relationship) }
      guard let target = self.object(forNonzero: current) else { continue }
      switch relationship.description.deleteRule {
      case .cascade: delete(target)
      case .nullify: unlink(object, from: current, relationship)
      case .deny, .noAction: break
      }
    }
  }

  /// Makes the other side of a one-to-one relationship refer to nothing, if it refers to an object.
  private func unlink(
    _ object: ManagedObject,
    from reference: ObjectReference,
    _ relationship: RelationshipLayout
  ) {
    guard let inverse = relationship.inverseSlot else { return }
    partner(reference, naming: object._reference, inverse)?._writeReference(inverse, nil)
  }

  private func propagate(
    _ relationship: RelationshipLayout,
    of owner: ManagedObject
  ) throws(PerennialError) {
    let rule = relationship.description.deleteRule
    guard rule == .nullify || rule == .cascade else { return }
    for member in try membersForRules(of: owner, relationship) {
      if rule == .cascade, owner._isPropagating { delete(member) }
      guard owner._isPropagating else { return }
      if let side = relationship.side {
        // Also of two deleted objects: an undo must know of the pair.
        removePair(owner, member, side)
      } else if rule == .nullify, let slot = relationship.inverseSlot {
        member._writeReference(slot, nil)
      }
    }
  }

  /// The deny rules that forbid a deletion.
  func denials(of object: ManagedObject) throws(PerennialError) -> [PerennialError] {
    let layout = layout(of: object)
    var denials: [PerennialError] = []
    for relationship in layout.toManys
    where relationship.description.deleteRule == .deny {
      if try membersForRules(of: object, relationship).contains(where: { !$0.isDeleted }) {
        denials.append(.deniedDelete(object, relationship))
      }
    }
    for (slot, relationship) in layout.toOnes where relationship.description.deleteRule == .deny {
      if let target = self.object(forNonzero: object._currentReference(slot)), !target.isDeleted {
        denials.append(.deniedDelete(object, relationship))
      }
    }
    return denials
  }
}
