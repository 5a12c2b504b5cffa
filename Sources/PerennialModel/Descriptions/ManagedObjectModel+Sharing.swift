// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension ManagedObjectModel {
  /// The descriptions that models were made of last, with these models.
  ///
  /// A program that opens many stores of one model, one for each user or test, resolves and checks it once.
  private static let recent =
    RecentValues<(entities: [EntityDescription], model: ManagedObjectModel)>()

  /// The model of descriptions: that which was made of equal ones before, if it is one of the last.
  ///
  /// - Parameter entities: The descriptions, in any order.
  /// - Returns: The model.
  /// - Throws: ``PerennialError/Code/invalidModel``, naming entity, property and cure.
  package static func shared(
    _ entities: [EntityDescription]
  ) throws(PerennialError) -> ManagedObjectModel {
    try recent.value {
      $0.entities == entities
        && zip($0.entities, entities).allSatisfy { $0.inferences == $1.inferences }
    } orMake: { () throws(PerennialError) in
      (entities, try ManagedObjectModel(entities: entities))
    }.model
  }
}

extension EntityDescription {
  /// Of every relationship whether a model may find its inverse, which counts in no comparison.
  fileprivate var inferences: [Bool] {
    properties.compactMap { property -> Bool? in
      guard case .relationship(let relationship) = property else { return nil }
      return relationship.infersInverse
    }
  }
}
