// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension MigrationCase {
  private static func clubs(
    _ properties: [PropertyDescription],
    unique: [[String]] = [["name"]]
  ) -> EntityDescription {
    EntityDescription(
      "Club",
      uniqueness: unique,
      indexes: [["name"]],
      properties: properties
    )
  }

  private static let named = clubs([.optional("name", .string)])

  private static func items(_ properties: [PropertyDescription]) -> [EntityDescription] {
    [EntityDescription("Item", uniqueness: [["code"]], properties: properties)]
  }

  private static func teams(_ name: PropertyDescription) -> EntityDescription {
    EntityDescription("Team", properties: [name])
  }

  /// What were clubs, without their constraint.
  private static let filledTeams = teams(.attribute("name", .string, default: "none"))
    .renamed(from: "Club")

  private static let gaps = [
    StoredObject("Club", 1), StoredObject("Club", 2), StoredObject("Club", 3, ["name": "Go"]),
  ]
  private static let filledGaps = [
    StoredObject("Team", 1, ["name": "none"]), StoredObject("Team", 2, ["name": "none"]),
    StoredObject("Team", 3, ["name": "Go"]),
  ]

  /// Constraints and indexes of names that other attributes and entities have now.
  static let constraints: [MigrationCase] = [
    MigrationCase(
      "an entity with a constraint is renamed, and another takes its name",
      from: [named],
      to: [
        named.renamed(from: "none"),
        EntityDescription("Team", properties: [.optional("name", .string)]).renamed(from: "Club"),
      ],
      [StoredObject("Club", 1, ["name": "Go"]), StoredObject("Club", 2, ["name": "Chess"])],
      becomes: [
        StoredObject("Team", 1, ["name": "Go"]), StoredObject("Team", 2, ["name": "Chess"]),
      ]
    ),
    MigrationCase(
      "an attribute with a constraint is renamed, and another takes its name",
      from: [named],
      to: [
        clubs([
          .optional("name", .string).renamed(from: "none"),
          .optional("title", .string).renamed(from: "name"),
        ])
      ],
      [StoredObject("Club", 1, ["name": "Go"]), StoredObject("Club", 2, ["name": "Chess"])],
      becomes: [
        StoredObject("Club", 1, ["title": "Go"]), StoredObject("Club", 2, ["title": "Chess"]),
      ]
    ),
    MigrationCase(
      "an attribute with a constraint and one without change names",
      from: [
        clubs(
          [.optional("name", .string), .optional("city", .string)],
          unique: [["name", "city"]]
        )
      ],
      to: [
        clubs(
          [
            .optional("name", .string).renamed(from: "city"),
            .optional("city", .string).renamed(from: "name"),
          ],
          unique: [["name", "city"]]
        )
      ],
      [StoredObject("Club", 1, ["name": "Go", "city": "Rome"])],
      becomes: [StoredObject("Club", 1, ["name": "Rome", "city": "Go"])]
    ),
    MigrationCase(
      "one gap under a constraint is filled",
      from: [named],
      to: [clubs([.attribute("name", .string, default: "none")])],
      [StoredObject("Club", 1), StoredObject("Club", 2, ["name": "Go"])],
      becomes: [
        StoredObject("Club", 1, ["name": "none"]), StoredObject("Club", 2, ["name": "Go"]),
      ]
    ),
    MigrationCase(
      "an attribute with a constraint is renamed, its gaps are filled, another takes its name",
      from: items([.optional("code", .string)]),
      to: items([
        .attribute("legacyCode", .string, default: "none").renamed(from: "code"),
        .optional("code", .string).renamed(from: "none"),
      ]),
      [
        StoredObject("Item", 1), StoredObject("Item", 2), StoredObject("Item", 3, ["code": "K"]),
      ],
      becomes: [
        StoredObject("Item", 1, ["legacyCode": "none"]),
        StoredObject("Item", 2, ["legacyCode": "none"]),
        StoredObject("Item", 3, ["legacyCode": "K"]),
      ]
    ),
    MigrationCase(
      "an entity with a constraint and one without change names, and gaps are filled",
      from: [named, teams(.optional("name", .string))],
      to: [named.renamed(from: "Team"), filledTeams],
      gaps + [StoredObject("Team", 1, ["name": "Chess"])],
      becomes: filledGaps + [StoredObject("Club", 1, ["name": "Chess"])]
    ),
    MigrationCase(
      "an entity with a constraint is renamed, its gaps are filled, another takes its name",
      from: [named],
      to: [named.renamed(from: "none"), filledTeams],
      gaps,
      becomes: filledGaps
    ),
  ]
}

extension RefusedMigration {
  /// Objects share values that were not there before.
  static let constraints: [RefusedMigration] = [
    RefusedMigration(
      name: "a default value fills several gaps under a constraint that was there",
      old: [
        EntityDescription(
          "Person",
          uniqueness: [["email"]],
          properties: [.optional("email", .string)]
        )
      ],
      new: [
        EntityDescription(
          "Person",
          uniqueness: [["email"]],
          properties: [.attribute("email", .string, default: "secret")]
        )
      ],
      before: [
        StoredObject("Person", 1), StoredObject("Person", 2),
        StoredObject("Person", 3, ["email": "other"]),
      ],
      code: .migrationConstraintViolation,
      words: ["2 objects", "'Person'", "(email)"]
    )
  ]
}
