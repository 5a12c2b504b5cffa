// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel

// A small model with every kind of relationship, for random operations.

final class PNode: ManagedObject, ManagedEntity {
  var box: PBox? {
    get { _get(3) }
    set { _set(3, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: PNode.self,
        named: "PNode",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""),
          .of("number", (Int?).self),
          .of("parent", (PNode?).self, inverse: "children"),
          .of("children", ToMany<PNode>.self, inverse: "parent", deleteRule: .cascade),
          .of("box", (PBox?).self),
          .of("tags", ToMany<PTag>.self),
          .of("peers", ToMany<PNode>.self, inverse: "peers"),
          .of("badge", (PBadge?).self),
        ]
      )
    }
    return Storage.entity
  }
}

final class PBox: ManagedObject, ManagedEntity {
  var items: OrderedToMany<PNode> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: PBox.self,
        named: "PBox",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""), .of("items", OrderedToMany<PNode>.self),
        ]
      )
    }
    return Storage.entity
  }
}

final class PTag: ManagedObject, ManagedEntity {
  var nodes: OrderedToMany<PNode> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: PTag.self,
        named: "PTag",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""), .of("nodes", OrderedToMany<PNode>.self),
        ]
      )
    }
    return Storage.entity
  }
}

final class PBadge: ManagedObject, ManagedEntity {
  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: PBadge.self,
        named: "PBadge",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""),
          .of("node", (PNode?).self, deleteRule: .cascade),
        ]
      )
    }
    return Storage.entity
  }
}

/// A relationship as the oracle knows it.
struct PRelationship {
  let name: String
  /// Its number among the slots or the to-manys of its entity.
  let place: Int
  let destination: String
  let inverse: String
  var isToMany = false
  var isOrdered = false
  var cascades = false

  /// The other side, as the oracle knows it.
  var back: PRelationship? { PModel.relationship(inverse, of: destination) }
  var isOneToOne: Bool { !isToMany && back?.isToMany == false }
  /// Whether both sides are to-many.
  var isLink: Bool { isToMany && back?.isToMany == true }
}

enum PModel {
  static let classes: [ManagedObject.Type] = [PNode.self, PBox.self, PTag.self, PBadge.self]

  static let relationships: [String: [PRelationship]] = [
    "PNode": [
      PRelationship(name: "parent", place: 2, destination: "PNode", inverse: "children"),
      PRelationship(
        name: "children",
        place: 0,
        destination: "PNode",
        inverse: "parent",
        isToMany: true,
        cascades: true
      ),
      PRelationship(name: "box", place: 3, destination: "PBox", inverse: "items"),
      PRelationship(name: "tags", place: 1, destination: "PTag", inverse: "nodes", isToMany: true),
      PRelationship(
        name: "peers",
        place: 2,
        destination: "PNode",
        inverse: "peers",
        isToMany: true
      ),
      PRelationship(name: "badge", place: 4, destination: "PBadge", inverse: "node"),
    ],
    "PBox": [
      PRelationship(
        name: "items",
        place: 0,
        destination: "PNode",
        inverse: "box",
        isToMany: true,
        isOrdered: true
      )
    ],
    "PTag": [
      PRelationship(
        name: "nodes",
        place: 0,
        destination: "PNode",
        inverse: "tags",
        isToMany: true,
        isOrdered: true
      )
    ],
    "PBadge": [
      PRelationship(name: "node", place: 1, destination: "PNode", inverse: "badge", cascades: true)
    ],
  ]

  static func relationship(_ name: String, of entity: String) -> PRelationship? {
    relationships[entity]?.first { $0.name == name }
  }
}
