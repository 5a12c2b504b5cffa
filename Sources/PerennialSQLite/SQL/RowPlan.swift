// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// How the columns of a statement become the slots of rows: made once, then only followed.
///
/// The first three columns are key, entity number and version; the others are those of all
/// entities that can occur, each once.
final class RowPlan: Sendable {
  /// One slot of a row.
  struct Load: Sendable {
    let kind: ColumnKind
    let slot: Int
    let column: Int32
    /// The column of a reference's entity number; -1 when its destination has no subentities.
    let entityColumn: Int32
    /// The destination of a reference.
    let destination: Int
  }

  /// A slot that is not stored: it has its default.
  struct Constant: Sendable {
    let slot: Int
    let value: PropertyValue
    let type: AttributeType
  }

  /// The slots of a concrete entity.
  struct Entity: Sendable {
    let index: Int
    let slotCount: Int
    let loads: [Load]
    let constants: [Constant]
  }

  /// The list of columns of `t0`.
  let columns: String
  /// The entities that can occur, by place, from the first on.
  let entities: [Entity]
  let firstEntity: Int
  let schema: StoreSchema
  /// Where large values lie.
  let externalFiles: ExternalData

  /// A plan for rows of an entity.
  ///
  /// - Parameters:
  ///   - entity: The place of the entity.
  ///   - includesSubentities: Whether rows of subentities come.
  ///   - slots: The slots to fill; `nil` for all.
  ///   - schema: The names of columns.
  ///   - externalFiles: Where large values lie.
  init(
    entity: Int,
    includesSubentities: Bool,
    slots: Set<Int>? = nil,
    schema: StoreSchema,
    externalFiles: ExternalData
  ) {
    self.schema = schema
    self.externalFiles = externalFiles
    let layout = schema.model.entities[entity]
    let family = includesSubentities ? layout.family : entity..<entity + 1
    var names: [String] = ["Z_PK", "Z_ENT", "Z_OPT"]
    var places: [String: Int] = [:]
    func place(_ name: String) -> Int {
      if let place = places[name] { return place }
      names.append(name)
      places[name] = names.count - 1
      return names.count - 1
    }
    entities = family.map { index in
      let entity = schema.model.entities[index]
      var loads: [Load] = []
      var constants: [Constant] = []
      for (slot, layout) in entity.slots.enumerated() where slots?.contains(slot) != false {
        if let column = schema.column(of: slot, in: index) {
          loads.append(
            Load(
              kind: column.kind,
              slot: slot,
              column: Int32(place(column.name)),
              entityColumn: column.entityColumn.map { Int32(place($0)) } ?? -1,
              destination: layout.relationship?.destination ?? -1
            )
          )
        } else if let attribute = layout.attribute, !attribute.defaultValue.isNull {
          constants.append(
            Constant(slot: slot, value: attribute.defaultValue, type: attribute.type)
          )
        }
      }
      return Entity(
        index: index,
        slotCount: entity.slots.count,
        loads: loads,
        constants: constants
      )
    }
    columns = names.map { "t0.\($0)" }.joined(separator: ", ")
    firstEntity = family.lowerBound
  }
}
