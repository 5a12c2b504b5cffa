// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate
import PerennialStore

extension ManagedObjectContext {
  /// How many objects are held at a time.
  private static let batchSize = 500

  /// Computes the derived attributes of all objects of an entity, without its subentities, and saves them: after
  /// a migration, when they have no value yet or one that was computed otherwise.
  ///
  /// Times of saves stay as they are.
  package func deriveAnew(_ entityName: String) throws(PerennialError) {
    let entity = try store.model.entity(named: entityName)
    guard let derivations = coordinator.rules.derivations[entity.index] else { return }
    var request = FetchRequest<ManagedObject>(entityName: entityName)
    request.includesSubentities = false
    let ids = try fetchObjectIDs(request)
    for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
      let keys = Set(ids[start..<min(start + Self.batchSize, ids.count)].map(\.key))
      for object in try objects(keys, entity: entity.index) {
        try deriveAnew(object, derivations)
      }
      if hasChanges { try save() }
      reset()
    }
  }

  private func deriveAnew(
    _ object: ManagedObject,
    _ derivations: EntityDerivations
  ) throws(PerennialError) {
    object._deriveAll(derivations)
    for derivation in derivations.related {
      let source = PredicateEvaluator(.object(ObjectSource(object)))
      switch derivation.formula {
      case .collection(let formula):
        let value = try source.value(of: formula.expression)
        object._storeDerived(PropertyValue(derived: value, as: derivation.type), derivation)
      case .path(let formula):
        let value = PropertyValue(
          derived: try source.value(of: formula.expression),
          as: derivation.type
        )
        object._storeDerived(value.transformed(by: formula.transform), derivation)
      case .copy, .now: break
      }
    }
  }
}
