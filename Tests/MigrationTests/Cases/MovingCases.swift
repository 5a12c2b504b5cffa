// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension MigrationCase {
  private static func entity(
    _ name: String,
    parent: String? = nil,
    isAbstract: Bool = false,
    _ properties: PropertyDescription...
  ) -> EntityDescription {
    EntityDescription(name, parent: parent, isAbstract: isAbstract, properties: properties)
  }

  /// A club and its people, whose way back is declared by one of two entities; the upper one may be missing.
  private static func club(
    people: String,
    isOrdered: Bool = false,
    hasParent: Bool = true
  ) -> [EntityDescription] {
    let back = PropertyDescription.toOne("club", "Club", inverse: "people")
    let child = EntityDescription(
      "Player",
      parent: hasParent ? "Person" : nil,
      properties: people == "Player" ? [back] : []
    )
    let parent = EntityDescription("Person", properties: people == "Person" ? [back] : [])
    return [
      entity("Club", .toMany("people", people, inverse: "club", ordered: isOrdered)), child,
    ] + (hasParent ? [parent] : [])
  }

  private static let players = [
    StoredObject("Club", 1, [:], ["people": [1, 3]]), StoredObject("Club", 2),
    StoredObject("Player", 1, ["club": .object("Club", 1)]), StoredObject("Player", 2),
    StoredObject("Player", 3, ["club": .object("Club", 1)]),
  ]

  private static func visitors(_ visitor: String) -> [EntityDescription] {
    let back = PropertyDescription.toMany("visits", "Club", inverse: "guests")
    return [
      entity("Club", .toMany("guests", visitor, inverse: "visits")),
      EntityDescription("Person", properties: visitor == "Person" ? [back] : []),
      EntityDescription(
        "Player",
        parent: "Person",
        properties: visitor == "Player" ? [back] : []
      ),
    ]
  }

  private static let visits = [
    StoredObject("Club", 1, [:], ["guests": [1, 2]]), StoredObject("Club", 2, [:], ["guests": [2]]),
    StoredObject("Player", 1, [:], ["visits": [1]]),
    StoredObject("Player", 2, [:], ["visits": [1, 2]]), StoredObject("Person", 3),
  ]

  private static func zoo(robotIs parent: String) -> [EntityDescription] {
    [
      entity("Being", isAbstract: true, .optional("name", .string)),
      entity("Animal", parent: "Being"), entity("Person", parent: "Being"),
      entity("Robot", parent: parent),
      entity("Car", .toOne("driver", "Person"), .toMany("riders", "Person")),
    ]
  }

  /// Relationships that move within a tree, and entities that leave those that led to them.
  static let moves: [MigrationCase] = [
    MigrationCase(
      "a relationship with an inverse moves up to a parent that was there",
      from: club(people: "Player"),
      to: club(people: "Person"),
      players + [StoredObject("Person", 9)],
      becomes: players + [StoredObject("Person", 9)]
    ),
    MigrationCase(
      "a relationship with an inverse moves up to a new parent",
      from: club(people: "Player", hasParent: false),
      to: club(people: "Person"),
      players,
      becomes: players
    ),
    MigrationCase(
      "a relationship with an inverse moves up and gets an order",
      from: club(people: "Player"),
      to: club(people: "Person", isOrdered: true),
      players,
      becomes: players
    ),
    MigrationCase(
      "an ordered relationship with an inverse moves up",
      from: club(people: "Player", isOrdered: true),
      to: club(people: "Person", isOrdered: true),
      [StoredObject("Club", 1, [:], ["people": [3, 1]])] + players.dropFirst(),
      becomes: [StoredObject("Club", 1, [:], ["people": [3, 1]])] + players.dropFirst()
    ),
    MigrationCase(
      "a many-to-many relationship moves up to a parent",
      from: visitors("Player"),
      to: visitors("Person"),
      visits,
      becomes: visits
    ),
    MigrationCase(
      "an entity moves within its tree, away from what leads to another branch: links are lost",
      from: zoo(robotIs: "Person"),
      to: zoo(robotIs: "Animal"),
      [
        StoredObject("Robot", 1, ["name": "r"]), StoredObject("Person", 2, ["name": "p"]),
        StoredObject("Car", 1, ["driver": .object("Robot", 1)], ["riders": [1, 2]]),
        StoredObject("Car", 2, ["driver": .object("Person", 2)]),
      ],
      becomes: [
        StoredObject("Robot", 1, ["name": "r"]), StoredObject("Person", 2, ["name": "p"]),
        StoredObject("Car", 1, [:], ["riders": [2]]),
        StoredObject("Car", 2, ["driver": .object("Person", 2)]),
      ]
    ),
    MigrationCase(
      "an entity moves under a parent that has a property of the same name: values widen",
      from: [
        entity("Item"), entity("Book", parent: "Item", .optional("size", .int64)),
        entity("Paper", parent: "Item", .optional("size", .int16)),
      ],
      to: [
        entity("Item"), entity("Book", parent: "Item", .optional("size", .int64)),
        entity("Paper", parent: "Book"),
      ],
      [
        StoredObject("Book", 1, ["size": 70_000]), StoredObject("Paper", 2, ["size": 4]),
        StoredObject("Paper", 3),
      ],
      becomes: [
        StoredObject("Book", 1, ["size": 70_000]), StoredObject("Paper", 2, ["size": 4]),
        StoredObject("Paper", 3),
      ]
    ),
    MigrationCase(
      "an entity moves under a parent whose property of the same name is required: gaps are filled",
      from: [
        entity("Item"), entity("Book", parent: "Item", .attribute("size", .int64, default: 5)),
        entity("Paper", parent: "Item", .optional("size", .int64)),
      ],
      to: [
        entity("Item"), entity("Book", parent: "Item", .attribute("size", .int64, default: 5)),
        entity("Paper", parent: "Book"),
      ],
      [StoredObject("Book", 1, ["size": 7]), StoredObject("Paper", 2), StoredObject("Item", 3)],
      becomes: [
        StoredObject("Book", 1, ["size": 7]), StoredObject("Paper", 2, ["size": 5]),
        StoredObject("Item", 3),
      ]
    ),
  ]

  private static func place(_ elements: [AttributeDescription]) -> [EntityDescription] {
    [
      entity(
        "Place",
        .attribute(AttributeDescription("spot", .composite, isOptional: false, elements: elements))
      )
    ]
  }

  /// Elements of composite attributes that are other ones by now.
  static let elements: [MigrationCase] = [
    MigrationCase(
      "an element's type becomes a wider one",
      from: place([AttributeDescription("row", .int16, isOptional: true)]),
      to: place([AttributeDescription("row", .int64, isOptional: true)]),
      [StoredObject("Place", 1, ["spot.row": 3]), StoredObject("Place", 2)],
      becomes: [StoredObject("Place", 1, ["spot.row": 3]), StoredObject("Place", 2)]
    ),
    MigrationCase(
      "an element becomes required: its default value fills gaps",
      from: place([AttributeDescription("city", .string, isOptional: true)]),
      to: place([AttributeDescription("city", .string, defaultValue: .string("Oslo"))]),
      [StoredObject("Place", 1, ["spot.city": "Bonn"]), StoredObject("Place", 2)],
      becomes: [
        StoredObject("Place", 1, ["spot.city": "Bonn"]),
        StoredObject("Place", 2, ["spot.city": "Oslo"]),
      ]
    ),
  ]
}
