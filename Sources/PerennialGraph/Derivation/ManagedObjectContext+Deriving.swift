// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

// Derived attributes that look at other objects.
//
// An owner whose members, or whose members' values, have changed, or that copies from an object that
// has changed or is another one now, gets its new value as a change
// when pending changes are processed, so that it is seen before the save. The save does not write
// that value: it names the owners to the store, which computes the value from its rows in the same
// transaction. So neither owner's version counts, and of two contexts that each add a member both
// are counted. A store computes a value without raising the row's version; an object that is
// fetched again takes it all the same.
//
// Safe because rows are compared while their pages are held, and every entry of an identity map is
// alive.

extension ManagedObjectContext {
  /// Computes the derived attributes of all owners for which related objects have changed.
  func deriveFromRelated() throws(PerennialError) {
    guard coordinator.rules.hasRelated, hasEdits else { return }
    for (index, derivation) in relatedDerivations {
      switch derivation.formula {
      case .collection(let formula): try derive(formula, derivation, index)
      case .path(let formula): try derive(formula, derivation, index)
      case .copy, .now: break
      }
    }
  }

  /// The derivations that look at other objects, each with the entity that declares it.
  private var relatedDerivations: [(entity: Int, derivation: Derivation)] {
    homeIndexes.flatMap { index in
      (coordinator.rules.derivations[index]?.related ?? [])
        .filter { homes[index].layout.slots[$0.slot].entity == index }
        .map { (index, $0) }
    }
  }

  private func derive(
    _ formula: CollectionFormula,
    _ derivation: Derivation,
    _ entity: Int
  ) throws(PerennialError) {
    // A child computes each value anew: nobody tells it what its parent has read since.
    let isKept = formula.member != nil && parent == nil
    let owners = try owners(of: formula, derivation, entity, hashed: isKept)
    let epoch = memberEpoch
    for owner in try objects(Set(owners.keys), entity: entity) where !owner.isDeleted {
      guard isKept, var changes = owners[owner._key] else {
        owner._storeDerived(try value(of: formula, derivation, owner), derivation)
        continue
      }
      changes.combine(epoch)
      try derive(formula, derivation, owner, changes.finalize())
    }
  }

  /// Computes a value of an owner's members, unless it has that of the same changes: all members are read for it.
  private func derive(
    _ formula: CollectionFormula,
    _ derivation: Derivation,
    _ owner: ManagedObject,
    _ changes: Int
  ) throws(PerennialError) {
    let key = RelationshipChanges.DerivedKey(
      entity: formula.relationship.entity,
      slot: derivation.slot,
      owner: owner._key
    )
    if let known = relationships.derived[key], known.changes == changes,
      known.value == owner._propertyValue(derivation.slot)
    {
      return
    }
    owner._storeDerived(try value(of: formula, derivation, owner), derivation)
    relationships.derived[key] = (changes, owner._propertyValue(derivation.slot))
  }

  /// Gives new and changed objects the time of the save.
  func deriveTimes(_ time: Date) throws(PerennialError) {
    guard coordinator.rules.hasTimes else { return }
    try asConsequence { () throws(PerennialError) in
      for object in changedObjects where !object.isDeleted && object._hasRowToWrite {
        guard let derivations = object._home?.pointee.derivations else { continue }
        for slot in derivations.timeSlots {
          object._storeDerived(
            .date(time),
            Derivation(slot: slot, type: .date, formula: .now)
          )
        }
      }
    }
  }

  /// What the store is to compute with a save: for owners that are stored and stay.
  func planDerivations(_ plan: inout SavePlan) throws(PerennialError) {
    guard coordinator.rules.hasRelated, parent == nil else { return }
    for (index, derivation) in relatedDerivations {
      var planned: ChangeSet.Derivation
      switch derivation.formula {
      case .collection(let formula):
        planned = ChangeSet.Derivation(
          entity: index,
          slot: derivation.slot,
          source: .members(formula.relationship, formula.operation, member: formula.member),
          expression: formula.expression
        )
        let owners = try owners(of: formula, derivation, index, hashed: false)
        planned.owners = owners.keys.filter { $0 > 0 }.sorted()
      case .path(let formula): planned = plannedDerivation(of: formula, derivation, index)
      case .copy, .now: continue
      }
      if !planned.isEmpty { plan.changes.derivations.append(planned) }
    }
  }

