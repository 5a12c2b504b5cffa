// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Delete rules, and what others have stored: a rule reaches the members that the store has now, and what refers to
// the owner by a change that was made here.

extension ManagedObjectContext {
  /// Lets the members be read again which delete rules, `deny` among them, are about to look at, if others have saved
  /// since they were read.
  func forgetMissedMembers() {
    let number = coordinator.saveNumber
    guard parent != nil || merging.membersMark != number else { return }
    merging.membersMark = number
    guard mayHaveMissedSaves else { return }
    relationships.forgetLoaded()
    membershipStamp &+= 1
  }

  /// The members that delete rules look at.
  ///
  /// Not among them are objects with other changes that the store has elsewhere by now: others have moved them away, as
  /// their next save will find out.
  func membersForRules(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> [ManagedObject] {
    let members = try members(of: owner, relationship)
    guard let slot = relationship.inverseSlot, hasChanges(in: relationship.destination),
      mayHaveMissedSaves
    else { return members }
    let stored = relationships.loaded[ownerKey(owner, relationship)]
    let doubtful = members.filter { member in
      guard let edit = member._edit, edit.pointee.state == .updated else { return false }
      return !EditRecord.isChanged(edit, slot) && stored?.contains(key: member._key) != true
    }
    if doubtful.isEmpty { return members }
    var moved: Set<Int64> = []
    for batch in doubtful.batches(of: 500) {
      let query = StoreQuery(entity: relationship.destination, scope: .keys(batch.map(\._key)))
      try store.fetchRows(query) { page in
        for index in 0..<page.count {
          let row = page.row(index)
          if PackedRow.reference(row, slot).key != owner._key { moved.insert(PackedRow.key(row)) }
        }
      }
    }
    return moved.isEmpty ? members : members.filter { !moved.contains($0._key) }
  }

  /// Lets delete rules be applied once more where others have stored new members since they were.
  ///
  /// One query for a rule and 500 owners. A child's parent applies its own.
  func reapplyRulesToNews() throws(PerennialError) {
    guard let mark = merging.rulesMark, parent == nil, coordinator.saveNumber != mark.saves
    else { return }
    let now = SaveMark(coordinator)
    for index in homeIndexes where !homes[index].changed.isEmpty {
      let relationships = homes[index].layout.toManys.filter { relationship in
        let rule = relationship.description.deleteRule
        let root = homes[relationship.destination].layout.root
        return (rule == .nullify || rule == .cascade)
          && now.hasMembers(of: relationship, root: root, since: mark)
      }
      if relationships.isEmpty { continue }
      let owners = homes[index].changedObjects.filter { $0._state == .deleted && $0._key > 0 }
      for batch in owners.batches(of: 500) {
        for relationship in relationships { try reapplyRule(relationship, toNewsOf: batch) }
      }
    }
    merging.rulesMark = now
  }

  private func reapplyRule(
    _ relationship: RelationshipLayout,
    toNewsOf owners: some Sequence<ManagedObject>
  ) throws(PerennialError) {
    let keys = owners.map(\._key)
    let rows = try store.fetchMembers(of: relationship, owners: keys, limit: 0)
    let root = homes[relationship.entity].root
    for run in rows.runs {
      guard let owner = root.pointee.map.find(run.owner)?.takeUnretainedValue() else { continue }
      var hasNews = false
      rows.visit(run) { page, index in
        hasNews = hasNews || isNews(PageRow(page: page, index: index), to: owner, relationship)
      }
      if hasNews { reapplyRules(of: owner) }
    }
  }

  /// Whether a stored member of a deleted owner is none that its rules have reached.
  private func isNews(
    _ row: PageRow,
    to owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) -> Bool {
    if let side = relationship.side {
      return relationships.delta(side)?.removed(from: owner._key)?.contains(row.key) != true
    }
    guard let slot = relationship.inverseSlot,
      let known = homes[row.entity].root.pointee.map.find(row.key)?.takeUnretainedValue()
    else { return true }
    return known._edit == nil || refers(known, slot, to: owner)
  }

  /// Lets the delete rules of deleted objects be applied to one that others have stored with references to them.
  func reapplyRules(leadingTo object: ManagedObject) {
    guard merging.rulesMark != nil else { return }
    for slot in layout(of: object).referenceSlots {
      let reference = object._currentReference(slot)
      if reference.key != 0 { reapplyRules(of: known(reference)) }
    }
  }

  /// Lets the delete rules of a deleted object be applied once more: a refresh has taken back what
  /// they had done, or others have stored what they do not know.
  ///
  /// The rows of merged objects have no rules: nothing but their survivors takes their place.
  func reapplyRules(of object: ManagedObject?) {
    guard let object, object.isDeleted, let edit = object._edit, edit.pointee.isPropagated,
      !absorbed.contains(where: { $0.tombstone === object })
    else { return }
    edit.pointee.isPropagated = false
    pendingDeletions.append(object)
  }
}
