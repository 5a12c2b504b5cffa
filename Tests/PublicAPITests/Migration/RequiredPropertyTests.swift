// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Required properties that are new: the code of a stage sets them, or is told.
@Suite("SEMANTICS 1J: new properties that a stage must set")
struct RequiredPropertyTests {
  private let folder = MigrationFolder()

  private static let name = PropertyDescription.attribute("name", .string, optional: true)

  @Test(arguments: MigrationStoreKind.allCases)
  func `a required element of a new attribute is set by code, or told`(
    _ kind: MigrationStoreKind
  ) throws {
    let city = AttributeDescription("city", .string)
    let home = AttributeDescription("home", .composite, elements: [city])
    let old = try ManagedObjectModel(EntityDescription("Author", properties: [Self.name]))
    let new = try ManagedObjectModel(
      EntityDescription("Author", properties: [Self.name, .attribute(home)])
    )
    var store = folder.store(kind)
    try folder.write(store, old, "Author")
    store.migration.stages = [.custom(from: old, to: new) { _ in }]
    let error = #expect(throws: PerennialError.self) { try folder.open(store, new) }
    #expect(error?.code == .migration)
    #expect(error?.entity == "Author" && error?.property == "home.city")
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        try migration.forEach("Author") { _, new in
          try new.setValue("Bonn", forKey: "home.city")
        }
      }
    ]
    let context = try folder.open(store, new)
    let cities = try context.fetch(FetchRequest<ManagedObject>(entityName: "Author"))
      .map { try $0.value(forKey: "home.city") as? String ?? "-" }
    #expect(cities == ["Bonn"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a new relationship gets its objects by code, or too few are told`(
    _ kind: MigrationStoreKind
  ) throws {
    let books = RelationshipDescription(
      "books",
      to: "Book",
      inverse: "author",
      isToMany: true,
      isOptional: false,
      minimumCount: 1
    )
    let author = PropertyDescription.toOne("author", "Author", inverse: "books")
    let old = try ManagedObjectModel(
      EntityDescription("Author", properties: [Self.name]),
      EntityDescription("Book", properties: [Self.name])
    )
    let new = try ManagedObjectModel(
      EntityDescription("Author", properties: [Self.name, .relationship(books)]),
      EntityDescription("Book", properties: [Self.name, author])
    )
    var store = folder.store(kind)
    try folder.write(store, old, "Author", "Book")
    store.migration.stages = [.custom(from: old, to: new) { _ in }]
    let error = #expect(throws: PerennialError.self) { try folder.open(store, new) }
    #expect(error?.code == .migration)
    #expect(error?.entity == "Author" && error?.property == "books")
    #expect(error?.message.contains("too few objects") == true)
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        let authors = FetchRequest<ManagedObject>(entityName: "Author")
        let author = try migration.destinationContext.fetch(authors).first
        try migration.forEach("Book") { _, new in try new.setObject(author, forKey: "author") }
      }
    ]
    let context = try folder.open(store, new)
    let counts = try context.fetch(FetchRequest<ManagedObject>(entityName: "Author"))
      .map { try $0.objects(forKey: "books").count }
    #expect(counts == [1])
  }
}
