// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The edited objects that are stored, by what a to-one slot of theirs refers to in the rows that were read.
///
/// Others may have moved or deleted them since: what the store says of an owner may then lack an object that has never
/// left, or have one that is elsewhere. New objects are not among them: nobody else knows them.
///
/// Invariants:
/// 1. Each of the changed objects that were seen is there, if it is stored. Whoever puts a row with another reference
///    below edits, or shortens a list of changed objects, forgets all.
struct EditedMembers {
  private struct Place {
    let entity: Int
    let number: Int
  }

  /// How many places of the lists of changed objects are known, by entity.
  private var seen: [Int: Int] = [:]
  private var places: [Int64: [Place]] = [:]

  var isEmpty: Bool { places.isEmpty }

  /// Looks at what has been changed since.
  mutating func note(in context: ManagedObjectContext, family: Range<Int>, slot: Int) {
    for entity in family {
      let first = seen[entity] ?? 0
      let changed = context.homes[entity].changed
      guard first < changed.count else { continue }
      seen[entity] = changed.count
      for number in first..<changed.count {
        guard let object = changed[number], context.isKnownAbove(object) else { continue }
        places[object._committedReference(slot).key, default: []]
          .append(Place(entity: entity, number: number))
      }
    }
  }

  /// Whether a place of the list of changed objects of an entity has been looked at.
  func hasSeen(_ entity: Int, _ place: Int) -> Bool { (seen[entity] ?? 0) > place }

  /// The objects that refer to an owner, or did when their rows were read.
  func objects(of owner: Int64, in context: ManagedObjectContext) -> [ManagedObject] {
    places[owner]?.compactMap { context.homes[$0.entity].changed[$0.number] } ?? []
  }
}
