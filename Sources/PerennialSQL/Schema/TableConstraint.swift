// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A unique index of a root's table.
///
/// It holds for every entity that has all its slots, also for superentities and siblings of the
/// entity that declares the constraint, since they share the table.
package struct TableConstraint: Sendable {
  /// The entity that declares it.
  package let owner: Int
  /// Its number in the owner's and the subentities' constraints.
  package let number: Int
  /// The slots: the same in every entity that has them.
  package let slots: [Int]
  /// The entities that have all the slots.
  package let entities: Range<Int>

  /// The constraints of a root's table.
  package static func all(of root: EntityLayout, in model: ModelLayout) -> [TableConstraint] {
    root.family.flatMap { index in
      let entity = model.entities[index]
      return entity.constraints.indices
        .filter { entity.constraintOwners[$0] == index }
        .map { number in
          TableConstraint(
            owner: index,
            number: number,
            slots: entity.constraints[number],
            entities: model.entities[entity.lowestEntity(ofConstraint: number)].family
          )
        }
    }
  }
}
