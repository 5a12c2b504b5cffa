// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension MigrationCase {
  /// A person with a name, and a club with a title.
  static func clubs(
    _ person: [PropertyDescription],
    _ club: [PropertyDescription]
  ) -> [EntityDescription] {
    [
      EntityDescription("Person", properties: [.optional("name", .string)] + person),
      EntityDescription("Club", properties: [.optional("title", .string)] + club),
    ]
  }

  private static let two = [
    StoredObject("Person", 1, ["name": "Ann"]), StoredObject("Club", 1, ["title": "Chess"]),
  ]

  private static let oneToMany = clubs(
    [.toOne("club", "Club", inverse: "members")],
    [.toMany("members", "Person", inverse: "club")]
  )
  private static let membership = [
    StoredObject("Club", 1, ["title": "Chess"], ["members": [2, 5]]),
    StoredObject("Club", 2, ["title": "Go"]),
    StoredObject("Person", 2, version: 4, ["name": "Ann", "club": .object("Club", 1)]),
    StoredObject("Person", 3, ["name": "Bo"]),
    StoredObject("Person", 5, ["name": "Cy", "club": .object("Club", 1)]),
  ]

  /// Relationships that come, go, change their names or their number, whose inverse comes or goes.
  static let relationships: [MigrationCase] = [
    MigrationCase(
      "relationships of all kinds are added: nothing is related",
      from: clubs([], []),
      to: clubs(
        [
          .toOne("best", "Person"), .toOne("club", "Club", inverse: "members"),
          .toMany("friends", "Person", inverse: "friends"),
          .toMany("visits", "Club", inverse: "guests"),
        ],
        [
          .toMany("members", "Person", inverse: "club", ordered: true),
          .toMany("guests", "Person", inverse: "visits"),
        ]
      ),
      two,
      becomes: two
    ),
    MigrationCase(
      "a one-to-many relationship is removed at both ends",
      from: oneToMany,
      to: clubs([], []),
      membership,
      becomes: [
        StoredObject("Club", 1, ["title": "Chess"]), StoredObject("Club", 2, ["title": "Go"]),
        StoredObject("Person", 2, version: 4, ["name": "Ann"]),
        StoredObject("Person", 3, ["name": "Bo"]),
        StoredObject("Person", 5, ["name": "Cy"]),
      ]
    ),
    MigrationCase(
      "a one-to-many relationship is renamed at both ends",
      from: oneToMany,
      to: clubs(
        [.toOne("home", "Club", inverse: "people").renamed(from: "club")],
        [.toMany("people", "Person", inverse: "home").renamed(from: "members")]
      ),
      membership,
      becomes: [
        StoredObject("Club", 1, ["title": "Chess"], ["people": [2, 5]]),
        StoredObject("Club", 2, ["title": "Go"]),
        StoredObject("Person", 2, version: 4, ["name": "Ann", "home": .object("Club", 1)]),
        StoredObject("Person", 3, ["name": "Bo"]),
        StoredObject("Person", 5, ["name": "Cy", "home": .object("Club", 1)]),
      ]
    ),
    MigrationCase(
      "one end is renamed, the other follows though it does not say so",
      from: oneToMany,
      to: clubs(
        [.toOne("home", "Club", inverse: "people")],
        [.toMany("people", "Person", inverse: "home").renamed(from: "members")]
      ),
      membership,
      becomes: [
        StoredObject("Club", 1, ["title": "Chess"], ["people": [2, 5]]),
        StoredObject("Club", 2, ["title": "Go"]),
        StoredObject("Person", 2, version: 4, ["name": "Ann", "home": .object("Club", 1)]),
        StoredObject("Person", 3, ["name": "Bo"]),
        StoredObject("Person", 5, ["name": "Cy", "home": .object("Club", 1)]),
      ]
    ),
    MigrationCase(
      "a to-one relationship becomes to-many: a many-to-many one",
      from: oneToMany,
      to: clubs(
        [.toMany("clubs", "Club", inverse: "members").renamed(from: "club")],
        [.toMany("members", "Person", inverse: "clubs")]
      ),
      membership,
      becomes: [
        StoredObject("Club", 1, ["title": "Chess"], ["members": [2, 5]]),
        StoredObject("Club", 2, ["title": "Go"]),
        StoredObject("Person", 2, version: 4, ["name": "Ann"], ["clubs": [1]]),
        StoredObject("Person", 3, ["name": "Bo"]),
        StoredObject("Person", 5, ["name": "Cy"], ["clubs": [1]]),
      ]
    ),
    MigrationCase(
      "a to-one relationship without inverse becomes to-many",
      from: clubs([.toOne("club", "Club")], []),
      to: clubs([.toMany("club", "Club")], []),
      [
        StoredObject("Club", 1), StoredObject("Person", 1, ["club": .object("Club", 1)]),
        StoredObject("Person", 2, ["club": .object("Club", 1)]), StoredObject("Person", 3),
      ],
      becomes: [
        StoredObject("Club", 1), StoredObject("Person", 1, [:], ["club": [1]]),
        StoredObject("Person", 2, [:], ["club": [1]]), StoredObject("Person", 3),
      ]
    ),
    MigrationCase(
      "a one-to-one relationship becomes one-to-many",
      from: clubs(
        [.toOne("chairs", "Club", inverse: "chair")],
        [.toOne("chair", "Person", inverse: "chairs")]
      ),
      to: clubs(
        [.toMany("chairs", "Club", inverse: "chair")],
        [.toOne("chair", "Person", inverse: "chairs")]
      ),
      [
        StoredObject("Club", 4, ["chair": .object("Person", 2)]),
        StoredObject("Person", 2, ["chairs": .object("Club", 4)]), StoredObject("Person", 3),
      ],
      becomes: [
        StoredObject("Club", 4, ["chair": .object("Person", 2)]),
        StoredObject("Person", 2, [:], ["chairs": [4]]), StoredObject("Person", 3),
      ]
    ),
    MigrationCase(
      "a to-one relationship loses its to-many inverse",
      from: oneToMany,
      to: clubs([.toOne("club", "Club")], []),
      membership,
      becomes: [
        StoredObject("Club", 1, ["title": "Chess"]), StoredObject("Club", 2, ["title": "Go"]),
        StoredObject("Person", 2, version: 4, ["name": "Ann", "club": .object("Club", 1)]),
        StoredObject("Person", 3, ["name": "Bo"]),
        StoredObject("Person", 5, ["name": "Cy", "club": .object("Club", 1)]),
      ]
    ),
    MigrationCase(
      "a to-many relationship loses its to-one inverse",
      from: oneToMany,
      to: clubs([], [.toMany("members", "Person")]),
      membership,
      becomes: [
        StoredObject("Club", 1, ["title": "Chess"], ["members": [2, 5]]),
        StoredObject("Club", 2, ["title": "Go"]),
        StoredObject("Person", 2, version: 4, ["name": "Ann"]),
        StoredObject("Person", 3, ["name": "Bo"]),
        StoredObject("Person", 5, ["name": "Cy"]),
      ]
    ),
    MigrationCase(
      "a to-one relationship gets a to-many inverse, which has its objects at once",
      from: clubs([.toOne("club", "Club")], []),
      to: oneToMany,
      [
        StoredObject("Club", 1), StoredObject("Person", 1, ["club": .object("Club", 1)]),
        StoredObject("Person", 2, ["club": .object("Club", 1)]),
      ],
      becomes: [
        StoredObject("Club", 1, [:], ["members": [1, 2]]),
        StoredObject("Person", 1, ["club": .object("Club", 1)]),
        StoredObject("Person", 2, ["club": .object("Club", 1)]),
      ]
    ),
    MigrationCase(
      "a relationship becomes one of the tree's root",
      from: [
        EntityDescription("Person", properties: [.optional("name", .string)]),
        EntityDescription("Employee", parent: "Person", properties: []),
        EntityDescription("Club", properties: [.toOne("chair", "Employee")]),
      ],
      to: [
        EntityDescription("Person", properties: [.optional("name", .string)]),
        EntityDescription("Employee", parent: "Person", properties: []),
        EntityDescription("Club", properties: [.toOne("chair", "Person")]),
      ],
      [StoredObject("Employee", 1), StoredObject("Club", 1, ["chair": .object("Employee", 1)])],
      becomes: [
        StoredObject("Employee", 1), StoredObject("Club", 1, ["chair": .object("Employee", 1)]),
      ]
    ),
  ]

  /// Relationships that get an order, lose it, or keep it.
  static let orders: [MigrationCase] = [
    MigrationCase(
      "a one-to-many relationship is ordered now: as objects were made",
      from: oneToMany,
      to: clubs(
        [.toOne("club", "Club", inverse: "members")],
        [.toMany("members", "Person", inverse: "club", ordered: true)]
      ),
      membership,
      becomes: membership
    ),
    MigrationCase(
      "a one-to-many relationship is no longer ordered",
      from: clubs(
        [.toOne("club", "Club", inverse: "members")],
        [.toMany("members", "Person", inverse: "club", ordered: true)]
      ),
      to: oneToMany,
      [
        StoredObject("Club", 1, [:], ["members": [3, 1, 2]]),
        StoredObject("Person", 1, ["club": .object("Club", 1)]),
        StoredObject("Person", 2, ["club": .object("Club", 1)]),
        StoredObject("Person", 3, ["club": .object("Club", 1)]),
      ],
      becomes: [
        StoredObject("Club", 1, [:], ["members": [1, 2, 3]]),
        StoredObject("Person", 1, ["club": .object("Club", 1)]),
        StoredObject("Person", 2, ["club": .object("Club", 1)]),
        StoredObject("Person", 3, ["club": .object("Club", 1)]),
      ]
    ),
    MigrationCase(
      "an ordered one-to-many relationship keeps its order over a renaming of all that there is",
      from: clubs(
        [.toOne("club", "Club", inverse: "members")],
        [.toMany("members", "Person", inverse: "club", ordered: true)]
      ),
      to: [
        EntityDescription(
          "Human",
          properties: [
            .optional("name", .string),
            .toOne("group", "Group", inverse: "people").renamed(from: "club"),
          ]
        ).renamed(from: "Person"),
        EntityDescription(
          "Group",
          properties: [
            .toMany("people", "Human", inverse: "group", ordered: true).renamed(from: "members")
          ]
        ).renamed(from: "Club"),
      ],
      [
        StoredObject("Club", 1, [:], ["members": [3, 1, 2]]),
        StoredObject("Person", 1, ["club": .object("Club", 1)]),
        StoredObject("Person", 2, ["club": .object("Club", 1)]),
        StoredObject("Person", 3, ["club": .object("Club", 1)]),
      ],
      becomes: [
        StoredObject("Group", 1, [:], ["people": [3, 1, 2]]),
        StoredObject("Human", 1, ["group": .object("Group", 1)]),
        StoredObject("Human", 2, ["group": .object("Group", 1)]),
        StoredObject("Human", 3, ["group": .object("Group", 1)]),
      ]
    ),
    MigrationCase(
      "an ordered one-to-many relationship becomes an ordered many-to-many one",
      from: clubs(
        [.toOne("club", "Club", inverse: "members")],
        [.toMany("members", "Person", inverse: "club", ordered: true)]
      ),
      to: clubs(
        [.toMany("club", "Club", inverse: "members")],
        [.toMany("members", "Person", inverse: "club", ordered: true)]
      ),
      [
        StoredObject("Club", 1, [:], ["members": [3, 1]]),
        StoredObject("Person", 1, ["club": .object("Club", 1)]),
        StoredObject("Person", 3, ["club": .object("Club", 1)]),
      ],
      becomes: [
        StoredObject("Club", 1, [:], ["members": [3, 1]]),
        StoredObject("Person", 1, [:], ["club": [1]]),
        StoredObject("Person", 3, [:], ["club": [1]]),
      ]
    ),
    MigrationCase(
      "a to-one relationship gets an ordered inverse",
      from: clubs([.toOne("club", "Club")], []),
      to: clubs(
        [.toOne("club", "Club", inverse: "members")],
        [.toMany("members", "Person", inverse: "club", ordered: true)]
      ),
      [
        StoredObject("Club", 1), StoredObject("Person", 2, ["club": .object("Club", 1)]),
        StoredObject("Person", 9, ["club": .object("Club", 1)]),
      ],
      becomes: [
        StoredObject("Club", 1, [:], ["members": [2, 9]]),
        StoredObject("Person", 2, ["club": .object("Club", 1)]),
        StoredObject("Person", 9, ["club": .object("Club", 1)]),
      ]
    ),
  ]
}
