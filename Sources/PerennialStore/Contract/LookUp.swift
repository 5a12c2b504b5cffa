// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate

/// A search for the rows in which one attribute has a value, `sha == %@`, or one of several: where it looks, not what
/// for.
///
/// It is the fetch that runs in loops, so it goes to the store without a query that has to be
/// checked, copied and translated: nothing can be wrong with it.
package struct LookUp: Sendable {
  /// What the attribute is compared with.
  package enum Values: Sendable {
    case one(PropertyValue)
    /// At least one value.
    case several([PropertyValue])
  }

  /// The place of the entity.
  package let entity: Int
  /// Whether rows of subentities count.
  package let includesSubentities: Bool
  /// The stored attribute's place.
  package let slot: Int
  /// The greatest number of rows; 0 for all.
  package let limit: Int
  /// Whether the rows will probably be changed soon.
  package let isForUpdate: Bool

  /// The look-up of the values of a name, or `nil` when that is no stored attribute.
  package init?(
    _ name: String,
    of entity: EntityLayout,
    includesSubentities: Bool,
    limit: Int,
    isForUpdate: Bool = false
  ) {
    guard let slot = entity.slot(named: name),
      entity.slots[slot].attributeType != nil, !entity.slots[slot].isTransient
    else { return nil }
    self.entity = entity.index
    self.includesSubentities = includesSubentities
    self.slot = slot
    self.limit = limit
    self.isForUpdate = isForUpdate
  }

  /// The search for all rows with some values, which will probably be changed soon.
  ///
  /// - Parameters:
  ///   - slot: The stored attribute's place.
  ///   - entity: The place of the entity, whose subentities count.
  package init(forUpdateBy slot: Int, of entity: Int) {
    self.entity = entity
    includesSubentities = true
    self.slot = slot
    limit = 0
    isForUpdate = true
  }
}

extension StoreQuery {
  /// The query that a look-up of values stands for.
  package init(_ lookUp: LookUp, _ values: LookUp.Values, of model: ModelLayout) {
    let name = model.entities[lookUp.entity].slots[lookUp.slot].name
    let comparison =
      switch values {
      case .one(let value): Comparison(.path(name), .equal, .constant(value))
      case .several(let values):
        Comparison(.path(name), .isIn, .list(values.map { .constant($0) }))
      }
    self.init(
      entity: lookUp.entity,
      predicate: FetchPredicate(.comparison(comparison)),
      limit: lookUp.limit
    )
    includesSubentities = lookUp.includesSubentities
    isForUpdate = lookUp.isForUpdate
  }

  /// The look-up that the query is and the value that it looks for, or `nil` when it is something else.
  package func lookUp(
    in model: ModelLayout
  ) throws(PerennialError) -> (LookUp, PropertyValue)? {
    guard case .all = scope, sorts.isEmpty, offset == 0,
      let (name, value) = try predicate?.equality(),
      let lookUp = LookUp(
        name,
        of: model.entities[entity],
        includesSubentities: includesSubentities,
        limit: limit,
        isForUpdate: isForUpdate
      )
    else { return nil }
    return (lookUp, value)
  }
}

extension RowProvider {
  /// Gives the rows of a look-up as those of the query that it stands for.
  package func fetchRows(
    _ lookUp: LookUp,
    _ values: LookUp.Values,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    try fetchRows(StoreQuery(lookUp, values, of: model), body)
  }
}
