// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The entities of a model and the lines between them, for a picture.
struct Diagram {
  /// An entity: a box with a line for each of its own attributes.
  struct Box {
    let name: String
    let isAbstract: Bool
    let lines: [String]
  }

  /// One end of a relationship: its name, nil when there is no way back, and how many objects it leads to.
  struct End {
    let name: String?
    let isToMany: Bool
    let isOptional: Bool

    /// How many objects, as diagrams write it: `0..1`, `1` or `*`.
    var count: String { isToMany ? "*" : isOptional ? "0..1" : "1" }
  }

  /// A relationship with its inverse, or an inheritance: between the boxes of two numbers.
  struct Line {
    enum Kind {
      /// `from` is an entity below `to`.
      case inheritance
      /// `first` leads from `from` to `to`, `second` back.
      case relationship(first: End, second: End)
    }

    let from: Int
    let to: Int
    let kind: Kind
  }

  let name: String
  private(set) var boxes: [Box] = []
  private(set) var lines: [Line] = []

  init(_ model: ManagedObjectModel, name: String) {
    self.name = name
    let layout = model.layout
    for entity in layout.entities {
      boxes.append(
        Box(
          name: entity.name,
          isAbstract: entity.description.isAbstract,
          lines: entity.description.properties.compactMap { property in
            guard case .attribute(let attribute) = property else { return nil }
            return "\(attribute.name): \(attribute.typeText)"
          }
        )
      )
      if let parent = entity.superentity {
        lines.append(Line(from: entity.index, to: parent, kind: .inheritance))
      }
      for property in entity.description.properties {
        guard case .relationship(let description) = property,
          let relationship = entity.relationship(named: description.name)
        else { continue }
        add(relationship, layout)
      }
    }
  }

  /// Adds a relationship, unless its inverse has been or will be added for both.
  private mutating func add(_ relationship: RelationshipLayout, _ layout: ModelLayout) {
    let first = End(
      name: relationship.name,
      isToMany: relationship.isToMany,
      isOptional: relationship.description.isOptional
    )
    guard let inverse = relationship.inverse,
      let back = layout.entities[inverse.entity].relationship(named: inverse.name)
    else {
      let second = End(name: nil, isToMany: true, isOptional: true)
      lines.append(
        Line(
          from: relationship.entity,
          to: relationship.destination,
          kind: .relationship(first: first, second: second)
        )
      )
      return
    }
    guard
      (relationship.entity, relationship.name) <= (inverse.entity, inverse.name)
    else { return }
    let second = End(
      name: back.name,
      isToMany: back.isToMany,
      isOptional: back.description.isOptional
    )
    lines.append(
      Line(
        from: relationship.entity,
        to: inverse.entity,
        kind: .relationship(first: first, second: second)
      )
    )
  }
}
