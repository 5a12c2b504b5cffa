// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension MigrationCase {
  private static func blog(
    author: [PropertyDescription],
    post: [PropertyDescription]
  ) -> [EntityDescription] {
    [
      EntityDescription(
        "Author",
        properties: [.optional("name", .string), .toMany("posts", "Post", inverse: "author")]
          + author
      ),
      EntityDescription(
        "Post",
        properties: [.optional("length", .int64), .toOne("author", "Author", inverse: "posts")]
          + post
      ),
    ]
  }

  private static let posts = [
    StoredObject("Author", 1, ["name": "Zoë"], ["posts": [1, 3]]),
    StoredObject("Author", 2, ["name": "Bo"]),
    StoredObject("Post", 1, ["length": 5, "author": .object("Author", 1)]),
    StoredObject("Post", 2),
    StoredObject("Post", 3, version: 6, ["length": 7, "author": .object("Author", 1)]),
  ]

  /// Derived attributes: computed of what is stored, with no version raised.
  static let derived: [MigrationCase] = [
    MigrationCase(
      "derived attributes of all kinds are added",
      from: blog(author: [], post: []),
      to: blog(
        author: [
          .attribute("key", .string, optional: true, derived: "canonical:(name)"),
          .attribute("copy", .string, optional: true, derived: "name"),
          .attribute("count", .int64, optional: true, derived: "posts.@count"),
          .attribute("total", .int64, optional: true, derived: "posts.length.@sum"),
        ],
        post: [
          .attribute("authorName", .string, optional: true, derived: "author.name"),
          .attribute("authorKey", .string, optional: true, derived: "uppercase:(author.name)"),
        ]
      ),
      posts,
      becomes: [
        StoredObject(
          "Author",
          1,
          ["name": "Zoë", "key": "zoe", "copy": "Zoë", "count": 2, "total": 12],
          ["posts": [1, 3]]
        ),
        StoredObject(
          "Author",
          2,
          ["name": "Bo", "key": "bo", "copy": "Bo", "count": 0, "total": 0]
        ),
        StoredObject(
          "Post",
          1,
          ["length": 5, "author": .object("Author", 1), "authorName": "Zoë", "authorKey": "ZOË"]
        ),
        StoredObject("Post", 2),
        StoredObject(
          "Post",
          3,
          version: 6,
          ["length": 7, "author": .object("Author", 1), "authorName": "Zoë", "authorKey": "ZOË"]
        ),
      ]
    ),
    MigrationCase(
      "a derived attribute is derived otherwise",
      from: blog(author: [.attribute("key", .string, optional: true, derived: "name")], post: []),
      to: blog(
        author: [.attribute("key", .string, optional: true, derived: "lowercase:(name)")],
        post: []
      ),
      [StoredObject("Author", 1, ["name": "ZOË", "key": "ZOË"])],
      becomes: [StoredObject("Author", 1, ["name": "ZOË", "key": "zoë"])]
    ),
    MigrationCase(
      "a derived attribute becomes an ordinary one, and keeps its values",
      from: blog(
        author: [.attribute("key", .string, optional: true, derived: "uppercase:(name)")],
        post: []
      ),
      to: blog(author: [.attribute("key", .string, optional: true)], post: []),
      [StoredObject("Author", 1, ["name": "Zoë", "key": "ZOË"])],
      becomes: [StoredObject("Author", 1, ["name": "Zoë", "key": "ZOË"])]
    ),
    MigrationCase(
      "an ordinary attribute becomes a derived one, and loses its values",
      from: blog(author: [.attribute("key", .string, optional: true)], post: []),
      to: blog(
        author: [.attribute("key", .string, optional: true, derived: "uppercase:(name)")],
        post: []
      ),
      [
        StoredObject("Author", 1, ["name": "Zoë", "key": "own"]),
        StoredObject("Author", 2, ["key": "own"]),
      ],
      becomes: [
        StoredObject("Author", 1, ["name": "Zoë", "key": "ZOË"]), StoredObject("Author", 2),
      ]
    ),
    MigrationCase(
      "what is derived of a relationship follows its renaming",
      from: blog(
        author: [.attribute("count", .int64, optional: true, derived: "posts.@count")],
        post: []
      ),
      to: [
        EntityDescription(
          "Author",
          properties: [
            .optional("name", .string),
            .toMany("texts", "Post", inverse: "author").renamed(from: "posts"),
            .attribute("count", .int64, optional: true, derived: "texts.@count"),
          ]
        ),
        EntityDescription(
          "Post",
          properties: [.optional("length", .int64), .toOne("author", "Author", inverse: "texts")]
        ),
      ],
      [
        StoredObject("Author", 1, ["count": 2], ["posts": [1, 2]]),
        StoredObject("Post", 1, ["author": .object("Author", 1)]),
        StoredObject("Post", 2, ["author": .object("Author", 1)]),
      ],
      becomes: [
        StoredObject("Author", 1, ["count": 2], ["texts": [1, 2]]),
        StoredObject("Post", 1, ["author": .object("Author", 1)]),
        StoredObject("Post", 2, ["author": .object("Author", 1)]),
      ]
    ),
    MigrationCase(
      "what is derived follows attributes that change names",
      from: swapped(isNew: false),
      to: swapped(isNew: true),
      [
        StoredObject(
          "Author",
          1,
          ["given": "Ann", "family": "Orr", "key": "ANN", "seconds": 3],
          ["posts": [1]]
        ),
        StoredObject("Post", 1, ["authorName": "Ann", "author": .object("Author", 1)]),
      ],
      becomes: [
        StoredObject(
          "Author",
          1,
          ["given": "Orr", "family": "Ann", "key": "ORR", "seconds": 3],
          ["posts": [1]]
        ),
        StoredObject("Post", 1, ["authorName": "Orr", "author": .object("Author", 1)]),
      ]
    ),
    MigrationCase(
      "what is derived of a value that was missing is derived of its default",
      from: [
        EntityDescription(
          "Author",
          properties: [
            .optional("name", .string),
            .attribute("key", .string, optional: true, derived: "lowercase:(name)"),
          ]
        )
      ],
      to: [
        EntityDescription(
          "Author",
          properties: [
            .attribute("name", .string, default: "Nobody"),
            .attribute("key", .string, optional: true, derived: "lowercase:(name)"),
          ]
        )
      ],
      [StoredObject("Author", 1, ["name": "Zoë", "key": "zoë"]), StoredObject("Author", 2)],
      becomes: [
        StoredObject("Author", 1, ["name": "Zoë", "key": "zoë"]),
        StoredObject("Author", 2, ["name": "Nobody", "key": "nobody"]),
      ]
    ),
  ]

  /// Authors whose names are swapped, and what is derived of one name.
  private static func swapped(isNew: Bool) -> [EntityDescription] {
    func name(_ name: String, from other: String) -> PropertyDescription {
      isNew ? .optional(name, .string).renamed(from: other) : .optional(name, .string)
    }
    return [
      EntityDescription(
        "Author",
        properties: [
          name("given", from: "family"), name("family", from: "given"),
          .optional("seconds", .int64),
          .attribute("key", .string, optional: true, derived: "uppercase:(given)"),
          .toMany("posts", "Post", inverse: "author"),
        ]
      ),
      EntityDescription(
        "Post",
        properties: [
          .toOne("author", "Author", inverse: "posts"),
          .attribute("authorName", .string, optional: true, derived: "author.given"),
        ]
      ),
    ]
  }
}

