// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

extension InMemoryState {
  /// Computes derived attributes of rows, whose versions stay.
  ///
  /// - Parameters:
  ///   - derivations: What to compute.
  ///   - store: The store's identifier.
  ///   - note: Is told of every slot, its entity and the key of the row that has another value now.
  /// - Throws: Why an expression cannot be computed.
  mutating func derive(
    _ derivations: [ChangeSet.Derivation],
    store: UUID,
    noting note: (Int, Int, Int64) -> Void
  ) throws(PerennialError) {
    for derivation in derivations {
      let snapshot = InMemorySnapshot(state: self, identifier: store)
      let layout = model.entities[derivation.entity]
      for key in owners(of: derivation) {
        // A relationship of a parent entity also has owners that have no such attribute.
        guard let row = tables[layout.root][key], layout.family.contains(row.entity) else {
          continue
        }
        let source = RowSource(row, reader: snapshot)
        let value = try PredicateEvaluator(.object(source)).value(of: derivation.expression)
        let isNew = put(derivation.source.transformed(value), derivation.slot, into: row)
        if isNew { note(derivation.slot, derivation.entity, key) }
      }
    }
  }

  /// The owners that are named, and those that lead to a target.
  private func owners(of derivation: ChangeSet.Derivation) -> Set<Int64> {
    var owners = Set(derivation.owners)
    guard case .path(let steps, _, _) = derivation.source, derivation.hasTargets else {
      return owners
    }
    var reached: Set<Int64> = []
    for (step, keys) in zip(steps, derivation.targets).reversed() {
      reached = rows(leadingTo: reached.union(keys), by: step)
    }
    owners.formUnion(reached)
    return owners
  }

  /// The keys of the rows whose to-one relationship leads to one of some rows.
  private func rows(leadingTo keys: Set<Int64>, by step: RelationshipLayout) -> Set<Int64> {
    guard case .slot(let slot) = step.place else { return [] }
    let place = ReferenceIndexes.Place(entity: step.entity, slot: slot)
    return Set(keys.flatMap { self.keys(leadingTo: $0, by: place) })
  }

  /// Replaces a row by one with another value of a slot.
  ///
  /// - Returns: Whether it really is another one.
  private mutating func put(
    _ value: EvaluationValue,
    _ slot: Int,
    into row: PageRow
  ) -> Bool {
    let layout = model.entities[row.entity]
    guard let type = layout.slots[slot].attribute?.type else { return false }
    var builder = PageBuilder(byteCount: 1024)
    builder.append(
      row.pointer,
      of: layout,
      key: row.key,
      version: row.version,
      setting: slot,
      to: PropertyValue(derived: value, as: type),
      type: type
    )
    let next = PageRow(page: builder.seal(), index: 0)
    replace(next, root: layout.root)
    return !SlotKeyHash.areSame(row.pointer, next.pointer, slot, layout)
  }
}

extension ChangeSet.Derivation.Source {
  /// What is written of a value that the expression gave.
  fileprivate func transformed(_ value: EvaluationValue) -> EvaluationValue {
    guard case .path(_, _, let transform?) = self, case .scalar(.string(let text)) = value else {
      return value
    }
    return .scalar(.string(transform.apply(to: text)))
  }
}

extension PageBuilder {
  /// Copies a row with another value in one slot.
  ///
  /// Safe because the state holds the row's page.
  fileprivate mutating func append(
    _ source: UnsafeRawPointer,
    of entity: EntityLayout,
    key: Int64,
    version: UInt32,
    setting changed: Int,
    to value: PropertyValue,
    type: AttributeType
  ) {
    begin(key: key, version: version, entity: entity.index, slotCount: entity.slots.count)
    for slot in entity.slots.indices where slot != changed {
      put(slot, value: PackedRow.slotValue(source, slot, of: entity))
    }
    value.withSlotValue(as: type) { put(changed, value: $0) }
    end()
  }

  private mutating func put(_ slot: Int, value: SlotValue) {
    switch value {
    case .null: break
    case .word(let word): put(slot, word: word)
    case .bytes(let bytes): put(slot, bytes: bytes)
    }
  }
}
