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

  func restoreOrders() {
    var isRestored: Set<Relationship> = []
    let keys = Dictionary(uniqueKeysWithValues: returned.map { (ObjectIdentifier($1), $0.key) })
    for change in transaction.changes {
      guard let object = object(of: change.changedObjectID),
        let layout = object._home?.pointee.layout
      else { continue }
      for (name, order) in change.details.orders ?? [:] {
        guard let index = layout.toManysByName[name] else { continue }
        restore(order, of: object, index, keys)
        isRestored.insert(Relationship(owner: ObjectIdentifier(object), index: index))
      }
    }
    for (relationship, found) in returns() where !isRestored.contains(relationship) {
      let returning = Set(found.members.map { ObjectIdentifier($0.member) })
      var members = found.owner._members(relationship.index).filter {
        !returning.contains(ObjectIdentifier($0))
      }
      for (place, member) in found.members.sorted(by: { $0.place < $1.place }) {
        members.insert(member, at: min(max(0, place), members.count))
      }
      found.owner._replaceMembers(relationship.index, with: members)
    }
  }

  /// The key that an object has in its store.
  private func keyInStore(_ object: ManagedObject) -> Int64 {
    let context = object._home?.pointee.context
    return context?.coordinator.combined == nil ? object._key : StoreKey.own(object._key)
  }

  /// Puts the members into an old order; new ones follow.
  ///
  /// - Parameters:
  ///   - order: The keys of the members, in the old order.
  ///   - owner: The object.
  ///   - index: The number of its relationship.
  ///   - keys: The keys that objects that came back had.
  private func restore(
    _ order: [Int64],
    of owner: ManagedObject,
    _ index: Int,
    _ keys: [ObjectIdentifier: Int64]
  ) {
    let places = Dictionary(zip(order, order.indices)) { first, _ in first }
    var old: [(place: Int, member: ManagedObject)] = []
    var new: [ManagedObject] = []
    for member in owner._members(index) {
      if let place = places[keys[ObjectIdentifier(member)] ?? keyInStore(member)] {
        old.append((place, member))
      } else {
        new.append(member)
      }
    }
    let members = old.sorted { $0.place < $1.place }.map(\.member) + new
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
