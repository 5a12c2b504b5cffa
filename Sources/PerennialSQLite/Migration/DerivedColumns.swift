// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Computes derived attributes anew, but for those that must be what they were.
struct DerivedColumns {
  let connection: SQLiteConnection
  let mapping: ModelMapping
  let new: StoreSchema

  func compute() throws {
    let writer = DerivationWriter(connection: connection, schema: new)
    let now = Date().timeIntervalSinceReferenceDate
    for entity in mapping.entities {
      let layout = new.model.entities[entity.destination]
      var reader = DerivationReader(entity: layout, model: new.model)
      for derivation in reader.read() where isStale(derivation, entity) {
        guard let column = new.column(of: derivation.slot, in: entity.destination) else { continue }
        var values: [SQLValue] = []
        let value: String?
        switch derivation.formula {
        case .copy(let slot, let transform):
          let source = new.column(of: slot, in: entity.destination)?.name
          value = source.map { name in transform.map { "\($0.functionName)(\(name))" } ?? name }
        case .collection(let formula):
          value = writer.value(
            of: formula.relationship,
            formula.operation,
            formula.member,
            owner: "\(new.table(of: entity.destination)).Z_PK"
          )
        case .path(let formula):
          let table = new.table(of: entity.destination)
          value = writer.value(at: formula.steps, formula.member, formula.transform, owner: table)
        case .now:
          value = "?"
          values = [.double(now)]
        }
        guard let value else { continue }
        let statement = try connection.prepare(
          """
          UPDATE \(new.table(of: entity.destination)) SET \(column.name) = \(value) \
          WHERE Z_ENT = \(new.number(of: entity.destination))
          """
        )
        defer { statement.finalize() }
        try statement.bind(values)
        try statement.run()
      }
    }
  }

  private func isStale(_ derivation: Derivation, _ entity: EntityMapping) -> Bool {
    guard let origin = entity.slots[derivation.slot] else { return true }
    let before = mapping.source.entities[entity.source].slots[origin].attribute
    let after = new.model.entities[entity.destination].slots[derivation.slot].attribute
    guard before?.derivationExpression == after?.derivationExpression, before?.type == after?.type
    else {
      return true
    }
    switch derivation.formula {
    // What they are computed of may have gone, or be another property of that name now.
    case .collection, .path: return true
    case .copy(let slot, _): return !isSame(slot, entity)
    // A time that was taken before is kept.
    case .now: return false
    }
  }

  /// Whether a slot has the values of the old one of that name.
  private func isSame(_ slot: Int, _ entity: EntityMapping) -> Bool {
    guard let origin = entity.slots[slot] else { return false }
    let before = mapping.source.entities[entity.source].slots[origin]
    let after = new.model.entities[entity.destination].slots[slot]
    return before.name == after.name && before.attributeType == after.attributeType
      && before.isOptional == after.isOptional
  }
}
