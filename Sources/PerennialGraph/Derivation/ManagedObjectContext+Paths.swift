// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

// Derived attributes that copy from the object at the end of to-one relationships.
//
// Going up to the owners that copy from a changed object takes the inverse relationships: one query
// for all objects of a step. The store goes up by itself, so that owners which another context has
// saved in the meantime are computed too.

/// What has changed about the copies of one derived attribute.
private struct PathChanges {
  /// The owners that may lead to another object than before.
  var owners: [ManagedObject] = []
  /// The changed and deleted objects at the end of each relationship.
  var targets: [[ManagedObject]]
}

extension ManagedObjectContext {
  /// Computes the copies of owners and of all objects that lead to changed ones.
  func derive(
    _ formula: PathFormula,
    _ derivation: Derivation,
    _ entity: Int
  ) throws(PerennialError) {
    let changes = changes(of: formula, derivation, entity)
    let family = store.model.entities[entity].family
    let reached = try objects(leadingTo: changes.targets, by: formula.steps)
    let marked = try objects(keysOfObjects(with: derivation, entity), entity: entity)
    var seen: Set<ObjectIdentifier> = []
    let owners = (changes.owners + reached + marked).filter { owner in
      guard !owner.isDeleted, let home = owner._home else { return false }
      return family.contains(home.pointee.index) && seen.insert(ObjectIdentifier(owner)).inserted
    }
    guard !owners.isEmpty else { return }
    try prefetch([Prefetch(path: formula.steps[...])], for: owners)
    for owner in owners { owner._storeDerived(value(of: formula, owner), derivation) }
  }

  /// What the store is to compute of a path.
  func plannedDerivation(
    of formula: PathFormula,
    _ derivation: Derivation,
    _ entity: Int
  ) -> ChangeSet.Derivation {
    let changes = changes(of: formula, derivation, entity)
    var planned = ChangeSet.Derivation(
      entity: entity,
      slot: derivation.slot,
      source: .path(formula.steps, member: formula.member, formula.transform),
      expression: formula.expression
    )
    let owners = changes.owners.filter { !$0.isDeleted && !isExact($0, formula) }
    planned.owners = owners.compactMap { storedKey($0._reference) }.sorted()
    planned.targets = changes.targets.map { $0.map(\._key).filter { $0 > 0 }.sorted() }
    planned.reached = keysOfObjects(with: derivation, entity).subtracting(planned.owners)
      .filter { $0 > 0 }.sorted()
    return planned
  }

  /// Whether a new object copies from one that is new as well, so that nobody else can change it.
  private func isExact(_ owner: ManagedObject, _ formula: PathFormula) -> Bool {
    owner._state == .inserted && formula.steps.count == 1
      && owner._currentReference(formula.slot).key <= 0
  }

  private func changes(
    of formula: PathFormula,
    _ derivation: Derivation,
    _ entity: Int
  ) -> PathChanges {
    var changes = PathChanges(targets: formula.steps.map { _ in [] })
    for index in store.model.entities[entity].family {
      for case let object? in homes[index].changed {
        guard let edit = object._edit, let row = object._row else { continue }
        let mayLeadElsewhere =
          edit.pointee.state == .inserted
          ? object._currentReference(formula.slot).key != 0
            || !PackedRow.isNull(row, derivation.slot)
          : EditRecord.isChanged(edit, formula.slot)
        if mayLeadElsewhere { changes.owners.append(object) }
      }
    }
    let slots = formula.steps.dropFirst().map(\.slot) + [formula.member]
    for (place, (step, slot)) in zip(formula.steps, slots).enumerated() {
      for index in store.model.entities[step.destination].family {
        changes.targets[place] += homes[index].changedObjects.filter { object in
          guard let edit = object._edit, isKnownAbove(object) else { return false }
          return object.isDeleted || EditRecord.isChanged(edit, slot)
        }
      }
    }
    return changes
  }

  /// The objects from which to-one relationships lead to objects at the end of any of them.
  private func objects(
    leadingTo targets: [[ManagedObject]],
    by steps: [RelationshipLayout]
  ) throws(PerennialError) -> [ManagedObject] {
    var reached: [ManagedObject] = []
    for (step, targets) in zip(steps, targets).reversed() {
      reached = try objects(leadingTo: reached + targets, by: step)
    }
    return reached
  }

  private func objects(
    leadingTo targets: [ManagedObject],
    by step: RelationshipLayout
  ) throws(PerennialError) -> [ManagedObject] {
    guard let inverse = step.inverse, !targets.isEmpty else { return [] }
    switch inverse.place {
    case .slot(let slot):
      let references = targets.flatMap {
        [$0._committedReference(slot), $0._currentReference(slot)]
      }
      return try objects(Set(references.map(\.key)).subtracting([0]), entity: step.entity)
    case .toMany(let number):
      let relationship = store.model.entities[inverse.entity].toManys[number]
      if targets.count > 1 { try prefetch([Prefetch(relationship: relationship)], for: targets) }
      var members: [ManagedObject] = []
      for target in targets { members += try self.members(of: target, relationship) }
      return members
    }
  }

  /// The value at the end of a path; null where it ends early.
  private func value(of formula: PathFormula, _ owner: ManagedObject) -> PropertyValue {
    var object = owner
    for step in formula.steps {
      let reference = PackedRow.reference(object._loadedRow(), step.slot)
      guard let next = self.object(forNonzero: reference) else { return .null }
      object = next._survivor ?? next
      _ = object._loadedRow()
      guard !object.isDeleted, !object.has(.isGone) else { return .null }
    }
    return object._propertyValue(formula.member).transformed(by: formula.transform)
  }
}

extension Prefetch {
  /// The relationships of a path, one behind the other.
  fileprivate init(path: ArraySlice<RelationshipLayout>) {
    self.init(relationship: path[path.startIndex])
    let rest = path.dropFirst()
    if !rest.isEmpty { next = [Prefetch(path: rest)] }
  }
}
