// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting

/// A model and rows of it: what the engines are filled with, and what failures are shrunk in.
struct DifferentialWorld {
  /// The members of an owner in a to-many relationship, in their order if it has one.
  struct Members {
    var relationship: RelationshipLayout
    var owner: Int64
    var keys: [Int64]
  }

  let model: ModelLayout
  /// All rows, each with the place of its entity; keys are unique within a root entity.
  var rows: [(entity: Int, row: Row)] = []
  /// The pairs of links, noted on the first side.
  var links: [Members] = []
  /// Orders of some owners.
  var orders: [Members] = []

  /// Everything as one change set.
  func changes() throws -> ChangeSet {
    var byEntity: [Int: [Row]] = [:]
    for (entity, row) in rows { byEntity[entity, default: []].append(row) }
    var changes = model.insertion(
      byEntity.sorted { $0.key < $1.key }.map { (model.entities[$0.key].name, $0.value) }
    )
    changes.links = try links.map { members in
      try model.link(
        model.entities[members.relationship.entity].name,
        members.relationship.name,
        added: members.keys.map { (members.owner, $0) }
      )
    }
    changes.orders = orders.map {
      .init(relationship: $0.relationship, owner: $0.owner, members: $0.keys)
    }
    return changes
  }

  /// The world with some of its rows; what led to the others is gone.
  func keeping(_ kept: [(entity: Int, row: Row)]) -> DifferentialWorld {
    let keys = Set(kept.map { RowKey(root: model.entities[$0.entity].root, key: $0.row.key) })
    func isKept(_ entity: Int, _ key: Int64) -> Bool {
      keys.contains(RowKey(root: model.entities[entity].root, key: key))
    }
    func remaining(_ members: Members) -> Members? {
      guard isKept(members.relationship.entity, members.owner) else { return nil }
      var members = members
      members.keys = members.keys.filter { isKept(members.relationship.destination, $0) }
      return members.keys.isEmpty ? nil : members
    }
    var world = self
    world.rows = kept.map { entity, row in
      var row = row
      for case (let name, .reference(let target, let key)) in row.values
      where !isKept(model.index(target), key) {
        row.values[name] = nil
      }
      return (entity, row)
    }
    world.links = links.compactMap(remaining)
    world.orders = orders.compactMap(remaining)
    return world
  }
}

/// A row's place in its root entity.
struct RowKey: Hashable {
  var root: Int
  var key: Int64
}

extension DifferentialWorld: CustomStringConvertible {
  /// The rows, links and orders, a line each.
  var description: String {
    let rows = rows.map { entity, row in
      let values = row.values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      return "  \(model.entities[entity].name) \(row.key) \(values.joined(separator: ", "))"
    }
    let links = links.map { "  \($0.relationship.name) of \($0.owner): \($0.keys)" }
    let orders = orders.map { "  order of \($0.relationship.name) of \($0.owner): \($0.keys)" }
    return (rows + links + orders).joined(separator: "\n")
  }
}
