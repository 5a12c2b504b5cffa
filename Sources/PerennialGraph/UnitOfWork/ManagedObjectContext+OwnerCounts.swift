// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// An owner whose members changed is an updated object, also when nothing of its own changed: the change
// is stored in the members' slots or in pairs.

extension ManagedObjectContext {
  /// Checks owners that are not changed themselves; of those that are not in memory only the numbers
  /// of their members.
  func checkOwners(_ problems: inout [PerennialError]) throws(PerennialError) {
    lifecycle.isCheckingOwners = true
    defer { lifecycle.isCheckingOwners = false }
    var latest = lifecycle.latestOwners
    let owners = latest.all(in: self)
    lifecycle.latestOwners = latest
    var checked: Set<ObjectIdentifier> = []
    for owner in owners where checked.insert(ObjectIdentifier(owner)).inserted {
      // The check of another one may have changed it, or merged it into another.
      if owner._edit == nil, owner._home != nil, !owner.isForwarding {
        try owner._validate(as: .updated, &problems)
      }
    }
    try checkOwnerCounts(except: checked, &problems)
  }

  /// Adds what is wrong with the numbers of members of owners that are not changed themselves.
  private func checkOwnerCounts(
    except checked: Set<ObjectIdentifier>,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    guard coordinator.hasCountedRelationships else { return }
    var seen: Set<OwnerKey> = []
    for (owner, relationship) in ownersOfCountedMembers()
    where owner._edit == nil && owner._home != nil && !checked.contains(ObjectIdentifier(owner)) {
      guard seen.insert(ownerKey(owner, relationship)).inserted else { continue }
      try Validation.checkCount(of: owner, relationship, in: self, &problems)
    }
  }

  /// The owners of relationships with limits that members join or leave.
  private func ownersOfCountedMembers() -> [(ManagedObject, RelationshipLayout)] {
    var owners: [(ManagedObject, RelationshipLayout)] = []
    for index in homeIndexes where !homes[index].changed.isEmpty {
      let layout = homes[index].layout
      for slot in layout.referenceSlots {
        guard let inverse = layout.slots[slot].relationship?.inverse,
          let counted = countedRelationship(inverse)
        else { continue }
        for case let object? in homes[index].changed {
          let old = object._committedReference(slot)
          let new = object.isDeleted ? ObjectReference(word: 0) : object._currentReference(slot)
          for reference in [old, new] where reference.key != 0 && old != new {
            owners.append((self.object(for: reference), counted))
          }
        }
      }
    }
    for owner in relationships.pairOwners.values where owner._home != nil {
      for relationship in layout(of: owner).countedToManys
      where relationship.side != nil {
        owners.append((owner, relationship))
      }
    }
    return owners
  }

  /// The to-many relationship at the other side, if a save looks at the number of its members.
  private func countedRelationship(_ inverse: RelationshipLayout.Inverse) -> RelationshipLayout? {
    guard case .toMany(let number) = inverse.place else { return nil }
    let relationship = homes[inverse.entity].layout.toManys[number]
    return homes[inverse.entity].layout.countedToManys.first { $0 === relationship }
  }
}
