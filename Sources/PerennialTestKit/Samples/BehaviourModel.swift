// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Perennial

/// The model that the behaviours use: people, their teams, tags and tasks, values of every type, and large
/// values.
public enum BehaviourModel {
  /// The model.
  ///
  /// - Parameter configurations: The names of the entities of every configuration, by its name.
  /// - Returns: The model.
  /// - Throws: `invalidModel` (134020) for a configuration with an entity that the model does not have.
  public static func make(
    configurations: [String: [String]] = [:]
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: people + things + [values, attachment],
      configurations: configurations
    )
  }

  private static let attachment = EntityDescription(
    "Attachment",
    properties: [
      .attribute("size", .int64, optional: true),
      .attribute(
        AttributeDescription(
          "file",
          .binaryData,
          isOptional: true,
          allowsExternalBinaryDataStorage: true
        )
      ),
    ]
  )

  private static let people: [EntityDescription] = [
    EntityDescription(
      "Person",
      uniqueness: [["email"]],
      indexes: [["age"]],
      properties: [
        .attribute("name", .string, optional: true),
        .attribute("age", .int64, optional: true),
        .attribute("score", .double, optional: true),
        .attribute("isActive", .bool, default: true),
        .attribute("born", .date, optional: true),
        .attribute("note", .string, optional: true),
        .attribute("email", .string, optional: true),
        .attribute("mood", .string, optional: true, transient: true),
        .attribute("capitals", .string, optional: true, derived: "uppercase:(name)"),
        .attribute("teamName", .string, optional: true, derived: "team.name"),
        .attribute(
          AttributeDescription(
            "address",
            .composite,
            isOptional: true,
            elements: [
              AttributeDescription("city", .string, isOptional: true),
              AttributeDescription("zip", .int32, isOptional: true),
            ]
          )
        ),
        .toOne("team", "Team", inverse: "members"),
        .toOne("boss", "Person", inverse: "reports"),
        .toMany("reports", "Person", inverse: "boss"),
        .toMany("tags", "Tag", inverse: "people"),
        .toMany("tasks", "Task", inverse: "assignee", deleteRule: .cascade, ordered: true),
        .toMany("friends", "Person", inverse: "friends"),
      ]
    ),
    EntityDescription(
      "Employee",
      parent: "Person",
      properties: [.attribute("salary", .decimal, optional: true)]
    ),
    EntityDescription(
      "Manager",
      parent: "Employee",
      properties: [.attribute("level", .int16, optional: true)]
    ),
    EntityDescription(
      "Team",
      uniqueness: [["name"]],
      properties: [
        .attribute("name", .string, optional: true),
        .attribute("budget", .int64, optional: true),
        .attribute("memberCount", .int64, optional: true, derived: "members.@count"),
        .attribute("totalAge", .int64, optional: true, derived: "members.age.@sum"),
        .toMany("members", "Person", inverse: "team"),
      ]
    ),
  ]

  private static let things: [EntityDescription] = [
    EntityDescription(
      "Tag",
      properties: [
        .attribute("name", .string, optional: true),
        .toMany("people", "Person", inverse: "tags"),
        .toMany("lists", "Checklist", inverse: "tags"),
      ]
    ),
    EntityDescription(
      "Checklist",
      properties: [
        .attribute("name", .string, optional: true),
        .toMany("tags", "Tag", inverse: "lists", ordered: true),
      ]
    ),
    EntityDescription(
      "Task",
      properties: [
        .attribute("name", .string, optional: true),
        .toOne("assignee", "Person", inverse: "tasks"),
      ]
    ),
    EntityDescription(
      "Office",
      properties: [
        .attribute("name", .string, optional: true),
        .toMany("rooms", "Room", inverse: "office", deleteRule: .deny),
      ]
    ),
    EntityDescription(
      "Room",
      uniqueness: [["floor", "number"]],
      properties: [
        .attribute("name", .string, optional: true),
        .attribute("floor", .int16, optional: true),
        .attribute("number", .int16, optional: true),
        .toOne("office", "Office", inverse: "rooms", optional: true),
      ]
    ),
  ]

  private static let values = EntityDescription(
    "Value",
    properties: AttributeType.storable.map { .attribute("\($0)", $0, optional: true) }
  )
}

extension AttributeType {
  /// The types of values that are stored in one place.
  static let storable: [AttributeType] = [
    .int16, .int32, .int64, .decimal, .double, .float, .string, .bool, .date, .binaryData, .uuid,
    .url, .transformable,
  ]
}