extension RefusedMigration {
  private static let emails = [
    EntityDescription(
      "Person",
      properties: [.optional("email", .string), .optional("city", .string)]
    )
  ]

  /// What is said when a store cannot follow: never a value.
  static let all: [RefusedMigration] = [
    RefusedMigration(
      name: "a uniqueness constraint is added over duplicates",
      old: emails,
      new: [
        EntityDescription(
          "Person",
          uniqueness: [["email"]],
          properties: [.optional("email", .string), .optional("city", .string)]
        )
      ],
      before: [
        StoredObject("Person", 1, ["email": "secret"]),
        StoredObject("Person", 2, ["email": "other"]),
        StoredObject("Person", 3, ["email": "secret"]), StoredObject("Person", 4),
        StoredObject("Person", 5), StoredObject("Person", 6, ["email": "secret"]),
      ],
      code: .migrationConstraintViolation,
      words: ["3 objects", "'Person'", "(email)"]
    ),
    RefusedMigration(
      name: "a constraint of two properties is added over duplicates, in a subentity, too",
      old: emails + [EntityDescription("Employee", parent: "Person", properties: [])],
      new: [
        EntityDescription(
          "Person",
          uniqueness: [["email", "city"]],
          properties: [.optional("email", .string), .optional("city", .string)]
        ),
        EntityDescription("Employee", parent: "Person", properties: []),
      ],
      before: [
        StoredObject("Person", 1, ["email": "secret", "city": "x"]),
        StoredObject("Employee", 2, ["email": "secret", "city": "x"]),
        StoredObject("Person", 3, ["email": "secret", "city": "y"]),
      ],
      code: .migrationConstraintViolation,
      words: ["2 objects", "'Person'", "(email, city)"]
    ),
    RefusedMigration(
      name: "an entity with objects becomes abstract",
      old: emails + [EntityDescription("Employee", parent: "Person", properties: [])],
      new: [
        EntityDescription(
          "Person",
          isAbstract: true,
          properties: [.optional("email", .string), .optional("city", .string)]
        ),
        EntityDescription("Employee", parent: "Person", properties: []),
      ],
      before: [StoredObject("Person", 1), StoredObject("Person", 2), StoredObject("Employee", 3)],
      code: .migration,
      words: ["'Person'", "2 objects"]
    ),
    RefusedMigration(
      name: "two hierarchies are merged",
      old: [
        EntityDescription("Car", properties: [.optional("name", .string)]),
        EntityDescription("Ship", properties: [.optional("name", .string)]),
      ],
      new: [
        EntityDescription("Vehicle", isAbstract: true, properties: [.optional("name", .string)]),
        EntityDescription("Car", parent: "Vehicle", properties: []),
        EntityDescription("Ship", parent: "Vehicle", properties: []),
      ],
      before: [StoredObject("Car", 1), StoredObject("Ship", 1)],
      code: .inferredMappingModel,
      words: ["'Vehicle'"]
    ),
  ]
}
