// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

extension ManagedObject {
  /// Computes the copies of a slot that was written, or the copy that was written itself.
  final func _derive(after slot: Int, _ derivations: EntityDerivations) {
    if let own = derivations.copyOfSlot[slot] { _storeCopy(own) }
    for copy in derivations.copies[slot] ?? [] { _storeCopy(copy) }
  }

  /// Computes everything of a new object.
  final func _deriveAll(_ derivations: EntityDerivations) {
    for copy in derivations.copyOfSlot.values { _storeCopy(copy) }
    for derivation in derivations.related {
      guard case .collection(let formula) = derivation.formula,
        formula.operation == .count || formula.operation == .sum
      else { continue }
      _storeDerived(.integer(0), derivation)
    }
  }

  private final func _storeCopy(_ derivation: Derivation) {
    guard case .copy(let source, let transform) = derivation.formula else { return }
    _storeDerived(_propertyValue(source).transformed(by: transform), derivation)
  }

  /// Writes a derived value as a change, which is none that derives anything.
  final func _storeDerived(_ value: PropertyValue, _ derivation: Derivation) {
    guard let context = _home?.pointee.context else { return }
    let isDeriving = context.lifecycle.isDeriving
    context.lifecycle.isDeriving = true
    defer { context.lifecycle.isDeriving = isDeriving }
    let wasAssigned = _edit.map { EditRecord.isChanged($0, derivation.slot) }
    value.fitting(derivation.type).withSlotValue(as: derivation.type) {
      _store($0, derivation.slot)
    }
    // A new object's own values are those that were assigned to it.
    if _state == .inserted, wasAssigned == false, let edit = _edit {
      EditRecord.clearChanged(edit, derivation.slot)
    }
  }
}

extension PropertyValue {
  /// The value, with a transformation applied to a text.
  func transformed(by transform: TextTransform?) -> PropertyValue {
    guard let transform, case .string(let text) = self else { return self }
    return .string(transform.apply(to: text))
  }
}
