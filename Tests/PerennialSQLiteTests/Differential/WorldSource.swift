// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting

/// The rows of a world as a graph that predicates are evaluated on, without any store.
final class WorldGraph {
  let world: DifferentialWorld
  /// The store that the IDs of its objects, and those in predicates, name.
  static let owner = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  private var places: [RowKey: Int] = [:]
  private var members: [MembersKey: [Int]] = [:]

  private struct MembersKey: Hashable {
    var entity: Int
    var name: String
    var owner: Int64
  }

  init(_ world: DifferentialWorld) {
    self.world = world
    for (place, row) in world.rows.enumerated() {
      places[RowKey(root: world.model.entities[row.entity].root, key: row.row.key)] = place
    }
  }

  /// The rows of an entity and its subentities, in the order of their keys.
  func sources(of entity: Int) -> [WorldSource] {
    let family = world.model.entities[entity].family
    return world.rows.indices.filter { family.contains(world.rows[$0].entity) }
      .sorted { world.rows[$0].row.key < world.rows[$1].row.key }
      .map { WorldSource(graph: self, place: $0) }
  }

  func source(_ entity: Int, _ key: Int64) -> WorldSource? {
    places[RowKey(root: world.model.entities[entity].root, key: key)]
      .map { WorldSource(graph: self, place: $0) }
  }

  func members(of relationship: RelationshipLayout, owner: Int64) -> [WorldSource] {
    let key = MembersKey(entity: relationship.entity, name: relationship.name, owner: owner)
    if members[key] == nil { members[key] = findMembers(of: relationship, owner: owner) }
    return (members[key] ?? []).map { WorldSource(graph: self, place: $0) }
  }

  private func findMembers(of relationship: RelationshipLayout, owner: Int64) -> [Int] {
    var keys: Set<Int64> = []
    if let side = relationship.side {
      let isSymmetric = world.model.links[side.link].isSymmetric
      for link in world.links where link.relationship.side?.link == side.link {
        for key in link.keys {
          if side.isFirst || isSymmetric, link.owner == owner { keys.insert(key) }
          if !side.isFirst || isSymmetric, key == owner { keys.insert(link.owner) }
        }
      }
    } else if let inverse = relationship.inverse {
      let family = world.model.entities[relationship.destination].family
      for (entity, row) in world.rows where family.contains(entity) {
        if case .reference(_, owner)? = row.values[inverse.name] { keys.insert(row.key) }
      }
    }
    var order = keys.sorted()
    for chosen in world.orders
    where chosen.relationship.entity == relationship.entity
      && chosen.relationship.name == relationship.name && chosen.owner == owner
    {
      order = chosen.keys.filter(keys.contains) + order.filter { !chosen.keys.contains($0) }
    }
    let root = world.model.entities[relationship.destination].root
    return order.compactMap { places[RowKey(root: root, key: $0)] }
  }
}

/// A row of a world as predicates see it.
struct WorldSource: KeyValueSource {
  let graph: WorldGraph
  let place: Int

  var row: Row { graph.world.rows[place].row }
  var entity: EntityLayout { graph.world.model.entities[graph.world.rows[place].entity] }

  var identity: ManagedObjectID? {
    ManagedObjectID(entityName: entity.name, owner: WorldGraph.owner, key: row.key)
  }

  func value(forKey key: String) throws(PerennialError) -> EvaluationValue {
    if let index = entity.toManysByName[key] {
      let members = graph.members(of: entity.toManys[index], owner: row.key)
      return .list(members.map { .object($0) })
    }
    if entity.slotsByName[key] != nil { return value(ofSlot: key) }
    // A composite attribute is a dictionary of its elements; null where none has a value.
    let prefix = key + "."
    var elements: [String: EvaluationValue] = [:]
    for slot in entity.slots where slot.name.hasPrefix(prefix) {
      elements[String(slot.name.dropFirst(prefix.count))] = value(ofSlot: slot.name)
    }
    return elements.values.allSatisfy(\.isNull) ? .null : .dictionary(elements)
  }

  private func value(ofSlot name: String) -> EvaluationValue {
    switch row.values[name] {
    case nil: return .null
    case .value(let value)?: return EvaluationValue(value)
    case .reference(let target, let key)?:
      if let source = graph.source(graph.world.model.index(target), key) { return .object(source) }
      let id = ManagedObjectID(entityName: target, owner: WorldGraph.owner, key: key)
      return .object(GoneSource(identity: id))
    }
  }
}
