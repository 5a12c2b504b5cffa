// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialStore

/// A name that a model does not have.
package struct UnknownName: Error {
  package let name: String
}

/// What a store is given, made of rows that are written down.
extension ModelLayout {
  package func index(_ name: String) -> Int { entitiesByName[name] ?? -1 }

  package func relationship(_ entity: String, _ name: String) throws -> RelationshipLayout {
    guard let relationship = entities[index(entity)].relationship(named: name) else {
      throw UnknownName(name: "\(entity).\(name)")
    }
    return relationship
  }

  /// Pages of rows of an entity.
  package func pages(_ entity: String, _ rows: [Row]) -> [RowPage] {
    let layout = entities[index(entity)]
    var builder = PageBuilder()
    var pages: [RowPage] = []
    for row in rows {
      if builder.isFull, builder.hasRows { pages.append(builder.seal()) }
      builder.begin(
        key: row.key,
        version: row.version,
        entity: layout.index,
        slotCount: layout.slots.count
      )
      for (slot, description) in layout.slots.enumerated() {
        switch row.values[description.name] {
        case nil: break
        case .reference(let name, let key):
          let reference = ObjectReference(key: key, entity: index(name))
          builder.put(slot, word: UInt64(bitPattern: reference.word))
        case .value(let value):
          value.withSlotValue(as: description.attribute?.type ?? .undefined) { stored in
            switch stored {
            case .null: break
            case .word(let word): builder.put(slot, word: word)
            case .bytes(let bytes): builder.put(slot, bytes: bytes)
            }
          }
        }
      }
      builder.end()
    }
    if builder.hasRows { pages.append(builder.seal()) }
    return pages
  }

  /// A change set with new rows.
  package func insertion(_ rows: [(String, [Row])]) -> ChangeSet {
    var changes = ChangeSet()
    changes.insertions = rows.map { .init(entity: index($0.0), pages: pages($0.0, $0.1)) }
    return changes
  }

  /// An update of some slots.
  package func update(_ entity: String, _ names: [String], _ rows: [Row]) -> ChangeSet.Update {
    let slots = names.compactMap { entities[index(entity)].slotsByName[$0] }.sorted()
    return .init(entity: index(entity), slots: slots, pages: pages(entity, rows))
  }

  package func deletion(_ entity: String, _ rows: [(Int64, UInt32)]) -> ChangeSet.Deletion {
    .init(entity: index(entity), rows: rows.map { .init(key: $0.0, version: $0.1) })
  }

  package func link(
    _ entity: String,
    _ name: String,
    added: [(Int64, Int64)] = [],
    removed: [(Int64, Int64)] = []
  ) throws -> ChangeSet.LinkChange {
    guard let side = try relationship(entity, name).side else { throw UnknownName(name: name) }
    func pairs(_ list: [(Int64, Int64)]) -> [ChangeSet.LinkChange.Pair] {
      list.map {
        side.isFirst ? .init(first: $0.0, second: $0.1) : .init(first: $0.1, second: $0.0)
      }
    }
    return .init(link: side.link, added: pairs(added), removed: pairs(removed))
  }
}
