// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// The history of stores that are migrated.
@Suite("SEMANTICS 1J: history after a migration")
struct MigrationHistoryTests {
  private let folder = MigrationFolder()

  private static let city = AttributeDescription("city", .string, isOptional: true)

  private func model(
    _ attributes: [PropertyDescription],
    _ more: [PropertyDescription] = []
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription("Book", properties: attributes),
      EntityDescription(
        "Tag",
        properties: [.attribute("word", .string, optional: true)] + more
      )
    )
  }

  private func optional(_ name: String, from old: String? = nil, _ type: AttributeType = .string)
    -> PropertyDescription
  {
    .attribute(AttributeDescription(name, type, isOptional: true, renamingIdentifier: old))
  }

  private func store(_ kind: MigrationStoreKind) -> StoreDescription {
    var store = folder.store(kind)
    store.historyTracking = true
    store.historyKeepsOldValues = true
    return store
  }

  private func open(
    _ store: StoreDescription,
    _ model: ManagedObjectModel
  ) throws -> ManagedObjectContext {
    try PersistentContainer(name: "Books", model: model, store: store).newBackgroundContext()
  }

  private func transactions(
    _ context: ManagedObjectContext
  ) throws -> [PersistentHistoryTransaction] {
    let request = PersistentHistoryChangeRequest.fetchHistory(
      after: nil as PersistentHistoryToken?
    )
    return try context.execute(request).transactions
  }

  private func changes(_ context: ManagedObjectContext) throws -> [String] {
    try transactions(context).flatMap(\.changes).filter { $0.changeType == .update }.map { change in
      let values = change.oldValues.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return "\(change.updatedProperties.sorted()) \(values)"
    }
  }

  private func book(_ context: ManagedObjectContext) throws -> ManagedObject {
    try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
  }

  private func tag(_ context: ManagedObjectContext, _ word: String) throws -> ManagedObject {
    var request = FetchRequest<ManagedObject>(entityName: "Tag")
    request.predicate = FetchPredicate(format: "word == %@", word)
    return try #require(try context.fetch(request).first)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `changes and old values have the new names`(_ kind: MigrationStoreKind) throws {
    let place = AttributeDescription(
      "place",
      .composite,
      isOptional: true,
      elements: [Self.city]
    )
    let old = try model([optional("title"), optional("pages", .int32), .attribute(place)])
    let store = store(kind)
    let before = try {
      let context = try open(store, old)
      let book = try context.insert(entityNamed: "Book")
      try book.setValue("one", forKey: "title")
      try book.setValue(7, forKey: "pages")
      try book.setValue("Rome", forKey: "place.city")
      try context.save()
      for (name, value) in [("title", "two"), ("place.city", "Paris"), ("pages", 8)]
        as [(String, any Sendable)]
      {
        try book.setValue(value, forKey: name)
        try context.save()
      }
      return try changes(context)
    }()
    #expect(
      before.map { $0.prefix { $0 != "]" } } == ["[\"title\"", "[\"place.city\"", "[\"pages\""]
    )
    var moved = place
    (moved.name, moved.renamingIdentifier) = ("address", "place")
    moved.elements[0].name = "town"
    moved.elements[0].renamingIdentifier = "city"
    let new = try model([
      optional("name", from: "title"), optional("pages", .double), .attribute(moved),
    ])
    let after = try changes(open(store, new))
    let expected = [
      before[0].replacing("title", with: "name"),
      before[1].replacing("place.city", with: "address.town"),
      before[2].replacing("integer(7)", with: "double(7.0)"),
    ]
    #expect(after == expected)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `attributes that change names do so in history`(_ kind: MigrationStoreKind) throws {
    let old = try model([optional("a"), optional("b")])
    let store = store(kind)
    try {
      let context = try open(store, old)
      let book = try context.insert(entityNamed: "Book")
      try context.save()
      try book.setValue("one", forKey: "a")
      try context.save()
    }()
    let new = try model([optional("a", from: "b"), optional("b", from: "a"), optional("c")])
    #expect(try changes(open(store, new)) == ["[\"b\"] [\"b=null\"]"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a tombstone keeps what the new model preserves`(_ kind: MigrationStoreKind) throws {
    func preserved(_ name: String, _ isPreserved: Bool, from old: String? = nil)
      -> PropertyDescription
    {
      .attribute(
        AttributeDescription(
          name,
          .string,
          isOptional: true,
          preservesValueInHistoryOnDeletion: isPreserved,
          renamingIdentifier: old
        )
      )
    }
    let store = store(kind)
    try {
      let context = try open(store, model([preserved("a", true), preserved("b", true)]))
      let book = try context.insert(entityNamed: "Book")
      try book.setValue("one", forKey: "a")
      try book.setValue("two", forKey: "b")
      try context.save()
      context.delete(book)
      try context.save()
    }()
    let new = try model([preserved("a", false), preserved("c", true, from: "b")])
    let tombstones = try transactions(open(store, new)).flatMap(\.changes)
      .filter { $0.changeType == .delete }.map(\.tombstone)
    #expect(tombstones == [["c": .string("two")]])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `what was changed before a migration can be reverted after it`(
    _ kind: MigrationStoreKind
  ) throws {
    let old = try model(
      [
        optional("title"), optional("gone"), .toMany("tags", "Tag", inverse: "books"),
        .toOne("main", "Tag"),
      ],
      [.toMany("books", "Book", inverse: "tags")]
    )
    var store = store(kind)
    try {
      let context = try open(store, old)
      for word in ["x", "y"] {
        try context.insert(entityNamed: "Tag").setValue(word, forKey: "word")
      }
      let book = try context.insert(entityNamed: "Book")
      try book.setValue("one", forKey: "title")
      try book.setValue("g", forKey: "gone")
      try book.setObject(tag(context, "x"), forKey: "main")
      try book.objects(forKey: "tags").insert(tag(context, "x"))
      try context.save()
      try book.setValue("two", forKey: "title")
      try book.setValue(nil, forKey: "gone")
      try book.setObject(tag(context, "y"), forKey: "main")
      try book.objects(forKey: "tags").insert(tag(context, "y"))
      try book.objects(forKey: "tags").remove(tag(context, "x"))
      try context.save()
      context.delete(book)
      try context.save()
    }()
    // All names change; an attribute is added, one is removed.
    var volume = EntityDescription(
      "Volume",
      properties: [
        optional("name", from: "title"), .attribute("rating", .int64, default: 3),
        renamed(.toMany("labels", "Label", inverse: "volumes"), from: "tags"),
        renamed(.toOne("first", "Label"), from: "main"),
      ]
    )
    volume.renamingIdentifier = "Book"
    var label = EntityDescription(
      "Label",
      properties: [
        .attribute("word", .string, optional: true),
        renamed(.toMany("volumes", "Volume", inverse: "labels"), from: "books"),
      ]
    )
    label.renamingIdentifier = "Tag"
    store.migration.allowsLoss = true
    let context = try open(store, ManagedObjectModel(volume, label))
    func texts() throws -> [String] {
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Volume")).map { volume in
        let labels = try volume.objects(forKey: "labels").map {
          try $0.value(forKey: "word") as? String ?? "-"
        }
        let values = try ["name", "rating"].map { "\(try volume.value(forKey: $0) ?? "-")" }
        let first = try volume.object(forKey: "first")?.value(forKey: "word") ?? "-"
        return "\(values.joined(separator: " ")) \(first) \(labels.sorted())"
      }
    }
    let history = try transactions(context)
    try context.revert(#require(history.last))
    try context.save()
    #expect(try texts() == ["two 3 y [\"y\"]"])
  }

  private func renamed(_ property: PropertyDescription, from name: String) -> PropertyDescription {
    guard case .relationship(var relationship) = property else { return property }
    relationship.renamingIdentifier = name
    return .relationship(relationship)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `an update of a renamed property is reverted after a migration`(
    _ kind: MigrationStoreKind
  ) throws {
    let old = try model(
      [optional("title"), .toMany("tags", "Tag", inverse: "books")],
      [.toMany("books", "Book", inverse: "tags")]
    )
    let store = store(kind)
    try {
      let context = try open(store, old)
      let book = try context.insert(entityNamed: "Book")
      try context.insert(entityNamed: "Tag").setValue("x", forKey: "word")
      try book.setValue("one", forKey: "title")
      try context.save()
      try book.setValue("two", forKey: "title")
      try book.objects(forKey: "tags").insert(tag(context, "x"))
      try context.save()
    }()
    // The ends of the relationship change their order in the model.
    let new = try model(
      [optional("name", from: "title"), .toMany("tags", "Tag", inverse: "books")],
      [.toMany("books", "Book", inverse: "tags")]
    )
    let context = try open(store, new)
    try context.revert(#require(try transactions(context).last))
    try context.save()
    let book = try book(context)
    #expect(try book.value(forKey: "name") as? String == "one")
    #expect(try book.objects(forKey: "tags").isEmpty)
  }
}
