// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Orders come last: when all objects are where they were.

extension HistoryReversal {
  private struct Relationship: Hashable {
    let owner: ObjectIdentifier
    let index: Int
  }

  /// Objects that return to places of theirs.
  private struct Return {
    let owner: ManagedObject
    var members: [(place: Int, member: ManagedObject)] = []
  }

  func restoreOrders() throws(PerennialError) {
    var isRestored: Set<Relationship> = []
    for change in transaction.changes {
      guard let object = object(of: change.changedObjectID) else { continue }
      for (index, members) in try members(change.details.orders ?? [:], of: object) {
        restoreOrder(members, of: object, index)
        isRestored.insert(Relationship(owner: ObjectIdentifier(object), index: index))
      }
    }
    for (relationship, found) in returns() where !isRestored.contains(relationship) {
      let returning = Set(found.members.map { ObjectIdentifier($0.member) })
      var members = found.owner._members(relationship.index).filter {
        !returning.contains(ObjectIdentifier($0))
      }
      for (place, member) in found.members.sorted(by: { $0.place < $1.place }) {
        members.insert(member, at: min(place, members.count))
      }
      found.owner._replaceMembers(relationship.index, with: members)
    }
  }

  /// Puts the members into an old order; new ones follow.
  private func restoreOrder(_ old: [ManagedObject], of owner: ManagedObject, _ index: Int) {
    let current = owner._members(index)
    let present = Set(current.map(ObjectIdentifier.init))
    let named = Set(old.map(ObjectIdentifier.init))
    let members =
      old.filter { present.contains(ObjectIdentifier($0)) }
      + current.filter { !named.contains(ObjectIdentifier($0)) }
    owner._replaceMembers(index, with: members)
  }

  /// The objects that have an owner again, by its relationship.
  private func returns() -> [Relationship: Return] {
    var returns: [Relationship: Return] = [:]
    for change in transaction.changes {
      guard let member = object(of: change.changedObjectID),
        let layout = member._home?.pointee.layout
      else { continue }
      for (name, place) in change.details.places ?? [:] {
        guard let slot = layout.slotsByName[name],
          case .toMany(let index)? = layout.slots[slot].relationship?.inverse?.place,
          let owner = member._target(slot)
        else { continue }
        let key = Relationship(owner: ObjectIdentifier(owner), index: index)
        returns[key, default: Return(owner: owner)].members.append((place, member))
      }
    }
    return returns
  }
}
