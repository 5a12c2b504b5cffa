// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The models of the tests.
enum TestModels {
  /// One attribute of each type, transient, composite and plain.
  static func types() throws -> ModelLayout {
    try ManagedObjectModel(
      EntityDescription(
        "Thing",
        properties: [
          attribute("anInt16", .int16), attribute("anInt32", .int32), attribute("anInt64", .int64),
          attribute("aBool", .bool), attribute("aDouble", .double), attribute("aFloat", .float),
          attribute("aDate", .date), attribute("aDecimal", .decimal),
          attribute("aString", .string), attribute("aURL", .url), attribute("aUUID", .uuid),
          attribute("aBlob", .binaryData), attribute("aJSON", .transformable),
          .attribute(
            AttributeDescription(
              "aFile",
              .binaryData,
              isOptional: true,
              allowsExternalBinaryDataStorage: true
            )
          ),
          .attribute(
            AttributeDescription(
              "note",
              .string,
              defaultValue: .string("kept in memory"),
              isTransient: true
            )
          ),
          .attribute(
            AttributeDescription(
              "place",
              .composite,
              isOptional: true,
              elements: [
                AttributeDescription("city", .string, isOptional: true),
                AttributeDescription("zip", .int32, isOptional: true),
              ]
            )
          ),
        ]
      )
    ).layout
  }

  /// Relationships of all kinds, and a subentity.
  static func people() throws -> ModelLayout {
    try ManagedObjectModel(
      EntityDescription(
        "Person",
        uniqueness: [["name"]],
        properties: [
          attribute("name", .string), attribute("age", .int16),
          .relationship(RelationshipDescription("boss", to: "Person", inverse: "reports")),
          .relationship(
            RelationshipDescription(
              "reports",
              to: "Person",
              inverse: "boss",
              isToMany: true,
              isOrdered: true
            )
          ),
          .relationship(
            RelationshipDescription("friends", to: "Person", inverse: "friends", isToMany: true)
          ),
          .relationship(
            RelationshipDescription("clubs", to: "Club", inverse: "members", isToMany: true)
          ),
        ]
      ),
      EntityDescription("Employee", parent: "Person", properties: [attribute("salary", .decimal)]),
      EntityDescription(
        "Club",
        properties: [
          attribute("title", .string),
          .relationship(RelationshipDescription("chair", to: "Employee")),
          .relationship(
            RelationshipDescription(
              "members",
              to: "Person",
              inverse: "clubs",
              isToMany: true,
              isOrdered: true
            )
          ),
        ]
      )
    ).layout
  }

  private static func attribute(_ name: String, _ type: AttributeType) -> PropertyDescription {
    .attribute(AttributeDescription(name, type, isOptional: true))
  }
}
