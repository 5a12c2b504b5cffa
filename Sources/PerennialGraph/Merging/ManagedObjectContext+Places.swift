// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// The places of merged objects in ordered relationships: the survivor takes those of the loser.

extension ManagedObjectContext {
  /// A place among the members of an owner that is kept while the loser leaves and the survivor comes.
  struct KeptPlace {
    let owner: ManagedObject
    let relationship: RelationshipLayout
    /// Whether the survivor has a place of its own.
    let isTaken: Bool
  }

  /// No object has this key: it keeps a place.
  private static let keeper = ObjectReference(word: 0)

  /// Keeps the places of a loser in the ordered relationships that lead to it.
  func keepPlaces(
    of loser: ManagedObject,
    for survivor: ManagedObject
  ) throws(PerennialError) -> [KeptPlace] {
    var places: [KeptPlace] = []
    do throws(PerennialError) {
      for (owner, relationship) in try orderedOwners(of: loser) {
        if let place = try keepPlace(of: loser, in: owner, relationship, for: survivor) {
          places.append(place)
        }
      }
    } catch {
      give(places, to: survivor, from: loser)
      throw error
    }
    return places
  }

  /// The owners of ordered relationships that an object's slots, its inverses or pending pairs tell of.
  private func orderedOwners(
    of member: ManagedObject
  ) throws(PerennialError) -> [(ManagedObject, RelationshipLayout)] {
    let layout = layout(of: member)
    var owners: [(ManagedObject, RelationshipLayout)] = []
    func add(_ owner: ManagedObject, _ inverse: RelationshipLayout.Inverse?) {
      guard case .toMany(let number)? = inverse?.place, let home = owner._home else { return }
      owners.append((owner, home.pointee.layout.toManys[number]))
    }
    for slot in layout.referenceSlots {
      guard let relationship = layout.slots[slot].relationship, relationship.isInverseOrdered,
        let owner = object(forNonzero: member._currentReference(slot))
      else { continue }
      add(owner, relationship.inverse)
    }
    for relationship in layout.toManys
    where relationship.side != nil && relationship.isInverseOrdered {
      for owner in try members(of: member, relationship) { add(owner, relationship.inverse) }
    }
    for link in store.model.links where link.first.isOrdered && isNameless(link, to: layout.index) {
      for owner in relationships.links[link.index]?.fromSecond.additions(to: member._key) ?? [] {
        let owner = object(for: owner)
        guard let relationship = relationship(of: owner, naming: link) else { continue }
        owners.append((owner, relationship))
      }
    }
    return owners
  }

  /// Keeps the place of a loser among the members of one owner.
  ///
  /// - Returns: The place; `nil` where the survivor comes last just as the loser did, or is where it stays.
  func keepPlace(
    of loser: ManagedObject,
    in owner: ManagedObject,
    _ relationship: RelationshipLayout,
    for survivor: ManagedObject
  ) throws(PerennialError) -> KeptPlace? {
    guard relationship.isOrdered, owner !== loser, !owner.isDeleted, !owner._isFrozen else {
      return nil
    }
    let key = ownerKey(owner, relationship)
    if relationships.orders[key] == nil {
      if relationships.lastAdded(relationship, to: owner._key) == loser._reference { return nil }
      if try isMember(survivor, of: owner, relationship) { return nil }
      setOrder(try members(of: owner, relationship).map(\._reference), of: owner, relationship)
    }
    let isTaken = relationships.orders[key]?.contains(key: survivor._key) == true
    guard relationships.orders[key]?.replace(key: loser._key, with: Self.keeper) == true else {
      return nil
    }
    return KeptPlace(owner: owner, relationship: relationship, isTaken: isTaken)
  }

  /// Gives a survivor the places that were kept, where it has become a member; a loser that has not gone keeps them.
  func give(_ places: [KeptPlace], to survivor: ManagedObject, from loser: ManagedObject) {
    for place in places {
      let key = ownerKey(place.owner, place.relationship)
      let isMember = relationships.orders[key]?.contains(key: survivor._key) == true
      if isMember, !place.isTaken {
        _ = relationships.orders[key]?.replace(key: Self.keeper.key, with: survivor._reference)
      } else if !loser.isForwarding, !isMember {
        _ = relationships.orders[key]?.replace(key: Self.keeper.key, with: loser._reference)
      } else {
        _ = relationships.orders[key]?.remove(key: Self.keeper.key)
      }
    }
    if !places.isEmpty { membershipStamp &+= 1 }
  }
}
