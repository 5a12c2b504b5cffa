// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

/// The names under which a store of a third party knows the things of a model.
struct StoreVocabulary: Sendable {
  /// A to-many relationship of which a store keeps lists.
  struct Listed: Sendable {
    let layout: RelationshipLayout
    let name: StoreRelationship
  }

  let model: ModelLayout
  /// Every relationship with lists, where it is declared.
  let listed: [Listed]

  init(_ model: ModelLayout) {
    self.model = model
    var listed: [Listed] = []
    for entity in model.entities {
      for layout in entity.toManys
      where layout.entity == entity.index && (layout.side != nil || layout.isOrdered) {
        listed.append(Listed(layout: layout, name: Self.name(of: layout, in: model)))
      }
    }
    self.listed = listed
  }

  func name(of relationship: RelationshipLayout) -> StoreRelationship {
    Self.name(of: relationship, in: model)
  }

  /// The name of the table that holds the rows of a root entity.
  func table(ofRoot root: Int) -> String { model.entities[root].name }

  /// The relationship on the other side of a link; `nil` when there is none.
  func opposite(of relationship: RelationshipLayout) -> RelationshipLayout? {
    guard let inverse = relationship.inverse, case .toMany(let number) = inverse.place else {
      return nil
    }
    return model.entities[inverse.entity].toManys[number]
  }

  /// The relationship that a link is named after.
  func first(of link: LinkLayout) -> RelationshipLayout? {
    model.entities[link.first.entity].relationship(named: link.first.name)
  }

  private static func name(
    of layout: RelationshipLayout,
    in model: ModelLayout
  ) -> StoreRelationship {
    let destination = model.entities[layout.destination]
    return StoreRelationship(
      entityName: model.entities[layout.entity].name,
      name: layout.name,
      table: model.entities[model.entities[layout.entity].root].name,
      destinationTable: model.entities[destination.root].name,
      inverseToOne: layout.inverseSlot.map { destination.slots[$0].name },
      isOrdered: layout.isOrdered
    )
  }
}

extension StoreRelationship {
  /// The relationships of a model of which a store keeps lists, with their layouts.
  package static func listed(
    in model: ModelLayout
  ) -> [(relationship: StoreRelationship, layout: RelationshipLayout)] {
    StoreVocabulary(model).listed.map { ($0.name, $0.layout) }
  }
}
