// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RandomTesting
import RowTesting

/// Fills a model with rows at random: few different values, many of them awkward.
struct RandomRows {
  private var random: SeededGenerator
  private var world: DifferentialWorld
  /// The keys of each entity's own rows.
  private var keys: [[Int64]]

  static func make(_ model: ModelLayout, seed: UInt64) throws -> DifferentialWorld {
    var maker = RandomRows(
      random: SeededGenerator(seed: seed),
      world: DifferentialWorld(model: model),
      keys: Array(repeating: [], count: model.entities.count)
    )
    maker.addRows()
    try maker.addLinks()
    return maker.world
  }

  private mutating func addRows() {
    let model = world.model
    var next: [Int: Int64] = [:]
    for entity in model.entities where !entity.description.isAbstract {
      let isAlone = entity.family.count == 1 && entity.superentity == nil
      for _ in 0..<(isAlone ? 7 + random.chance(4) : 3 + random.chance(2)) {
        // Keys begin at 1, with a gap now and then.
        let key = next[entity.root, default: 0] + 1 + Int64(random.chance(8) / 7)
        next[entity.root] = key
        keys[entity.index].append(key)
      }
    }
    for entity in model.entities {
      let pools = entity.slots.map { slot in
        slot.attributeType.map { type in (0..<4).map { _ in value(of: type) } } ?? []
      }
      for key in keys[entity.index] {
        world.rows.append((entity.index, Row(key, values(of: entity, pools))))
      }
    }
    addMutualReferences()
  }

  private mutating func values(
    of entity: EntityLayout,
    _ pools: [[PropertyValue]]
  ) -> [String: Row.Value] {
    var values: [String: Row.Value] = [:]
    for (slot, pool) in zip(entity.slots, pools) where random.chance(6) > 0 {
      if let relationship = slot.relationship {
        // One-to-one relationships are made for both ends together.
        if case .slot? = relationship.inverse?.place { continue }
        guard let (target, key) = anyRow(of: relationship.destination) else { continue }
        values[slot.name] = .reference(world.model.entities[target].name, key)
      } else {
        values[slot.name] = .value(pool[random.chance(pool.count)])
      }
    }
    return values
  }

  private mutating func anyRow(of entity: Int) -> (entity: Int, key: Int64)? {
    let rows = world.model.entities[entity].family.flatMap { index in
      keys[index].map { (entity: index, key: $0) }
    }
    return rows.isEmpty ? nil : rows[random.chance(rows.count)]
  }

  /// One-to-one relationships: both ends name each other.
  private mutating func addMutualReferences() {
    let model = world.model
    for entity in model.entities {
      for slot in entity.slots where slot.entity == entity.index {
        guard let relationship = slot.relationship, let inverse = relationship.inverse,
          case .slot = inverse.place, relationship.name < inverse.name
        else { continue }
        var taken: Set<Int64> = []
        for place in world.rows.indices where entity.family.contains(world.rows[place].entity) {
          guard random.chance(4) > 0, let target = anyRow(of: relationship.destination),
            taken.insert(target.key).inserted,
            let other = world.rows.firstIndex(where: {
              $0.entity == target.entity && $0.row.key == target.key
            })
          else { continue }
          let own = model.entities[world.rows[place].entity].name
          let key = world.rows[place].row.key
          world.rows[place].row.values[slot.name] = .reference(
            model.entities[target.entity].name,
            target.key
          )
          world.rows[other].row.values[inverse.name] = .reference(own, key)
        }
      }
    }
  }

  // MARK: To-many relationships

  private mutating func addLinks() throws {
    let model = world.model
    for link in model.links {
      let relationship = try model.relationship(
        model.entities[link.first.entity].name,
        link.first.name
      )
      for owner in allKeys(of: relationship.entity) {
        let members = subset(of: allKeys(of: relationship.destination))
        guard !members.isEmpty else { continue }
        world.links.append(.init(relationship: relationship, owner: owner, keys: members))
      }
    }
    let graph = WorldGraph(world)
    for entity in model.entities {
      for relationship in entity.toManys
      where relationship.isOrdered && relationship.entity == entity.index {
        for owner in allKeys(of: entity.index) {
          let members = graph.members(of: relationship, owner: owner).map(\.row.key)
          guard members.count > 1 else { continue }
          world.orders.append(
            .init(relationship: relationship, owner: owner, keys: members.shuffled(using: &random))
          )
        }
      }
    }
  }

  private func allKeys(of entity: Int) -> [Int64] {
    world.model.entities[entity].family.flatMap { keys[$0] }
  }

  private mutating func subset(of keys: [Int64]) -> [Int64] {
    var members: Set<Int64> = []
    for _ in 0..<random.chance(4) where !keys.isEmpty {
      members.insert(keys[random.chance(keys.count)])
    }
    return members.sorted()
  }

  // MARK: Values

  private mutating func value(of type: AttributeType) -> PropertyValue {
    RandomValues.value(of: type, using: &random)
  }
}
