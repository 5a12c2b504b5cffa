// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Two stores that hold models of their own, the second with other entities and attributes.
enum PlaceStore {
  /// A place with a point, whose label is composite itself, and an entity below it.
  static func model(of visitor: String, having attribute: AttributeDescription) throws
    -> ManagedObjectModel
  {
    let label = AttributeDescription(
      "label",
      .composite,
      isOptional: true,
      elements: [AttributeDescription("text", .string, isOptional: true)]
    )
    let x = AttributeDescription("x", .double, isOptional: true)
    let place = EntityDescription(
      "Place",
      properties: [
        .attribute(AttributeDescription("name", .string, isOptional: true)),
        .attribute(
          AttributeDescription("point", .composite, isOptional: true, elements: [x, label])
        ),
        .attribute(attribute),
        .relationship(RelationshipDescription("parent", to: "Place", inverse: "children")),
        .relationship(
          RelationshipDescription(
            "children",
            to: "Place",
            inverse: "parent",
            isToMany: true,
            isOrdered: true
          )
        ),
      ]
    )
    let size = AttributeDescription("size", .int32, isOptional: true)
    return try ManagedObjectModel(
      place,
      EntityDescription("Park", parent: "Place", properties: [.attribute(size)]),
      EntityDescription(
        visitor,
        properties: [.attribute(AttributeDescription("name", .string, isOptional: true))]
      )
    )
  }

  /// A town with a point and a house in it, and a visitor; the date is beyond the years that have four digits.
  static func makeTown(_ store: StoreDescription) throws {
    let date = AttributeDescription("founded", .date, isOptional: true)
    let context = try context(model(of: "Visitor", having: date), store)
    let town = try context.insert(entityNamed: "Place")
    try town.setValue("Town", forKey: "name")
    try town.setValue(1.5, forKey: "point.x")
    try town.setValue("here", forKey: "point.label.text")
    try town.setValue(Date(timeIntervalSinceReferenceDate: 1e12), forKey: "founded")
    try context.save()
    let house = try context.insert(entityNamed: "Place")
    try house.setObject(town, forKey: "parent")
    // Less than a millionth of a second before 1970.
    try house.setValue(Date(timeIntervalSince1970: -1e-7), forKey: "founded")
    _ = try context.insert(entityNamed: "Visitor")
    try context.save()
  }

  /// A park without a point and a house beside it, and a guest.
  static func makePark(_ store: StoreDescription) throws {
    let note = AttributeDescription("note", .string, isOptional: true)
    let context = try context(model(of: "Guest", having: note), store)
    let park = try context.insert(entityNamed: "Park")
    try park.setValue("Town", forKey: "name")
    try park.setValue(7, forKey: "size")
    try context.save()
    let house = try context.insert(entityNamed: "Place")
    try house.setValue("a note", forKey: "note")
    _ = try context.insert(entityNamed: "Guest")
    try context.save()
  }

  private static func context(
    _ model: ManagedObjectModel,
    _ store: StoreDescription
  ) throws -> ManagedObjectContext {
    try PersistentContainer(name: "Places", model: model, store: store).newBackgroundContext()
  }
}
