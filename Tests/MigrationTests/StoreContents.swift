// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting

extension RowStore {
  /// Writes objects into an empty store.
  func insert(_ objects: [StoredObject]) throws {
    let names = Set(objects.map(\.entity)).sorted()
    var changes = model.insertion(
      names.map { name in
        let rows = objects.filter { $0.entity == name }.sorted { $0.key < $1.key }
        return (name, rows.map { Row($0.key, version: $0.version, $0.values.mapValues(\.row)) })
      }
    )
    for object in objects {
      for (name, members) in object.members.sorted(by: { $0.key < $1.key }) {
        let relationship = try model.relationship(object.entity, name)
        if relationship.side != nil {
          let pairs = members.map { (object.key, $0) }
          changes.links.append(try model.link(object.entity, name, added: pairs))
        }
        if relationship.isOrdered {
          changes.orders.append(
            .init(relationship: relationship, owner: object.key, members: members)
          )
        }
      }
    }
    for root in model.entities where root.superentity == nil {
      let family = Set(root.family.map { model.entities[$0].name })
      let greatest = objects.filter { family.contains($0.entity) }.map(\.key).max() ?? 0
      if greatest > 0 { _ = try reserveKeys(root: root.index, count: Int(greatest)) }
    }
    try save(changes)
  }

  /// Everything that a store has, a line for each object, sorted.
  func lines() throws -> [String] { try objects().map(\.line).sorted() }

  /// Everything that a store has.
  ///
  /// Safe because rows are read while their pages are held.
  func objects() throws -> [StoredObject] {
    var objects: [StoredObject] = []
    for entity in model.entities where entity.superentity == nil {
      var rows: [PageRow] = []
      try fetchRows(StoreQuery(entity: entity.index)) { page in
        rows += (0..<page.count).map { PageRow(page: page, index: $0) }
      }
      for row in rows { objects.append(try object(row)) }
    }
    return objects
  }

  private func object(_ row: PageRow) throws -> StoredObject {
    let layout = model.entities[row.entity]
    var values: [String: StoredValue] = [:]
    for (slot, property) in layout.slots.enumerated()
    where !property.isTransient && !PackedRow.isNull(row.pointer, slot) {
      if let type = property.attributeType {
        values[property.name] = .value(PackedRow.value(row.pointer, slot, type: type))
      } else {
        let reference = PackedRow.reference(row.pointer, slot)
        values[property.name] = .object(model.entities[reference.entity].name, reference.key)
      }
    }
    var members: [String: [Int64]] = [:]
    for relationship in layout.toManys {
      let query = StoreQuery(
        entity: relationship.destination,
        scope: .related(relationship, owner: row.key)
      )
      let keys = try fetchReferences(query).map(\.key)
      // Where there is no order, a store may give any.
      members[relationship.name] = relationship.isOrdered ? keys : keys.sorted()
    }
    return StoredObject(layout.name, row.key, version: row.version, values, members)
  }
}

extension StoredValue {
  fileprivate var row: Row.Value {
    switch self {
    case .value(let value): .value(value)
    case .object(let entity, let key): .reference(entity, key)
    }
  }
}
