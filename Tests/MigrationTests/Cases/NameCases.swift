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

  /// An attribute `b` that was `a`, beside a new one that has the old name.
  private static func pair(_ properties: PropertyDescription...) -> [EntityDescription] {
    [
      EntityDescription(
        "Club",
        properties: [.optional("a", .string), .optional("b", .string).renamed(from: "a")]
          + properties
      )
    ]
  }

  /// Renaming identifiers that stay in later versions, while the old names are used again.
  static let names: [MigrationCase] = [
    MigrationCase(
      "an attribute keeps its identifier, which is another one's name by now",
      from: pair(),
      to: pair(.optional("c", .string)),
      [StoredObject("Club", 1, ["a": "A", "b": "B"])],
      becomes: [StoredObject("Club", 1, ["a": "A", "b": "B"])]
    ),
    MigrationCase(
      "an attribute gets a third name by its identifier, which is another one's name by now",
      from: pair(),
      to: [entity("Club", .optional("a", .string), .optional("d", .string).renamed(from: "a"))],
      [StoredObject("Club", 1, ["a": "A", "b": "B"])],
      becomes: [StoredObject("Club", 1, ["a": "A", "d": "B"])]
    ),
    MigrationCase(
      "an attribute is removed whose identifier is another one's name by now",
      from: pair(),
      to: [entity("Club", .optional("a", .string))],
      [StoredObject("Club", 1, ["a": "A", "b": "B"])],
      becomes: [StoredObject("Club", 1, ["a": "A"])]
    ),
    MigrationCase(
      "an entity keeps its identifier, which is another one's name by now",
      from: [
        entity("Club", .optional("x", .string)),
        entity("Team", .optional("x", .string)).renamed(from: "Club"),
        entity("Match", .toOne("club", "Club"), .toOne("team", "Team")),
      ],
      to: [
        entity("Club", .optional("x", .string), .optional("y", .string)),
        entity("Team", .optional("x", .string)).renamed(from: "Club"),
        entity("Match", .toOne("club", "Club"), .toOne("team", "Team")),
      ],
      [
        StoredObject("Club", 1, ["x": "club"]), StoredObject("Team", 1, ["x": "team"]),
        StoredObject("Match", 1, ["club": .object("Club", 1), "team": .object("Team", 1)]),
      ],
      becomes: [
        StoredObject("Club", 1, ["x": "club"]), StoredObject("Team", 1, ["x": "team"]),
        StoredObject("Match", 1, ["club": .object("Club", 1), "team": .object("Team", 1)]),
      ]
    ),
    MigrationCase(
      "relationships keep their identifiers, which are others' names by now",
      from: [
        entity("Club"),
        entity(
          "Person",
          .toOne("club", "Club"),
          .toOne("former", "Club").renamed(from: "club"),
          .toMany("visits", "Club"),
          .toMany("tours", "Club").renamed(from: "visits")
        ),
      ],
      to: [
        entity("Club"),
        entity(
          "Person",
          .toOne("club", "Club"),
          .toOne("former", "Club").renamed(from: "club"),
          .toMany("visits", "Club"),
          .toMany("tours", "Club").renamed(from: "visits"),
          .optional("name", .string)
        ),
      ],
      [
        StoredObject("Club", 1), StoredObject("Club", 2),
        StoredObject(
          "Person",
          1,
          ["club": .object("Club", 1), "former": .object("Club", 2)],
          ["visits": [1], "tours": [1, 2]]
        ), StoredObject("Person", 2),
      ],
      becomes: [
        StoredObject("Club", 1), StoredObject("Club", 2),
        StoredObject(
          "Person",
          1,
          ["club": .object("Club", 1), "former": .object("Club", 2)],
          ["visits": [1], "tours": [1, 2]]
        ), StoredObject("Person", 2),
      ]
    ),
  ]
}
