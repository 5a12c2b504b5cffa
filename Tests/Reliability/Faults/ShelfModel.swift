// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// The model of boxes, items and tags: unique names, values that lie in files, deletions that go on, and
/// relationships of all kinds.
enum ShelfModel {
  /// The model in a version.
  ///
  /// The second one renames an attribute and adds two. The third one renames an entity and both sides of a link, has a
  /// derived attribute, another index, an entity more with a link, and lacks an attribute and the tags' constraint.
  static func model(_ version: Int) throws -> ManagedObjectModel {
    if version == 3 { return try third() }
    var box: [PropertyDescription] = [
      .attribute("name", .string),
      .attribute(
        AttributeDescription(
          "picture",
          .binaryData,
          isOptional: true,
          allowsExternalBinaryDataStorage: true
        )
      ),
      .toMany("items", "Item", inverse: "box", deleteRule: .cascade),
    ]
    var item: [PropertyDescription] = [
      .attribute("label", .string), .attribute("count", .int64),
      .toOne("box", "Box", inverse: "items"), .toMany("tags", "Tag", inverse: "items"),
    ]
    if version == 1 {
      box.append(.attribute("note", .string, optional: true))
    } else {
      var remark = AttributeDescription("remark", .string, isOptional: true)
      remark.renamingIdentifier = "note"
      box += [.attribute(remark), .attribute("colour", .string, optional: true)]
      item.append(.attribute("rating", .int64, default: 3))
    }
    return try ManagedObjectModel(
      EntityDescription("Box", uniqueness: [["name"]], properties: box),
      EntityDescription("Item", indexes: [["label"]], properties: item),
      EntityDescription(
        "Tag",
        uniqueness: [["word"]],
        properties: [.attribute("word", .string), .toMany("items", "Item", inverse: "tags")]
      )
    )
  }

  private static func third() throws -> ManagedObjectModel {
    func renamed(_ name: String, from old: String, _ entity: String, inverse: String)
      -> PropertyDescription
    {
      var link = RelationshipDescription(name, to: entity, inverse: inverse, isToMany: true)
      link.renamingIdentifier = old
      return .relationship(link)
    }
    var label = EntityDescription(
      "Label",
      properties: [
        .attribute("word", .string), renamed("things", from: "items", "Item", inverse: "labels"),
        .toMany("shelves", "Shelf", inverse: "labels"),
      ]
    )
    label.renamingIdentifier = "Tag"
    let picture = AttributeDescription(
      "picture",
      .binaryData,
      isOptional: true,
      allowsExternalBinaryDataStorage: true
    )
    return try ManagedObjectModel(
      EntityDescription(
        "Box",
        uniqueness: [["name"]],
        properties: [
          .attribute("name", .string), .attribute(picture),
          .toMany("items", "Item", inverse: "box", deleteRule: .cascade),
          .attribute("itemCount", .int64, optional: true, derived: "items.@count"),
        ]
      ),
      EntityDescription(
        "Item",
        indexes: [["count"]],
        properties: [
          .attribute("label", .string), .attribute("count", .int64),
          .toOne("box", "Box", inverse: "items"),
          renamed("labels", from: "tags", "Label", inverse: "things"),
        ]
      ),
      label,
      EntityDescription("Shelf", properties: [.toMany("labels", "Label", inverse: "shelves")])
    )
  }

  // MARK: Writing

  /// Fills an empty store.
  static func fill(_ context: ManagedObjectContext, with contents: Contents) throws {
    var tags: [String: ManagedObject] = [:]
    for word in contents.tags.keys.sorted() {
      let tag = try context.insert(entityNamed: "Tag")
      try tag.setValue(word, forKey: "word")
      tags[word] = tag
    }
    for (name, values) in contents.boxes.sorted(by: { $0.key < $1.key }) {
      let box = try add(name, values, to: context)
      for label in values.items.sorted() {
        guard let values = contents.items[label] else { continue }
        let words = values.tags.sorted().compactMap { tags[$0] }
        try add(label, values.count, to: box, words, context)
      }
    }
    try context.save()
  }

  /// Makes of the start what `Contents.changed` is, and does not save it.
  ///
  /// - Parameters:
  ///   - context: A context of a store with the start.
  ///   - scale: How much smaller than usual the large pictures are.
  /// - Throws: The store's error.
  static func change(_ context: ManagedObjectContext, scale: Int = 1) throws {
    let red = try context.only("Tag", "word", "red")
    let new = try add(
      "n",
      Contents.Box(note: "new", picture: .init(150_000 / scale, of: 9)),
      to: context
    )
    try add("n1", 7, to: new, [red], context)
    let first = try context.only("Box", "name", "a")
    try first.setValue("changed", forKey: "note")
    try first.setValue(Contents.Picture(160_000 / scale, of: 5).data, forKey: "picture")
    let second = try context.only("Item", "label", "a2")
    try second.setValue(20, forKey: "count")
    try second.setObject(context.only("Box", "name", "c"), forKey: "box")
    context.delete(try context.only("Box", "name", "b"))
  }

