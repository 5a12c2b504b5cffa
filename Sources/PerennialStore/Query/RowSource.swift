// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialPredicate

/// What evaluating a predicate on rows needs of a store: the rows on the other side of relationships.
package protocol RowReader {
  var model: ModelLayout { get }
  var identifier: UUID { get }
  var naming: StoreNaming { get }

  /// The row of a reference, or `nil` when it is gone.
  func row(of reference: ObjectReference) throws(PerennialError) -> PageRow?

  /// The rows that a to-many relationship of an owner leads to.
  func rows(
    of relationship: RelationshipLayout,
    owner: Int64
  ) throws(PerennialError) -> [PageRow]
}

extension RowReader {
  package var naming: StoreNaming { StoreNaming(identifier) }
}

/// A stored row as predicates and sorts see it.
package struct RowSource: KeyValueSource {
  package let row: PageRow
  private let reader: any RowReader

  package init(_ row: PageRow, reader: any RowReader) {
    self.row = row
    self.reader = reader
  }

  package var identity: ManagedObjectID? {
    reader.naming.objectID(entity.name, PackedRow.key(row.pointer))
  }

  package func value(forKey key: String) throws(PerennialError) -> EvaluationValue {
    if let slot = entity.slotsByName[key] { return try value(ofSlot: slot) }
    if let index = entity.toManysByName[key] {
      let rows = try reader.rows(of: entity.toManys[index], owner: row.key)
      return .list(rows.map { .object(RowSource($0, reader: reader)) })
    }
    return try compositeValue(key)
  }

  private var entity: EntityLayout { reader.model.entities[row.entity] }

  private func value(ofSlot slot: Int) throws(PerennialError) -> EvaluationValue {
    let pointer = row.pointer
    if PackedRow.isNull(pointer, slot) { return .null }
    guard let attribute = entity.slots[slot].attribute else {
      let reference = PackedRow.reference(pointer, slot)
      if let target = try reader.row(of: reference) {
        return .object(RowSource(target, reader: reader))
      }
      let name = reader.model.entities[reference.entity].name
      return .object(GoneSource(identity: reader.naming.objectID(name, reference.key)))
    }
    return .scalar(PackedRow.value(pointer, slot, type: attribute.type))
  }

  /// The elements of a composite attribute; null for a property of a subentity that this row's
  /// entity lacks.
  private func compositeValue(_ key: String) throws(PerennialError) -> EvaluationValue {
    var elements: [(path: Substring, value: EvaluationValue)] = []
    for (slot, layout) in entity.slots.enumerated() where layout.name.hasPrefix(key + ".") {
      elements.append((layout.name.dropFirst(key.count + 1), try value(ofSlot: slot)))
    }
    return EvaluationValue(elements: elements)
  }
}

/// What a reference leads to whose row is gone: an object with its identity, and without values.
package struct GoneSource: KeyValueSource {
  package let identity: ManagedObjectID?

  package init(identity: ManagedObjectID?) { self.identity = identity }

  package func value(forKey key: String) -> EvaluationValue { .null }
}
