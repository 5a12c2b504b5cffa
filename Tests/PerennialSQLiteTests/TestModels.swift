// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The models of the tests, by what they show.
enum TestModels {
  /// A one-to-many relationship and a constraint.
  static func blog() throws -> ModelLayout {
    try ManagedObjectModel(
      EntityDescription(
        "Post",
        uniqueness: [["slug"]],
        indexes: [["score"]],
        properties: [
          .attribute("slug", .string, optional: true), .attribute("score", .int64, optional: true),
          .toOne("author", "Author", inverse: "posts"),
          .attribute("draft", .bool, optional: true, transient: true),
        ]
      ),
      EntityDescription(
        "Author",
        uniqueness: [["first", "last"]],
        properties: [
          .attribute("first", .string, optional: true), .attribute("last", .string, optional: true),
          .toMany("posts", "Post", inverse: "author"),
        ]
      )
    ).layout
  }

  /// One attribute of each type.
  static func types() throws -> ModelLayout {
    try ManagedObjectModel(
      EntityDescription(
        "Thing",
        properties: [
          .attribute("anInt16", .int16, optional: true),
          .attribute("anInt32", .int32, optional: true),
          .attribute("anInt64", .int64, optional: true),
          .attribute("aBool", .bool, optional: true),
          .attribute("aDouble", .double, optional: true),
          .attribute("aFloat", .float, optional: true),
          .attribute("aDate", .date, optional: true),
          .attribute("aDecimal", .decimal, optional: true),
          .attribute("aString", .string, optional: true),
          .attribute("aURL", .url, optional: true),
          .attribute("aUUID", .uuid, optional: true),
          .attribute("aBlob", .binaryData, optional: true),
          .attribute("aJSON", .transformable, optional: true),
          .attribute(
            AttributeDescription(
              "aFile",
              .binaryData,
              isOptional: true,
              allowsExternalBinaryDataStorage: true
            )
          ),
          .attribute("note", .string, default: "kept in memory", transient: true),
        ]
      )
    ).layout
  }

  /// Inheritance, polymorphic references, collisions and a composite attribute.
  static func family() throws -> ModelLayout {
    try ManagedObjectModel(
      EntityDescription(
        "Animal",
        isAbstract: true,
        properties: [
          .attribute("name", .string, optional: true),
          .toOne("owner", "Person", inverse: "animals"),
        ]
      ),
      EntityDescription(
        "Dog",
        parent: "Animal",
        uniqueness: [["name"]],
        properties: [.attribute("text", .string, optional: true)]
      ),
      EntityDescription(
        "Cat",
        parent: "Animal",
        properties: [
          .attribute("text", .string, optional: true), .attribute("lives", .int16, optional: true),
        ]
      ),
      EntityDescription(
        "Person",
        indexes: [["address.city"]],
        properties: [
          .attribute(
            AttributeDescription(
              "address",
              .composite,
              isOptional: true,
              elements: [
                AttributeDescription("city", .string), AttributeDescription("number", .int32),
              ]
            )
          ),
          .toMany("animals", "Animal", inverse: "owner"),
          .toOne("favourite", "Animal"),
        ]
      )
    ).layout
  }

  /// Ordered relationships, many-to-many ones, one to itself, and one without inverse.
  static func links() throws -> ModelLayout {
    try ManagedObjectModel(
      EntityDescription(
        "Album",
        properties: [
          .toMany("tracks", "Track", inverse: "album", ordered: true),
          .toMany("tags", "Tag", inverse: "albums"),
          .toMany("covers", "Track", inverse: "coverOf", ordered: true),
        ]
      ),
      EntityDescription("Tag", properties: [.toMany("albums", "Album", inverse: "tags")]),
      EntityDescription(
        "Track",
        properties: [
          .toOne("album", "Album", inverse: "tracks"),
          .toMany("coverOf", "Album", inverse: "covers"),
          .toMany("similar", "Track", inverse: "similar"),
          .toOne("next", "Track", inverse: "previous"),
          .toOne("previous", "Track", inverse: "next"),
        ]
      ),
      EntityDescription("Zoo", properties: [.toMany("visits", "Tag")])
    ).layout
  }
}

