// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
package import PerennialStore

/// How the columns of a statement become the slots of rows: made once, then only followed.
///
/// The first columns are key and version, and the entity number where several entities can occur; the
/// others are those of all these entities, each once.
package final class RowPlan: Sendable {
  /// Where the key, the version and the entity number stand.
  @usableFromInline
  package enum Column {
    @inlinable package static var key: Int32 { 0 }
    @inlinable package static var version: Int32 { 1 }
    @inlinable package static var entity: Int32 { 2 }
  }

  /// One slot of a row.
  package struct Load: Sendable {
    package let kind: ColumnKind
    package let slot: Int
    package let column: Int32
    /// The column of a reference's entity number; -1 when its destination has no subentities.
    package let entityColumn: Int32
    /// The destination of a reference.
    package let destination: Int
  }

  /// The slots of a concrete entity.
  package final class Entity: Sendable {
    package let loads: [Load]
    /// A row that has what all rows have: the defaults of slots that are not stored.
    ///
    /// Slots that are loaded are not null in it.
    package let template: RowPage

    init(_ layout: EntityLayout, loads: [Load], defaults: [Int]) {
      self.loads = loads
      var builder = PageBuilder(byteCount: PageBuilder.rowByteCount)
      builder.begin(key: 0, version: 0, entity: layout.index, slotCount: layout.slots.count)
      for load in loads { builder.put(load.slot, word: 0) }
      for slot in defaults { builder.putDefault(slot, of: layout) }
      builder.end()
      template = builder.seal()
    }
  }

  /// The list of columns of `t0`.
  package let columns: String
  /// The entities that can occur, by place, from the first on.
  package let entities: [Entity]
  package let firstEntity: Int
  package let schema: StoreSchema
  /// Where large values lie.
  package let externalFiles: ExternalData

  /// A plan for rows of an entity.
  ///
  /// - Parameters:
  ///   - entity: The place of the entity.
  ///   - includesSubentities: Whether rows of subentities come.
  ///   - slots: The slots to fill; `nil` for all.
  ///   - schema: The names of columns.
  ///   - externalFiles: Where large values lie.
  package init(
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
    var names: [String] = [schema.rows.key, schema.rows.version]
    if family.count > 1 { names.append(schema.rows.entity) }
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
      var defaults: [Int] = []
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
        } else {
          defaults.append(slot)
        }
      }
      return Entity(entity, loads: loads, defaults: defaults)
    }
    columns = names.map { "t0.\($0)" }.joined(separator: ", ")
    firstEntity = family.lowerBound
  }
}
