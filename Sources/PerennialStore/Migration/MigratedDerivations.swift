// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// How the derived attributes of a new model get their values.
///
/// Copies within an object and times are written with the row; what is computed of other objects the target
/// computes, when all of them are there.
struct MigratedDerivations {
  private let mapping: ModelMapping
  /// Those of every new entity, inherited ones included.
  private let derivations: [[Derivation]]
  private let time = Date()

  init(_ mapping: ModelMapping) {
    self.mapping = mapping
    let model = mapping.destination
    derivations = model.entities.map { entity in
      // A model that cannot be derived is refused when a store is opened with it.
      var reader = DerivationReader(entity: entity, model: model)
      return reader.read()
    }
  }

  func converter(of entity: EntityMapping, _ mapping: ModelMapping) -> RowConverter {
    RowConverter(entity, mapping, derivations[entity.destination], time: time)
  }

  /// Calls a closure with the new row of every object of an old entity, without what is computed of others.
  ///
  /// Safe because the rows are read while their pages are held.
  func forEachRow(
    of entity: EntityMapping,
    in source: any RowStore,
    _ body: (UnsafeRawPointer) -> Void
  ) throws(PerennialError) {
    let converter = converter(of: entity, mapping)
    try source.fetchRows(RowMigration.query(entity.source)) { page in
      var builder = PageBuilder(byteCount: page.byteCount)
      for index in 0..<page.count { converter.append(page.row(index), to: &builder) }
      let rows = builder.seal()
      for index in 0..<rows.count { body(rows.row(index)) }
    }
  }

  /// What the target has to compute: for all objects.
  func planned(
    from source: any RowStore
  ) throws(PerennialError) -> [ChangeSet.Derivation] {
    var planned: [ChangeSet.Derivation] = []
    for entity in mapping.destination.entities {
      for derivation in derivations[entity.index]
      where entity.slots[derivation.slot].entity == entity.index {
        guard var change = Self.change(derivation, entity.index) else { continue }
        for place in entity.family {
          guard let origin = mapping.sources[place] else { continue }
          change.owners += try source.fetchReferences(RowMigration.query(origin)).map(\.key)
        }
        if !change.isEmpty { planned.append(change) }
      }
    }
    return planned
  }

  private static func change(_ derivation: Derivation, _ entity: Int) -> ChangeSet.Derivation? {
    switch derivation.formula {
    case .copy, .now: nil
    case .collection(let formula):
      ChangeSet.Derivation(
        entity: entity,
        slot: derivation.slot,
        source: .members(formula.relationship, formula.operation, member: formula.member),
        expression: formula.expression
      )
    case .path(let formula):
      ChangeSet.Derivation(
        entity: entity,
        slot: derivation.slot,
        source: .path(formula.steps, member: formula.member, formula.transform),
        expression: formula.expression
      )
    }
  }
}