  /// Makes of the start what `Contents.swapped` is, and does not save it.
  static func swap(_ context: ManagedObjectContext) throws {
    let (first, second) = (
      try context.only("Box", "name", "a"), try context.only("Box", "name", "c")
    )
    try first.setValue("c", forKey: "name")
    try second.setValue("a", forKey: "name")
  }

  private static func add(
    _ name: String,
    _ values: Contents.Box,
    to context: ManagedObjectContext
  ) throws -> ManagedObject {
    let box = try context.insert(entityNamed: "Box")
    try box.setValue(name, forKey: "name")
    try box.setValue(values.note, forKey: "note")
    try box.setValue(values.picture?.data, forKey: "picture")
    return box
  }

  private static func add(
    _ label: String,
    _ count: Int,
    to box: ManagedObject,
    _ tags: [ManagedObject],
    _ context: ManagedObjectContext
  ) throws {
    let item = try context.insert(entityNamed: "Item")
    try item.setValue(label, forKey: "label")
    try item.setValue(count, forKey: "count")
    try item.setObject(box, forKey: "box")
    try item.objects(forKey: "tags").formUnion(tags)
  }

  // MARK: Reading

  /// What a context sees, with its changes.
  static func contents(_ context: ManagedObjectContext, _ version: Int = 1) throws -> Contents {
    var contents = Contents()
    contents.version = version
    let note = [1: "note", 2: "remark"][version]
    let (tag, things, tags) =
      version == 3 ? ("Label", "things", "labels") : ("Tag", "items", "tags")
    for box in try context.all("Box") {
      contents.boxes[try box.text("name")] = Contents.Box(
        note: try note.flatMap { try box.value(forKey: $0) as? String },
        picture: Contents.Picture(try box.value(forKey: "picture") as? Data),
        items: try box.texts("label", of: "items")
      )
    }
    for item in try context.all("Item") {
      contents.items[try item.text("label")] = Contents.Item(
        count: Int(try item.value(forKey: "count") as? Int64 ?? -1),
        box: try item.object(forKey: "box")?.text("name"),
        tags: try item.texts("word", of: tags),
        rating: version != 2 ? nil : (try item.value(forKey: "rating") as? Int64).map { Int($0) }
      )
    }
    for tag in try context.all(tag) {
      contents.tags[try tag.text("word")] = try tag.texts("label", of: things)
    }
    if version == 3 { try checkCounts(context) }
    // Where a relationship was read, nothing could be thrown.
    if let error = context.lastFaultError { throw error }
    return contents
  }

  private static func checkCounts(_ context: ManagedObjectContext) throws {
    for box in try context.all("Box") {
      let count = try box.objects(forKey: "items").count
      guard try box.value(forKey: "itemCount") as? Int64 == Int64(count) else {
        throw WrongAnswer("the derived count of '\(try box.text("name"))' is wrong")
      }
    }
  }
}

extension ManagedObjectContext {
  /// All objects of an entity; two of one name would be one in `Contents`, so they are counted there.
  func all(_ entity: String) throws -> [ManagedObject] {
    try fetch(FetchRequest<ManagedObject>(entityName: entity))
  }

  /// The only object with a value.
  func only(_ entity: String, _ key: String, _ value: String) throws -> ManagedObject {
    let request = FetchRequest<ManagedObject>(entityName: entity)
    let found = try fetch(request.filter(FetchPredicate(format: "%K == %@", key, value)))
    guard let object = found.first, found.count == 1 else {
      throw WrongAnswer(
        "there are \(found.count) objects of '\(entity)' with the \(key) '\(value)'"
      )
    }
    return object
  }
}

extension ManagedObject {
  func text(_ key: String) throws -> String {
    if let text = try value(forKey: key) as? String { return text }
    // An object that cannot be loaded reads as empty.
    throw managedObjectContext?.lastFaultError ?? WrongAnswer("'\(key)' is no text")
  }

  func texts(_ key: String, of relationship: String) throws -> Set<String> {
    Set(try objects(forKey: relationship).map { try $0.text(key) })
  }
}

/// A store that has answered, but not what it holds.
struct WrongAnswer: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