  /// The keys of the owners whose value may differ from what is stored, each with what the pending changes say of
  /// its members and of their values, if that is wanted.
  private func owners(
    of formula: CollectionFormula,
    _ derivation: Derivation,
    _ entity: Int,
    hashed isHashed: Bool
  ) throws(PerennialError) -> [Int64: Hasher] {
    var owners: [Int64: Hasher] = [:]
    let delta = delta(formula.relationship)
    for owner in delta?.owners ?? [] {
      var changes = Hasher()
      if isHashed { delta?.hash(of: owner, into: &changes) }
      owners[owner] = changes
    }
    let marked = keysOfObjects(with: derivation, entity)
    for owner in marked.union(keysOfNewObjects(with: derivation, entity))
    where owners[owner] == nil {
      owners[owner] = Hasher()
    }
    guard let member = formula.member else { return owners }
    for index in store.model.entities[formula.relationship.destination].family {
      for object in homes[index].changedObjects {
        guard let edit = object._edit, EditRecord.isChanged(edit, member) else { continue }
        for owner in try self.owners(of: object, formula.relationship) {
          var changes = owners[owner] ?? Hasher()
          if isHashed { object.hashValue(of: member, into: &changes) }
          owners[owner] = changes
        }
      }
    }
    return owners
  }

  /// The keys of the objects that have a value of a derived attribute as a change.
  func keysOfObjects(with derivation: Derivation, _ entity: Int) -> Set<Int64> {
    var keys: Set<Int64> = []
    for index in store.model.entities[entity].family {
      for case let object? in homes[index].changed {
        guard let edit = object._edit, EditRecord.isChanged(edit, derivation.slot) else { continue }
        keys.insert(object._key)
      }
    }
    return keys
  }

  /// The keys of the new objects that were given a derived value, which is no change of theirs: what
  /// it was made of may have left again.
  private func keysOfNewObjects(with derivation: Derivation, _ entity: Int) -> Set<Int64> {
    var keys: Set<Int64> = []
    for index in store.model.entities[entity].family {
      for case let object? in homes[index].changed where object._state == .inserted {
        switch object._propertyValue(derivation.slot) {
        case .null, .integer(0), .double(0): continue
        default: keys.insert(object._key)
        }
      }
    }
    return keys
  }

  /// The keys of the owners that a member has, or had.
  private func owners(
    of member: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> [Int64] {
    if let slot = relationship.inverseSlot {
      let old = member._committedReference(slot).key
      let new = member._currentReference(slot).key
      if old == 0 || old == new { return new == 0 ? [] : [new] }
      return new == 0 ? [old] : [old, new]
    }
    guard case .toMany(let index) = relationship.inverse?.place, let home = member._home else {
      return []
    }
    return try members(of: member, home.pointee.layout.toManys[index]).map(\._key)
  }

  /// The objects of an entity that have keys, with their rows; those that are not here are loaded in one query.
  func objects(
    _ keys: Set<Int64>,
    entity: Int
  ) throws(PerennialError) -> [ManagedObject] {
    let (layout, root) = (homes[entity].layout, homes[entity].root)
    var objects: [ManagedObject] = []
    var missing: [Int64] = []
    for key in keys.sorted() {
      if let known = root.pointee.map.find(key)?.takeUnretainedValue(), let row = known._row {
        // The owners of a relationship that a parent entity declares are of other entities, too.
        if layout.family.contains(PackedRow.entity(row)) { objects.append(known) }
      } else if key > 0 {
        missing.append(key)
      }
    }
    guard !missing.isEmpty else { return objects }
    var loaded: [ManagedObject] = []
    try store.fetchRows(StoreQuery(entity: entity, scope: .keys(missing))) { page in
      append(page, to: &loaded)
    }
    return objects + awakened(loaded)
  }

  private func value(
    of formula: CollectionFormula,
    _ derivation: Derivation,
    _ owner: ManagedObject
  ) throws(PerennialError) -> PropertyValue {
    guard let member = formula.member else {
      return .integer(Int64(try memberCount(of: owner, formula.relationship)))
    }
    let members = try loadingExplicitly { () throws(PerennialError) in
      try self.members(of: owner, formula.relationship)
    }
    let values = members.filter { !$0.isDeleted }.map {
      EvaluationValue($0._propertyValue(member))
    }
    let value = try PredicateEvaluator(.list(values))
      .value(of: .aggregate(.object, formula.operation, .object))
    return PropertyValue(derived: value, as: derivation.type)
  }
}

extension ManagedObject {
  /// Feeds what a pending change says of a value to a hasher.
  fileprivate final func hashValue(of slot: Int, into hasher: inout Hasher) {
    hasher.combine(_key)
    hasher.combine(isDeleted)
    hasher.combine(_propertyValue(slot))
  }
}

extension EntityHome {
  /// Whether a row from the store has other values than the one that an object has.
  @inline(__always)
  func isNews(_ row: UnsafeRawPointer, for known: UnsafeRawPointer?) -> Bool {
    guard let known, PackedRow.version(known) == PackedRow.version(row) else { return true }
    return derivations != nil && hasNewDerivedValues(row, known)
  }

  /// Whether two rows of one version differ in values that a store computes by itself.
  func hasNewDerivedValues(_ row: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    guard let slots = derivations?.storeSlots else { return false }
    return slots.contains { slot in
      PackedRow.isNull(row, slot) != PackedRow.isNull(other, slot)
        || !PackedRow.isNull(row, slot) && !SlotKeyHash.equal(row, other, [slot], of: layout)
    }
  }
}
