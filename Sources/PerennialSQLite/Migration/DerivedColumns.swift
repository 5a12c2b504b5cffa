// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore

/// Computes derived attributes anew, but for those that must be what they were.
struct DerivedColumns {
  let connection: SQLiteConnection
  let sources: ColumnSources
  let largeValues: LargeValues
  private var mapping: ModelMapping { sources.mapping }
  private var new: StoreSchema { sources.new }

  func compute() throws {
    let sql = DerivationSQL(new)
    let comparison = DerivationComparison(mapping)
    let now = Date().timeIntervalSinceReferenceDate
    for entity in mapping.entities {
      let layout = new.model.entities[entity.destination]
      let table = new.table(of: entity.destination)
      let number = new.number(of: entity.destination)
      var reader = DerivationReader(entity: layout, model: new.model)
      for derivation in reader.read() where !comparison.keeps(derivation, entity) {
        guard let column = new.column(of: derivation.slot, in: entity.destination) else { continue }
        switch derivation.formula {
        case .copy(let slot, let transform):
          guard let source = new.column(of: slot, in: entity.destination) else { continue }
          try set(column, of: entity, to: sql.copy(source.name, transform))
          // A file belongs to one value.
          if source.kind == .markedBlob {
            try largeValues.inline(column.name, of: table, number: number)
          }
          if let change = ColumnSources.change(from: source.kind, to: column.kind) {
            try set(column, of: entity, to: change(column.name))
          }
        case .collection(let formula):
          let value = sql.value(
            of: formula.relationship,
            formula.operation,
            formula.member,
            owner: "\(table).Z_PK",
            as: layout.slots[derivation.slot].attributeType
          )
          try set(column, of: entity, to: value)
        case .path(let formula):
          let value = sql.value(
            at: formula.steps,
            formula.member,
            formula.transform,
            owner: table
          )
          try set(column, of: entity, to: value)
        case .now: try set(column, of: entity, to: "?", [.double(now)])
        }
      }
    }
  }

  private func set(
    _ column: SlotColumn,
    of entity: EntityMapping,
    to value: String?,
    _ parameters: [SQLValue] = []
  ) throws {
    guard let value else { return }
    let statement = try connection.prepare(
      """
      UPDATE \(new.table(of: entity.destination)) SET \(column.name) = \(value) \
      WHERE Z_ENT = \(new.number(of: entity.destination))
      """
    )
    defer { statement.finalize() }
    try statement.bind(parameters)
    try statement.run()
  }
}
