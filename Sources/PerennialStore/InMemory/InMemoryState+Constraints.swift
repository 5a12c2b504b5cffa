// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

// Constraints are indexed when a save first looks at one; from then on the index follows the rows.

extension InMemoryState {
  /// A constraint: the entity that declares it, and its number there and in all subentities.
  struct ConstraintPlace: Hashable, Sendable {
    let owner: Int
    let number: Int
  }

  /// Indexes the constraints that a change set writes rows under.
  mutating func indexConstraints(of changes: ChangeSet) {
    for entity in Set(changes.insertions.map(\.entity) + changes.updates.map(\.entity)) {
      let layout = model.entities[entity]
      for (number, owner) in layout.constraintOwners.enumerated() {
        let place = ConstraintPlace(owner: owner, number: number)
        if constraintIndexes[place] == nil { constraintIndexes[place] = index(of: place) }
      }
    }
  }

  /// The first stored row, by key, of those whose values under a constraint have a hash.
  ///
  /// - Parameters:
  ///   - hash: The hash.
  ///   - place: The constraint.
  ///   - isMeant: Whether it is this row; asked until it is, for any number of rows may have the hash.
  /// - Returns: The row.
  func row(
    withHash hash: UInt64,
    under place: ConstraintPlace,
    where isMeant: (PageRow) -> Bool
  ) -> PageRow? {
    let table = tables[model.entities[place.owner].root]
    var found: PageRow?
    constraintIndexes[place]?.visit(hash) { key in
      if let row = table[key], isMeant(row) { found = row }
      return found == nil
    }
    return found
  }

  /// Takes a row that goes out of the indexes, and the one that comes in its place into them.
  mutating func noteConstraints(_ old: PageRow?, _ new: PageRow?) {
    guard !constraintIndexes.isEmpty else { return }
    if let old {
      forEachConstraint(of: old) { $0.remove(old.key, hash: $1) }
    }
    if let new {
      forEachConstraint(of: new) { $0.insert(new.key, hash: $1) }
    }
  }

  private mutating func forEachConstraint(
    of row: PageRow,
    _ body: (inout ConstraintIndex, UInt64) -> Void
  ) {
    let layout = model.entities[row.entity]
    for (number, slots) in layout.constraints.enumerated() {
      let place = ConstraintPlace(owner: layout.constraintOwners[number], number: number)
      guard constraintIndexes[place] != nil,
        let hash = SlotKeyHash.hash(row.pointer, slots, of: layout)
      else { continue }
      body(&constraintIndexes[place, default: ConstraintIndex()], hash)
    }
  }

  private func index(of place: ConstraintPlace) -> ConstraintIndex {
    let family = model.entities[place.owner].family
    var keys: [(key: Int64, hash: UInt64)] = []
    tables[model.entities[place.owner].root].visit { row in
      guard family.contains(row.entity) else { return }
      let layout = model.entities[row.entity]
      let slots = layout.constraints[place.number]
      if let hash = SlotKeyHash.hash(row.pointer, slots, of: layout) {
        keys.append((row.key, hash))
      }
    }
    return ConstraintIndex(keys)
  }
}
