// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension MigrationCase {
  private static func visits(isOrdered: Bool = false, guestsAreOrdered: Bool = false)
    -> [EntityDescription]
  {
    clubs(
      [.toMany("visits", "Club", inverse: "guests", ordered: isOrdered)],
      [.toMany("guests", "Person", inverse: "visits", ordered: guestsAreOrdered)]
    )
  }

  private static let visitors = [
    StoredObject("Club", 1, [:], ["guests": [1, 3]]), StoredObject("Club", 2, [:], ["guests": [3]]),
    StoredObject("Club", 3), StoredObject("Person", 1, [:], ["visits": [1]]),
    StoredObject("Person", 3, version: 2, [:], ["visits": [1, 2]]), StoredObject("Person", 4),
  ]

  private static func people(_ properties: PropertyDescription...) -> [EntityDescription] {
    [EntityDescription("Person", properties: [.optional("name", .string)] + properties)]
  }

  /// Pairs of objects: many-to-many relationships, and to-many ones without inverse.
  static let links: [MigrationCase] = [
    MigrationCase(
      "a many-to-many relationship stays while attributes change",
      from: visits(),
      to: clubs(
        [.attribute("age", .int16, default: 1), .toMany("visits", "Club", inverse: "guests")],
        [.toMany("guests", "Person", inverse: "visits")]
      ),
      visitors,
      becomes: visitors.map { object in
        guard object.entity == "Person" else { return object }
        return StoredObject(
          "Person",
          object.key,
          version: object.version,
          ["age": 1],
          object.members
        )
      }
    ),
    MigrationCase(
      "a many-to-many relationship is removed",
      from: visits(),
      to: clubs([], []),
      visitors,
      becomes: visitors.map { StoredObject($0.entity, $0.key, version: $0.version) }
    ),
    MigrationCase(
      "a many-to-many relationship is renamed, and its ends change places in the model's order",
      from: visits(),
      to: [
        EntityDescription(
          "Alumnus",
          properties: [.toMany("groups", "Group", inverse: "people").renamed(from: "visits")]
        ).renamed(from: "Person"),
        EntityDescription(
          "Group",
          properties: [.toMany("people", "Alumnus", inverse: "groups").renamed(from: "guests")]
        ).renamed(from: "Club"),
      ],
      visitors,
      becomes: [
        StoredObject("Group", 1, [:], ["people": [1, 3]]),
        StoredObject("Group", 2, [:], ["people": [3]]), StoredObject("Group", 3),
        StoredObject("Alumnus", 1, [:], ["groups": [1]]),
        StoredObject("Alumnus", 3, version: 2, [:], ["groups": [1, 2]]),
        StoredObject("Alumnus", 4),
      ]
    ),
    MigrationCase(
      "a to-many relationship without inverse gets a to-many inverse",
      from: clubs([.toMany("visits", "Club")], []),
      to: visits(),
      [
        StoredObject("Club", 1), StoredObject("Club", 2),
        StoredObject("Person", 1, [:], ["visits": [1, 2]]),
        StoredObject("Person", 3, [:], ["visits": [2]]),
      ],
      becomes: [
        StoredObject("Club", 1, [:], ["guests": [1]]),
        StoredObject("Club", 2, [:], ["guests": [1, 3]]),
        StoredObject("Person", 1, [:], ["visits": [1, 2]]),
        StoredObject("Person", 3, [:], ["visits": [2]]),
      ]
    ),
    MigrationCase(
      "a to-many relationship of the second entity gets an inverse",
      from: clubs([], [.toMany("guests", "Person")]),
      to: clubs(
        [.toMany("visits", "Club", inverse: "guests", ordered: true)],
        [.toMany("guests", "Person", inverse: "visits")]
      ),
      [
        StoredObject("Club", 1, [:], ["guests": [1, 3]]),
        StoredObject("Club", 2, [:], ["guests": [3]]), StoredObject("Person", 1),
        StoredObject("Person", 3),
      ],
      becomes: [
        StoredObject("Club", 1, [:], ["guests": [1, 3]]),
        StoredObject("Club", 2, [:], ["guests": [3]]),
        StoredObject("Person", 1, [:], ["visits": [1]]),
        StoredObject("Person", 3, [:], ["visits": [1, 2]]),
      ]
    ),
    MigrationCase(
      "a many-to-many relationship loses one of its ends: the first",
      from: visits(),
      to: clubs([.toMany("visits", "Club")], []),
      visitors,
      becomes: visitors.map { object in
        object.entity == "Person"
          ? object : StoredObject("Club", object.key, version: object.version)
      }
    ),
    MigrationCase(
      "a many-to-many relationship loses one of its ends: the second",
      from: visits(),
      to: clubs([], [.toMany("guests", "Person")]),
      visitors,
      becomes: visitors.map { object in
        object.entity == "Club"
          ? object : StoredObject("Person", object.key, version: object.version)
      }
    ),
    MigrationCase(
      "a many-to-many relationship is ordered now at both ends: as objects were made",
      from: visits(),
      to: visits(isOrdered: true, guestsAreOrdered: true),
      visitors,
      becomes: visitors
    ),
    MigrationCase(
      "a many-to-many relationship keeps the order of one end, and loses that of the other",
      from: visits(isOrdered: true, guestsAreOrdered: true),
      to: visits(isOrdered: true),
      [
        StoredObject("Club", 1, [:], ["guests": [3, 1, 2]]),
        StoredObject("Club", 2, [:], ["guests": [3]]),
        StoredObject("Person", 1, [:], ["visits": [1]]),
        StoredObject("Person", 2, [:], ["visits": [1]]),
        StoredObject("Person", 3, [:], ["visits": [2, 1]]),
      ],
      becomes: [
        StoredObject("Club", 1, [:], ["guests": [1, 2, 3]]),
        StoredObject("Club", 2, [:], ["guests": [3]]),
        StoredObject("Person", 1, [:], ["visits": [1]]),
        StoredObject("Person", 2, [:], ["visits": [1]]),
        StoredObject("Person", 3, [:], ["visits": [2, 1]]),
      ]
    ),
    MigrationCase(
      "a relationship that is its own inverse is renamed with its entity",
      from: people(.toMany("friends", "Person", inverse: "friends")),
      to: [
        EntityDescription(
          "Human",
          properties: [.toMany("peers", "Human", inverse: "peers").renamed(from: "friends")]
        ).renamed(from: "Person")
      ],
      [
        StoredObject("Person", 1, [:], ["friends": [2, 3]]),
        StoredObject("Person", 2, [:], ["friends": [1]]),
        StoredObject("Person", 3, [:], ["friends": [1, 3]]),
      ],
      becomes: [
        StoredObject("Human", 1, [:], ["peers": [2, 3]]),
        StoredObject("Human", 2, [:], ["peers": [1]]),
        StoredObject("Human", 3, [:], ["peers": [1, 3]]),
      ]
    ),
    MigrationCase(
      "a many-to-many relationship of an entity with itself keeps its direction",
      from: people(
        .toMany("follows", "Person", inverse: "followers", ordered: true),
        .toMany("followers", "Person", inverse: "follows")
      ),
      to: people(
        .toMany("fans", "Person", inverse: "idols").renamed(from: "followers"),
        .toMany("idols", "Person", inverse: "fans", ordered: true).renamed(from: "follows")
      ),
      [
        StoredObject("Person", 1, [:], ["follows": [3, 2], "followers": [2]]),
        StoredObject("Person", 2, [:], ["follows": [1], "followers": [1]]),
        StoredObject("Person", 3, [:], ["followers": [1]]),
      ],
      becomes: [
        StoredObject("Person", 1, [:], ["idols": [3, 2], "fans": [2]]),
        StoredObject("Person", 2, [:], ["idols": [1], "fans": [1]]),
        StoredObject("Person", 3, [:], ["fans": [1]]),
      ]
    ),
    MigrationCase(
      "both ends of a many-to-many relationship stay, as two without inverse",
      from: visits(),
      to: clubs(
        [.toMany("visits", "Club"), .toMany("others", "Club")],
        [.toMany("guests", "Person")]
      ),
      visitors,
      becomes: visitors
    ),
  ]
}
