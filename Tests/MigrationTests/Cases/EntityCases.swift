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

  /// Entities that come, go, or change their names.
  static let entities: [MigrationCase] = [
    MigrationCase(
      "an entity is added before the others: their numbers change, and what leads to them stays",
      from: [
        entity("Club", .toMany("members", "Person", inverse: "club")),
        entity("Person", .toOne("club", "Club", inverse: "members"), .toOne("boss", "Person")),
      ],
      to: [
        entity("Aim", .optional("text", .string)),
        entity("Club", .toMany("members", "Person", inverse: "club")),
        entity("Person", .toOne("club", "Club", inverse: "members"), .toOne("boss", "Person")),
      ],
      [
        StoredObject("Club", 5, [:], ["members": [1]]),
        StoredObject(
          "Person",
          1,
          version: 9,
          ["club": .object("Club", 5), "boss": .object("Person", 2)]
        ),
        StoredObject("Person", 2),
      ],
      becomes: [
        StoredObject("Club", 5, [:], ["members": [1]]),
        StoredObject(
          "Person",
          1,
          version: 9,
          ["club": .object("Club", 5), "boss": .object("Person", 2)]
        ),
        StoredObject("Person", 2),
      ]
    ),
    MigrationCase(
      "an entity is added with a relationship from one that is there",
      from: [entity("Commit", .attribute("sha", .string))],
      to: [
        entity(
          "Author",
          .attribute("name", .string),
          .toMany("commits", "Commit", inverse: "author")
        ),
        entity(
          "Commit",
          .attribute("sha", .string),
          .toOne("author", "Author", inverse: "commits")
        ),
      ],
      [StoredObject("Commit", 1, ["sha": "a1"]), StoredObject("Commit", 2, ["sha": "b2"])],
      becomes: [StoredObject("Commit", 1, ["sha": "a1"]), StoredObject("Commit", 2, ["sha": "b2"])]
    ),
    MigrationCase(
      "an entity is removed with its objects: what led to them leads nowhere",
      from: [
        entity(
          "Club",
          .toMany("members", "Person", inverse: "club", ordered: true),
          .toMany("guests", "Person", inverse: "visits")
        ),
        entity(
          "Person",
          .optional("name", .string),
          .toOne("club", "Club", inverse: "members"),
          .toMany("visits", "Club", inverse: "guests")
        ),
      ],
      to: [entity("Person", .optional("name", .string))],
      [
        StoredObject("Club", 1, [:], ["members": [2, 1], "guests": [1]]),
        StoredObject("Person", 1, ["name": "Ann", "club": .object("Club", 1)], ["visits": [1]]),
        StoredObject("Person", 2, ["club": .object("Club", 1)]),
      ],
      becomes: [StoredObject("Person", 1, ["name": "Ann"]), StoredObject("Person", 2)]
    ),
    MigrationCase(
      "a subentity is removed with its objects: what led to them leads nowhere, other pairs stay",
      from: [
        entity(
          "Person",
          .toOne("boss", "Person", inverse: "reports"),
          .toMany("reports", "Person", inverse: "boss", ordered: true),
          .toMany("friends", "Person", inverse: "friends")
        ),
        entity("Employee", parent: "Person"), entity("Robot", parent: "Person"),
      ],
      to: [
        entity(
          "Person",
          .toOne("boss", "Person", inverse: "reports"),
          .toMany("reports", "Person", inverse: "boss", ordered: true),
          .toMany("friends", "Person", inverse: "friends")
        ),
        entity("Robot", parent: "Person"),
      ],
      [
        StoredObject("Employee", 1, [:], ["friends": [2, 3], "reports": [2]]),
        StoredObject("Employee", 6, ["boss": .object("Robot", 3)]),
        StoredObject("Person", 2, ["boss": .object("Employee", 1)], ["friends": [1, 3]]),
        StoredObject("Robot", 3, [:], ["friends": [1, 2], "reports": [5, 6, 4]]),
        StoredObject("Person", 4, ["boss": .object("Robot", 3)]),
        StoredObject("Person", 5, ["boss": .object("Robot", 3)]),
      ],
      becomes: [
        StoredObject("Person", 2, [:], ["friends": [3]]),
        StoredObject("Robot", 3, [:], ["friends": [2], "reports": [5, 4]]),
        StoredObject("Person", 4, ["boss": .object("Robot", 3)]),
        StoredObject("Person", 5, ["boss": .object("Robot", 3)]),
      ]
    ),
    MigrationCase(
      "an entity is renamed, and its number changes",
      from: [
        entity("Author", .toMany("commits", "Commit", inverse: "author")),
        entity("Commit", .toOne("author", "Author", inverse: "commits")),
      ],
      to: [
        entity("Commit", .toOne("author", "Person", inverse: "commits")),
        entity("Person", .toMany("commits", "Commit", inverse: "author")).renamed(from: "Author"),
      ],
      [
        StoredObject("Author", 1, [:], ["commits": [2]]),
        StoredObject("Commit", 2, version: 3, ["author": .object("Author", 1)]),
      ],
      becomes: [
        StoredObject("Person", 1, [:], ["commits": [2]]),
        StoredObject("Commit", 2, version: 3, ["author": .object("Person", 1)]),
      ]
    ),
    MigrationCase(
      "two entities exchange their names",
      from: [
        entity("Left", .optional("l", .string)),
        entity("Right", .optional("r", .int64), .toOne("left", "Left")),
      ],
      to: [
        entity("Left", .optional("r", .int64), .toOne("left", "Right")).renamed(from: "Right"),
        entity("Right", .optional("l", .string)).renamed(from: "Left"),
      ],
      [
        StoredObject("Left", 1, ["l": "x"]),
        StoredObject("Right", 1, ["r": 5, "left": .object("Left", 1)]), StoredObject("Right", 2),
      ],
      becomes: [
        StoredObject("Right", 1, ["l": "x"]),
        StoredObject("Left", 1, ["r": 5, "left": .object("Right", 1)]), StoredObject("Left", 2),
      ]
    ),
  ]

  private static let people = [
    StoredObject("Person", 1, ["name": "Ann"]),
    StoredObject("Employee", 2, version: 2, ["name": "Bo", "salary": 10]),
    StoredObject("Employee", 4, ["salary": 20]),
  ]

  /// Inheritance.
  static let hierarchies: [MigrationCase] = [
    MigrationCase(
      "an entity gets a new parent, which takes over a property",
      from: [
        entity("Team", .toOne("lead", "Employee", inverse: "leads")),
        entity(
          "Employee",
          .optional("name", .string),
          .optional("salary", .int64),
          .toMany("leads", "Team", inverse: "lead")
        ),
      ],
      to: [
        entity("Team", .toOne("lead", "Employee", inverse: "leads")),
        entity("Person", isAbstract: true, .optional("name", .string)),
        entity(
          "Employee",
          parent: "Person",
          .optional("salary", .int64),
          .toMany("leads", "Team", inverse: "lead")
        ),
      ],
      [
        StoredObject("Employee", 3, ["name": "Bo", "salary": 10], ["leads": [1]]),
        StoredObject("Team", 1, ["lead": .object("Employee", 3)]),
      ],
      becomes: [
        StoredObject("Employee", 3, ["name": "Bo", "salary": 10], ["leads": [1]]),
        StoredObject("Team", 1, ["lead": .object("Employee", 3)]),
      ]
    ),
    MigrationCase(
      "an entity gets a new subentity",
      from: [entity("Person", .optional("name", .string))],
      to: [
        entity("Person", .optional("name", .string)),
        entity("Employee", parent: "Person", .attribute("salary", .int64, default: 1)),
      ],
      [StoredObject("Person", 1, ["name": "Ann"])],
      becomes: [StoredObject("Person", 1, ["name": "Ann"])]
    ),
    MigrationCase(
      "a property moves up to the parent: others get its default value",
      from: [
        entity("Person", .optional("name", .string)),
        entity("Employee", parent: "Person", .optional("salary", .int64)),
      ],
      to: [
        entity(
          "Person",
          .optional("name", .string),
          .attribute("salary", .int64, optional: true, default: 5)
        ),
        entity("Employee", parent: "Person"),
      ],
      people,
      becomes: [
        StoredObject("Person", 1, ["name": "Ann", "salary": 5]),
        StoredObject("Employee", 2, version: 2, ["name": "Bo", "salary": 10]),
        StoredObject("Employee", 4, ["salary": 20]),
      ]
    ),
    MigrationCase(
      "a property moves down to a subentity: others lose it",
      from: [
        entity("Person", .optional("name", .string), .optional("salary", .int64)),
        entity("Employee", parent: "Person"),
      ],
      to: [
        entity("Person", .optional("name", .string)),
        entity("Employee", parent: "Person", .optional("salary", .int64)),
      ],
      [StoredObject("Person", 1, ["name": "Ann", "salary": 3])] + people.dropFirst(),
      becomes: people
    ),
    MigrationCase(
      "a subentity moves out of its hierarchy, with all its properties and what leads to it",
      from: [
        entity(
          "Person",
          .optional("name", .string),
          .toMany("friends", "Person", inverse: "friends")
        ),
        entity("Employee", parent: "Person", .optional("salary", .int64)),
        entity("Team", .toOne("lead", "Employee")),
      ],
      to: [
        entity(
          "Person",
          .optional("name", .string),
          .toMany("friends", "Person", inverse: "friends")
        ),
        entity("Employee", .optional("name", .string), .optional("salary", .int64)),
        entity("Team", .toOne("lead", "Employee")),
      ],
      [
        StoredObject("Person", 1, ["name": "Ann"], ["friends": [3]]),
        StoredObject("Person", 3, [:], ["friends": [1]]),
        StoredObject("Employee", 2, version: 2, ["name": "Bo", "salary": 10]),
        StoredObject("Team", 1, ["lead": .object("Employee", 2)]),
      ],
      becomes: [
        StoredObject("Person", 1, ["name": "Ann"], ["friends": [3]]),
        StoredObject("Person", 3, [:], ["friends": [1]]),
        StoredObject("Employee", 2, version: 2, ["name": "Bo", "salary": 10]),
        StoredObject("Team", 1, ["lead": .object("Employee", 2)]),
      ]
    ),
    MigrationCase(
      "a subentity moves to another parent of its tree",
      from: [
        entity("Item", .optional("name", .string)),
        entity("Book", parent: "Item", .optional("pages", .int32)),
        entity("Paper", parent: "Item", .optional("size", .string)),
        entity("Novel", parent: "Book", .optional("genre", .string)),
      ],
      to: [
        entity("Item", .optional("name", .string)),
        entity("Book", parent: "Item", .optional("pages", .int32)),
        entity("Paper", parent: "Item", .attribute("size", .string, optional: true, default: "A4")),
        entity("Novel", parent: "Paper", .optional("genre", .string), .optional("pages", .int32)),
      ],
      [
        StoredObject("Novel", 1, ["name": "a", "pages": 300, "genre": "crime"]),
        StoredObject("Book", 2, ["name": "b", "pages": 10]), StoredObject("Paper", 3),
      ],
      becomes: [
        StoredObject("Novel", 1, ["name": "a", "pages": 300, "genre": "crime", "size": "A4"]),
        StoredObject("Book", 2, ["name": "b", "pages": 10]), StoredObject("Paper", 3),
      ]
    ),
    MigrationCase(
      "a parent between two entities is removed",
      from: [
        entity("Item", .optional("name", .string)),
        entity("Print", parent: "Item", isAbstract: true, .optional("pages", .int32)),
        entity("Novel", parent: "Print", .optional("genre", .string)),
      ],
      to: [
        entity("Item", .optional("name", .string)),
        entity("Novel", parent: "Item", .optional("pages", .int32), .optional("genre", .string)),
      ],
      [
        StoredObject("Novel", 1, ["name": "a", "pages": 300, "genre": "crime"]),
        StoredObject("Item", 2),
      ],
      becomes: [
        StoredObject("Novel", 1, ["name": "a", "pages": 300, "genre": "crime"]),
        StoredObject("Item", 2),
      ]
    ),
    MigrationCase(
      "an abstract entity is no longer abstract",
      from: [
        entity("Person", isAbstract: true, .optional("name", .string)),
        entity("Employee", parent: "Person"), entity("Worker", parent: "Employee"),
      ],
      to: [
        entity("Person", .optional("name", .string)),
        entity("Employee", parent: "Person"), entity("Worker", parent: "Employee"),
      ],
      [StoredObject("Worker", 1, ["name": "Ann"])],
      becomes: [StoredObject("Worker", 1, ["name": "Ann"])]
    ),
  ]
}