/// The models of the fixtures, as their `.xcdatamodel` files have them.
enum FixtureModels {
  static func books() throws -> ModelLayout {
    try ManagedObjectModel(
      EntityDescription(
        "Author",
        properties: [
          .attribute("firstName", .string, optional: true),
          .attribute("lastName", .string, optional: true),
          .toMany("books", "Book", inverse: "authors"),
        ]
      ),
      EntityDescription(
        "Book",
        properties: [
          .attribute("title", .string, optional: true),
          .toMany("authors", "Author", inverse: "books"),
        ]
      )
    ).layout
  }

  /// `title` adds an attribute that the fixture does not have.
  static func cars(adding extra: String? = nil) throws -> ModelLayout {
    var car = EntityDescription(
      "Car",
      uniqueness: [["numberPlate"]],
      properties: [
        .attribute("maker", .string, optional: true),
        .attribute("markedForDeletionAsOf", .date, optional: true),
        .attribute("model", .string, optional: true), .attribute("numberPlate", .string),
        .toOne("owner", "Person", inverse: "cars"),
      ]
    )
    car.indexes = [
      FetchIndexDescription(
        "byMakerAndNumberPlate",
        elements: [.init("maker"), .init("numberPlate")]
      )
    ]
    var luxury = EntityDescription(
      "LuxuryCar",
      parent: "SportCar",
      properties: [.attribute("isLimitedEdition", .bool, optional: true)]
    )
    // The store's Z_PRIMARYKEY still has the old name.
    luxury.renamingIdentifier = "ExpensiveSportCar"
    if let extra { car.properties.append(.attribute(extra, .string, optional: true)) }
    return try ManagedObjectModel(
      car,
      luxury,
      EntityDescription("SportCar", parent: "Car", properties: []),
      EntityDescription(
        "Person",
        uniqueness: [["firstName", "lastName"]],
        properties: [
          .attribute("firstName", .string, optional: true),
          .attribute("lastName", .string, optional: true),
          .attribute("updatedAt", .date),
          .toMany("cars", "Car", inverse: "owner"),
        ]
      )
    ).layout
  }

  static func bookmarks() throws -> ModelLayout {
    func attribute(
      _ name: String,
      _ type: AttributeType,
      optional isOptional: Bool = true,
      modifier: String? = nil
    ) -> PropertyDescription {
      .attribute(
        AttributeDescription(
          name,
          type,
          isOptional: isOptional,
          versionHashModifier: modifier
        )
      )
    }
    var entity = EntityDescription(
      "BookmarkEntity",
      properties: [
        attribute("isFolder", .bool, optional: false),
        attribute("isPendingDeletion", .bool, modifier: "3"),
        attribute("modifiedAt", .date), attribute("title", .string),
        attribute("url", .string, modifier: "3"),
        attribute("uuid", .string, optional: false, modifier: "3"),
        .toMany(
          "children",
          "BookmarkEntity",
          inverse: "parent",
          deleteRule: .cascade,
          ordered: true
        ),
        .toMany("favoriteFolders", "BookmarkEntity", inverse: "favorites"),
        .toMany("favorites", "BookmarkEntity", inverse: "favoriteFolders", ordered: true),
        .toOne("parent", "BookmarkEntity", inverse: "children"),
      ]
    )
    entity.indexes = [
      FetchIndexDescription("byUUID", elements: [.init("uuid"), .init("isPendingDeletion")]),
      FetchIndexDescription("byURL", elements: [.init("url"), .init("isPendingDeletion")]),
      FetchIndexDescription("byIsPendingDeletion", elements: [.init("isPendingDeletion")]),
    ]
    return try ManagedObjectModel(entity).layout
  }
}
