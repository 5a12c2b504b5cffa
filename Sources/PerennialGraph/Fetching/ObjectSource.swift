// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate
import PerennialStore

/// A managed object as predicates and sorts see it: with its unsaved changes.
struct ObjectSource: KeyValueSource {
  private let object: ManagedObject

  init(_ object: ManagedObject) { self.object = object._survivor ?? object }

  var identity: ManagedObjectID? { object.objectID }

  func value(forKey key: String) throws(PerennialError) -> EvaluationValue {
    guard let home = object._home else { return .null }
    let layout = home.pointee.layout
    if let slot = layout.slotsByName[key] { return value(ofSlot: slot, layout) }
    if let index = layout.toManysByName[key] {
      let context = home.pointee.context
      let members = try context.loadingExplicitly { () throws(PerennialError) in
        try context.members(of: object, layout.toManys[index])
      }
      return .list(members.filter { !$0.isDeleted }.map { .object(ObjectSource($0)) })
    }
    if key == "objectID" { return .scalar(.objectID(object.objectID)) }
    return compositeValue(key, layout)
  }

  private func value(ofSlot slot: Int, _ layout: EntityLayout) -> EvaluationValue {
    if let relationship = layout.slots[slot].relationship {
      guard let target = object._target(slot) else { return .null }
      guard target.isDeleted else { return .object(ObjectSource(target)) }
      return keepsReference(to: target, relationship)
        ? .object(GoneSource(identity: target.objectID)) : .null
    }
    let value = object._propertyValue(slot)
    return value.isNull ? .null : .scalar(value)
  }

  /// Whether a reference outlives its deleted object: a row refers to it, and no delete rule says otherwise.
  private func keepsReference(
    to target: ManagedObject,
    _ relationship: RelationshipLayout
  ) -> Bool {
    guard (target._survivor ?? target)._state != .deletedInsertion else { return false }
    guard let inverse = relationship.inverse, let home = object._home else { return true }
    return home.pointee.context.store.model.deleteRule(of: inverse) == .noAction
  }

  /// The elements of a composite attribute; null for a property that only a subentity has.
  private func compositeValue(_ key: String, _ layout: EntityLayout) -> EvaluationValue {
    var elements: [(path: Substring, value: EvaluationValue)] = []
    for (slot, property) in layout.slots.enumerated() where property.name.hasPrefix(key + ".") {
      elements.append((property.name.dropFirst(key.count + 1), value(ofSlot: slot, layout)))
    }
    return EvaluationValue(elements: elements)
  }
}

extension ManagedObject: PredicateArgument {
  /// The object's ID.
  package final var predicateValue: PropertyValue { .objectID(objectID) }
}

extension ManagedObject {
  /// The object as predicates and sorts read it.
  package final var keyValueSource: any KeyValueSource { ObjectSource(self) }
}
