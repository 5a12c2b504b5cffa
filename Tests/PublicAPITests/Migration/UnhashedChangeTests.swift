// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Changes of a model that Core Data's version hashes do not tell.
@Suite("Changes that no version hash tells")
struct UnhashedChangeTests {
  private let folder = MigrationFolder()

  // MARK: Derivations

  /// A model of books whose key is derived.
  private func books(
    _ derivation: String,
    _ extra: PropertyDescription...
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Book",
        properties: [
          .attribute("title", .string),
          .attribute("key", .string, optional: true, derived: derivation),
        ] + extra
      )
    )
  }

  private func write(_ store: StoreDescription, _ model: ManagedObjectModel) throws {
    let context = try PersistentContainer(name: "Books", model: model, store: store)
      .newBackgroundContext()
    try context.insert(entityNamed: "Book").setValue("ZOË", forKey: "title")
    try context.save()
  }

  /// How many books a search for the key in small letters finds.
  private func count(_ store: StoreDescription, _ model: ManagedObjectModel) throws -> Int {
    let context = try PersistentContainer(name: "Books", model: model, store: store)
      .newBackgroundContext()
    var request = FetchRequest<ManagedObject>(entityName: "Book")
    request.predicate = FetchPredicate(format: "key == %@", "zoë")
    return try context.count(for: request)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `values are computed anew when they are derived otherwise, once`(
    _ kind: MigrationStoreKind
  ) throws {
    let old = try books("title")
    let new = try books("lowercase:(title)")
    #expect(old.entityVersionHashesByName == new.entityVersionHashesByName)
    var store = folder.store(kind)
    try write(store, old)
    #expect(try count(store, old) == 0)
    #expect(try count(store, new) == 1)
    store.shouldMigrateStoreAutomatically = false
    #expect(try count(store, new) == 1)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a store that must not be migrated is refused as for any other change`(
    _ kind: MigrationStoreKind
  ) throws {
    let new = try books("lowercase:(title)")
    var store = folder.store(kind)
    try write(store, books("title"))
    let before = try folder.contents(kind)
    store.isReadOnly = true
    let error = #expect(throws: PerennialError.self) { try count(store, new) }
    #expect(error?.code == .incompatibleVersionHash)
    store.isReadOnly = false
    store.shouldMigrateStoreAutomatically = false
    let other = #expect(throws: PerennialError.self) { try count(store, new) }
    #expect(other?.code == .incompatibleVersionHash && other?.property == "key")
    #expect(other?.message.contains("Book.key: is derived otherwise") == true)
    #expect(try folder.contents(kind) == before)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a stage from a model with the hashes of the store's begins with the store's`(
    _ kind: MigrationStoreKind
  ) throws {
    let second = try books("lowercase:(title)")
    let third = try books("lowercase:(title)", .attribute("rating", .int64, default: 3))
    var store = folder.store(kind)
    try write(store, books("title"))
    store.migration.stages = [.lightweight(from: second, to: third)]
    #expect(try count(store, third) == 1)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `what matters to no row needs no migration`(_ kind: MigrationStoreKind) throws {
    var book = try #require(try books("title").entitiesByName["Book"])
    book.userInfo = ["note": "new"]
    book.properties.reverse()
    let new = try ManagedObjectModel(book)
    var store = folder.store(kind)
    try write(store, books("title"))
    store.shouldMigrateStoreAutomatically = false
    #expect(try count(store, new) == 0)
  }

  @Test(
    arguments: MigrationStoreKind.allCases,
    ["lowercase(title)", "lowercase:( title )", "lowercase(title )"]
  )
  func `a derivation that is only spelled otherwise needs no migration`(
    _ kind: MigrationStoreKind,
    _ spelling: String
  ) throws {
    let new = try books(spelling)
    var store = folder.store(kind)
    try write(store, books("lowercase:(title)"))
    store.shouldMigrateStoreAutomatically = false
    #expect(try count(store, new) == 1)
    store.isReadOnly = true
    #expect(try count(store, new) == 1)
    store = folder.store(kind)
    store.migration.stages = [
      .lightweight(from: try books("title"), to: try books("lowercase:(title)")),
      .lightweight(from: new, to: try books("uppercase:(title)")),
    ]
    #expect(try count(store, books("uppercase:(title)")) == 0)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a store that may be before or after a stage's code is refused`(
    _ kind: MigrationStoreKind
  ) throws {
    let last = try books("lowercase:(title)")
    var store = folder.store(kind)
    try write(store, books("uppercase:(title)"))
    store.migration.stages = [
      .custom(from: try books("title"), to: last) { _ in Issue.record("the code was run") }
    ]
    let error = #expect(throws: PerennialError.self) { try count(store, last) }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(error?.recovery.contains("no migration stage begins with the store's model") == true)
  }

  // MARK: Relationships to one object

  /// A model of pets that have one owner at most.
  private func pets(
    isToMany: Bool,
    key derivation: String = "name"
  ) throws -> ManagedObjectModel {
    let owner = RelationshipDescription(
      "owner",
      to: "Person",
      inverse: "pets",
      isToMany: isToMany,
      maximumCount: 1
    )
    return try ManagedObjectModel(
      EntityDescription(
        "Person",
        properties: [
          .attribute("name", .string), .toMany("pets", "Pet", inverse: "owner"),
          .attribute("key", .string, optional: true, derived: derivation),
        ]
      ),
      EntityDescription("Pet", properties: [.relationship(owner)])
    )
  }

  /// The names of the only pet's owners.
  private func owners(
    _ store: StoreDescription,
    _ model: ManagedObjectModel,
    isToMany: Bool
  ) throws -> [String] {
    let context = try PersistentContainer(name: "Pets", model: model, store: store)
      .newBackgroundContext()
    let request = FetchRequest<ManagedObject>(entityName: "Pet")
    let pet = try #require(try context.fetch(request).first)
    let owners =
      isToMany
      ? Array(try pet.objects(forKey: "owner"))
      : [try pet.object(forKey: "owner")].compactMap(\.self)
    return try owners.compactMap { try $0.value(forKey: "name") as? String }
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `to-one becomes to-many with one object at most, and back by a stage`(
    _ kind: MigrationStoreKind
  ) throws {
    let one = try pets(isToMany: false)
    let many = try pets(isToMany: true)
    #expect(one.entityVersionHashesByName == many.entityVersionHashesByName)
    var store = folder.store(kind)
    try writePet(store, one)
    #expect(try owners(store, many, isToMany: true) == ["Ada"])
    let error = #expect(throws: PerennialError.self) { try owners(store, one, isToMany: false) }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(error?.message.contains("Pet.owner: to-many becomes to-one") == true)
    store.migration.stages = [choice(from: many, to: one)]
    #expect(try owners(store, one, isToMany: false) == ["Ada"])
  }

  /// Writes a pet of Ada's, to one.
  private func writePet(_ store: StoreDescription, _ model: ManagedObjectModel) throws {
    let context = try PersistentContainer(name: "Pets", model: model, store: store)
      .newBackgroundContext()
    let ada = try context.insert(entityNamed: "Person")
    try ada.setValue("Ada", forKey: "name")
    try context.insert(entityNamed: "Pet").setObject(ada, forKey: "owner")
    try context.save()
  }

  /// A stage that chooses the one owner of each pet.
  private func choice(
    from many: ManagedObjectModel,
    to one: ManagedObjectModel
  ) -> MigrationStage {
    .custom(from: many, to: one) { migration in
      try migration.forEach("Pet") { old, new in
        guard let owner = Array(try old.objects(forKey: "owner")).first else { return }
        try new.setObject(migration.destination(of: owner), forKey: "owner")
      }
    }
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a store that is past a stage does not take it again when a derivation changes`(
    _ kind: MigrationStoreKind
  ) throws {
    let many = try pets(isToMany: true)
    let last = try pets(isToMany: false, key: "lowercase:(name)")
    var store = folder.store(kind)
    try writePet(store, pets(isToMany: false))
    store.migration.stages = [choice(from: many, to: last)]
    #expect(try owners(store, last, isToMany: false) == ["Ada"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a store before a stage takes it although it derives otherwise`(
    _ kind: MigrationStoreKind
  ) throws {
    let earliest = try pets(isToMany: true, key: "uppercase:(name)")
    let last = try pets(isToMany: false, key: "lowercase:(name)")
    var store = folder.store(kind)
    try writePet(store, pets(isToMany: false))
    #expect(try owners(store, earliest, isToMany: true) == ["Ada"])
    store.migration.stages = [choice(from: try pets(isToMany: true), to: last)]
    #expect(try owners(store, last, isToMany: false) == ["Ada"])
  }

  // MARK: Full-text indexes

  /// A model of notes with full-text indexes of some of their texts.
  private func notes(
    indexing names: [String],
    _ extra: PropertyDescription...
  ) throws -> ManagedObjectModel {
    var note = EntityDescription(
      "Note",
      properties: [.attribute("title", .string), .attribute("text", .string)] + extra
    )
    note.indexes = names.map { FetchIndexDescription(fullText: $0) }
    return try ManagedObjectModel(note)
  }

  /// Writes a note, and counts those with its words.
  private func countAfterWriting(
    _ store: StoreDescription,
    _ model: ManagedObjectModel
  ) throws -> Int {
    let context = try PersistentContainer(name: "Notes", model: model, store: store)
      .newBackgroundContext()
    let note = try context.insert(entityNamed: "Note")
    for name in ["title", "text"] { try note.setValue("a fix", forKey: name) }
    try context.save()
    var request = FetchRequest<ManagedObject>(entityName: "Note")
    request.predicate = FetchPredicate(format: "title CONTAINS 'fix' AND text CONTAINS 'fix'")
    return try context.count(for: request)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a full-text index that came without a migration is whole after the next one`(
    _ kind: MigrationStoreKind
  ) throws {
    let models = [
      try notes(indexing: []), try notes(indexing: ["text"]),
      try notes(indexing: ["text"], .attribute("rating", .int64, default: 3)),
    ]
    for (number, model) in models.enumerated() {
      #expect(try countAfterWriting(folder.store(kind), model) == number + 1)
    }
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a store is written with fewer full-text indexes than it has, and with none`(
    _ kind: MigrationStoreKind
  ) throws {
    let indexed = [["title", "text"], ["text"], [], ["title"]]
    for (number, names) in indexed.enumerated() {
      #expect(try countAfterWriting(folder.store(kind), notes(indexing: names)) == number + 1)
    }
  }
}
