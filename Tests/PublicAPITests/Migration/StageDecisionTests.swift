// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What only the program's code can decide, and what is refused until somebody does.
@Suite("SEMANTICS 1J: what is left to the program's code")
struct StageDecisionTests {
  private let folder = MigrationFolder()

  private func entity(
    _ name: String,
    _ parent: String? = nil,
    _ properties: PropertyDescription...
  ) -> EntityDescription {
    EntityDescription(
      name,
      parent: parent,
      properties: (parent == nil ? [.attribute("name", .string, optional: true)] : []) + properties
    )
  }

  /// Authors with many books, or with the best one.
  private func authors(_ books: PropertyDescription, isRequired: Bool = false) throws
    -> ManagedObjectModel
  {
    let name = books.name
    return try ManagedObjectModel(
      entity("Author", nil, books),
      entity("Book", nil, .toOne("author", "Author", inverse: name, optional: !isRequired))
    )
  }

  private func open(
    _ store: StoreDescription,
    _ model: ManagedObjectModel
  ) throws -> ManagedObjectContext {
    try PersistentContainer(name: "Store", model: model, store: store).newBackgroundContext()
  }

  /// Writes an author of three books.
  private func write(_ store: StoreDescription, _ model: ManagedObjectModel) throws {
    let context = try open(store, model)
    let author = try context.insert(entityNamed: "Author")
    try author.setValue("X", forKey: "name")
    for name in ["A", "B", "C"] {
      let book = try context.insert(entityNamed: "Book")
      try book.setValue(name, forKey: "name")
      try book.setObject(author, forKey: "author")
    }
    try context.save()
  }

  /// What each object of an entity leads to, by name.
  private func links(
    _ context: ManagedObjectContext,
    _ entity: String,
    _ key: String
  ) throws -> [String] {
    var request = FetchRequest<ManagedObject>(entityName: entity)
    request.sortDescriptors = [FetchSort("name")]
    return try context.fetch(request).map { object in
      let other = try object.object(forKey: key)
      return
        "\(try object.value(forKey: "name") ?? "-") \(try other?.value(forKey: "name") ?? "-")"
    }
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `one object of many is chosen: the others lead nowhere`(_ kind: MigrationStoreKind) throws {
    let old = try authors(.toMany("books", "Book", inverse: "author"))
    let new = try authors(.toOne("best", "Book", inverse: "author"))
    var store = folder.store(kind)
    try write(store, old)
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        try migration.forEach("Author") { old, new in
          let books = try old.objects(forKey: "books").sorted {
            let (left, right) = (try $0.value(forKey: "name"), try $1.value(forKey: "name"))
            return left as? String ?? "" < right as? String ?? ""
          }
          try new.setObject(try migration.destination(of: books[1]), forKey: "best")
        }
      }
    ]
    let context = try open(store, new)
    #expect(try links(context, "Author", "best") == ["X B"])
    #expect(try links(context, "Book", "author") == ["A -", "B X", "C -"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `the one object may be chosen from the other end`(_ kind: MigrationStoreKind) throws {
    let old = try authors(.toMany("books", "Book", inverse: "author"))
    let new = try authors(.toOne("best", "Book", inverse: "author"))
    var store = folder.store(kind)
    try write(store, old)
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        try migration.forEach("Book") { old, new in
          guard try old.value(forKey: "name") as? String == "C",
            let author = try old.object(forKey: "author")
          else { return }
          try new.setObject(try migration.destination(of: author), forKey: "author")
        }
      }
    ]
    let context = try open(store, new)
    #expect(try links(context, "Author", "best") == ["X C"])
    #expect(try links(context, "Book", "author") == ["A -", "B -", "C X"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `those that were not chosen are told when they must lead somewhere`(
    _ kind: MigrationStoreKind
  ) throws {
    let old = try authors(.toMany("books", "Book", inverse: "author"), isRequired: true)
    let new = try authors(.toOne("best", "Book", inverse: "author"), isRequired: true)
    var store = folder.store(kind)
    try write(store, old)
    store.migration.stages = [.custom(from: old, to: new) { _ in }]
    let error = #expect(throws: PerennialError.self) { try open(store, new) }
    #expect(error?.code == .migration)
    #expect(error?.entity == "Book" && error?.property == "author")
    #expect(error?.message.contains("3 objects") == true)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `an element that becomes required is set by code, or told`(_ kind: MigrationStoreKind) throws
  {
    func model(isOptional: Bool) throws -> ManagedObjectModel {
      let city = AttributeDescription("city", .string, isOptional: isOptional)
      return try ManagedObjectModel(
        entity(
          "Author",
          nil,
          .attribute(AttributeDescription("home", .composite, elements: [city]))
        )
      )
    }
    let (old, new) = (try model(isOptional: true), try model(isOptional: false))
    var store = folder.store(kind)
    try {
      let context = try open(store, old)
      for city in ["Oslo", nil] {
        try context.insert(entityNamed: "Author").setValue(city, forKey: "home.city")
      }
      try context.save()
    }()
    store.migration.stages = [.custom(from: old, to: new) { _ in }]
    let error = #expect(throws: PerennialError.self) { try open(store, new) }
    #expect(error?.code == .migration && error?.property == "home.city")
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        try migration.forEach("Author") { old, new in
          guard try old.value(forKey: "home.city") == nil else { return }
          try new.setValue("Bonn", forKey: "home.city")
        }
      }
    ]
    let context = try open(store, new)
    let cities = try context.fetch(FetchRequest<ManagedObject>(entityName: "Author"))
      .map { try $0.value(forKey: "home.city") as? String ?? "-" }
    #expect(cities.sorted() == ["Bonn", "Oslo"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `links that would be lost keep a program from a newer store`(_ kind: MigrationStoreKind)
    throws
  {
    func model(robotIs parent: String) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        entity("Being"),
        entity("Person", "Being"),
        entity("Animal", "Being"),
        entity("Robot", parent),
        entity("Car", nil, .toOne("driver", "Person"))
      )
    }
    let (newer, older) = (try model(robotIs: "Person"), try model(robotIs: "Animal"))
    var store = folder.store(kind)
    try {
      let context = try open(store, newer)
      let robot = try context.insert(entityNamed: "Robot")
      try robot.setValue("R", forKey: "name")
      let car = try context.insert(entityNamed: "Car")
      try car.setValue("C", forKey: "name")
      try car.setObject(robot, forKey: "driver")
      try context.save()
    }()
    let error = #expect(throws: PerennialError.self) { try open(store, older) }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(try links(open(store, newer), "Car", "driver") == ["C R"])
    store.migration.allowsLoss = true
    #expect(try links(open(store, older), "Car", "driver") == ["C -"])
  }
}
