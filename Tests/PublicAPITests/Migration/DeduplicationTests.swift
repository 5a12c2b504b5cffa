// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What becomes of the relationships and places of objects that share values.
@Suite("SEMANTICS 1J: deduplication")
struct DeduplicationTests {
  private let folder = MigrationFolder()

  private static let mail = PropertyDescription.attribute("mail", .string, optional: true)

  private func open(
    _ store: StoreDescription,
    _ model: ManagedObjectModel
  ) throws -> ManagedObjectContext {
    try PersistentContainer(name: "B", model: model, store: store).newBackgroundContext()
  }

  /// A model with one entity of unique mails, and others.
  private func model(
    unique: Bool,
    _ properties: [PropertyDescription] = [],
    _ others: EntityDescription...
  ) throws -> ManagedObjectModel {
    let person = EntityDescription(
      "Person",
      uniqueness: unique ? [["mail"]] : [],
      properties: [Self.mail, .attribute("name", .string, optional: true)] + properties
    )
    return try ManagedObjectModel(entities: [person] + others)
  }

  @discardableResult
  private func insert(
    _ entity: String,
    _ values: [String: any Sendable] = [:],
    in context: ManagedObjectContext
  ) throws -> ManagedObject {
    let object = try context.insert(entityNamed: entity)
    for (key, value) in values { try object.setValue(value, forKey: key) }
    // In the order in which they are made.
    try context.save()
    return object
  }

  private func all(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
    Array(try context.fetch(FetchRequest<ManagedObject>(entityName: entity)))
  }

  private func names(_ objects: some Sequence<ManagedObject>) throws -> [String] {
    try objects.map { try $0.value(forKey: "name") as? String ?? "-" }
  }

  @Test(arguments: MigrationStoreKind.allCases, [Deduplication.Keeping.first, .last, .merged])
  func `duplicates may be of different subentities`(
    _ kind: MigrationStoreKind,
    _ keeping: Deduplication.Keeping
  ) throws {
    func model(_ unique: Bool) throws -> ManagedObjectModel {
      try self.model(
        unique: unique,
        [.toMany("cars", "Car", inverse: "owner")],
        EntityDescription(
          "Worker",
          parent: "Person",
          properties: [.attribute("pay", .int64, optional: true), .toOne("boss", "Person")]
        ),
        EntityDescription(
          "Guest",
          parent: "Person",
          properties: [.attribute("pay", .int64, optional: true)]
        ),
        EntityDescription(
          "Car",
          properties: [
            .attribute("name", .string), .toOne("owner", "Person", inverse: "cars"),
          ]
        )
      )
    }
    var store = folder.store(kind)
    try {
      let context = try open(store, try model(false))
      for (index, entity) in ["Guest", "Worker", "Person"].enumerated() {
        let person = try insert(entity, ["mail": "x"], in: context)
        if entity == "Person" { try person.setValue("n", forKey: "name") }
        if entity == "Worker" {
          try person.setValue(7, forKey: "pay")
          try person.setObject(insert("Person", ["mail": "boss"], in: context), forKey: "boss")
        }
        try insert("Car", ["name": "\(index)"], in: context).setObject(person, forKey: "owner")
      }
      try context.save()
    }()
    store.migration.deduplications = [Deduplication("Person", by: "mail", keeping: keeping)]
    let context = try open(store, try model(true))
    let people = try all("Person", context).filter {
      try $0.value(forKey: "mail") as? String == "x"
    }
    #expect(people.map(\.objectID.entityName) == [keeping == .last ? "Person" : "Guest"])
    #expect(try names(people) == [keeping == .first ? "-" : "n"])
    #expect(try people.map { try names($0.objects(forKey: "cars")).sorted() } == [["0", "1", "2"]])
    // A worker's pay is not a guest's, though their names are the same.
    if keeping != .last { #expect(try people.first?.value(forKey: "pay") == nil) }
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `what cannot stay alone goes with its owner, unless that which stays has none`(
    _ kind: MigrationStoreKind
  ) throws {
    func model(_ unique: Bool) throws -> ManagedObjectModel {
      try self.model(
        unique: unique,
        [
          .toOne("card", "Card", inverse: "person", deleteRule: .cascade),
          .toOne("desk", "Desk", inverse: "person"),
        ],
        EntityDescription(
          "Card",
          properties: [
            .attribute("name", .string),
            .toOne("person", "Person", inverse: "card", optional: false),
          ]
        ),
        EntityDescription(
          "Desk",
          properties: [.attribute("name", .string), .toOne("person", "Person", inverse: "desk")]
        )
      )
    }
    var store = folder.store(kind)
    try {
      let context = try open(store, try model(false))
      for (mail, name) in [("x", "1"), ("x", "2"), ("y", ""), ("y", "4")] {
        let person = try context.insert(entityNamed: "Person")
        try person.setValue(mail, forKey: "mail")
        for entity in ["Card", "Desk"] where !name.isEmpty {
          let thing = try context.insert(entityNamed: entity)
          try thing.setValue(name, forKey: "name")
          try thing.setObject(person, forKey: "person")
        }
        try context.save()
      }
    }()
    store.migration.deduplications = [Deduplication("Person", by: "mail")]
    let context = try open(store, try model(true))
    func owned(_ entity: String) throws -> [String] {
      try all(entity, context).map { thing in
        let mail = try thing.object(forKey: "person")?.value(forKey: "mail") ?? "-"
        return "\(try names([thing])[0])\(mail)"
      }.sorted()
    }
    #expect(try owned("Card") == ["1x", "4y"])
    #expect(try owned("Desk") == ["1x", "2-", "4y"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `the one that stays takes the places of the others`(_ kind: MigrationStoreKind) throws {
    func model(_ unique: Bool) throws -> ManagedObjectModel {
      try self.model(
        unique: unique,
        [
          .toOne("club", "Club", inverse: "people"),
          .toMany("teams", "Team", inverse: "people", ordered: true),
        ],
        EntityDescription(
          "Club",
          properties: [.toMany("people", "Person", inverse: "club", ordered: true)]
        ),
        EntityDescription(
          "Team",
          properties: [
            .attribute("name", .string),
            .toMany("people", "Person", inverse: "teams", ordered: true),
          ]
        ),
        EntityDescription(
          "List",
          properties: [.toMany("people", "Person", ordered: true), .toOne("first", "Person")]
        )
      )
    }
    var store = folder.store(kind)
    try {
      let context = try open(store, try model(false))
      // The people 0 to 5; 1 and 3 become 0, and 5 becomes 4.
      let people = try ["x", "x", "a", "x", "y", "y"].enumerated().map {
        try insert("Person", ["mail": $1, "name": "\($0)"], in: context)
      }
      let (club, list) = (try insert("Club", in: context), try insert("List", in: context))
      for index in [1, 2, 5] { try people[index].setObject(club, forKey: "club") }
      for index in [3, 2, 5, 1] { try list.objects(forKey: "people").insert(people[index]) }
      try list.setObject(people[3], forKey: "first")
      for (name, members) in [("A", [3, 2, 1]), ("B", [2, 1, 0]), ("C", [4, 2, 5])] {
        let team = try insert("Team", ["name": name], in: context)
        for index in members { try team.objects(forKey: "people").insert(people[index]) }
      }
      try context.save()
    }()
    store.migration.deduplications = [Deduplication("Person", by: "mail")]
    let context = try open(store, try model(true))
    func members(_ owner: ManagedObject) throws -> String {
      try names(owner.objects(forKey: "people")).joined()
    }
    #expect(try all("Club", context).map(members) == ["024"])
    let list = try #require(try all("List", context).first)
    #expect(try members(list) == "024")
    #expect(try list.object(forKey: "first")?.value(forKey: "name") as? String == "0")
    let teams = try all("Team", context).map { "\(try names([$0])[0])\(try members($0))" }
    #expect(teams.sorted() == ["A02", "B20", "C42"])
    let first = try #require(try all("Person", context).first { try names([$0]) == ["0"] })
    #expect(try names(first.objects(forKey: "teams")).sorted() == ["A", "B"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `many groups, and many objects that lead to them, are done in parts`(
    _ kind: MigrationStoreKind
  ) throws {
    func model(_ unique: Bool) throws -> ManagedObjectModel {
      try self.model(
        unique: unique,
        [.toMany("cars", "Car", inverse: "owner")],
        EntityDescription("Note", properties: [.toOne("person", "Person")]),
        EntityDescription("Car", properties: [.toOne("owner", "Person", inverse: "cars")])
      )
    }
    var store = folder.store(kind)
    try {
      let context = try open(store, try model(false))
      for index in 0..<690 {
        let person = try context.insert(entityNamed: "Person")
        try person.setValue("m\(index % 230)", forKey: "mail")
        try context.insert(entityNamed: "Note").setObject(person, forKey: "person")
        try context.insert(entityNamed: "Car").setObject(person, forKey: "owner")
      }
      try context.save()
    }()
    store.migration.deduplications = [Deduplication("Person", by: "mail")]
    let context = try open(store, try model(true))
    let people = try all("Person", context)
    #expect(people.count == 230)
    #expect(try people.allSatisfy { try $0.objects(forKey: "cars").count == 3 })
    let led = try all("Note", context).compactMap { try $0.object(forKey: "person") }
    #expect(Dictionary(grouping: led) { $0 }.map(\.value.count) == people.map { _ in 3 })
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `values are shared when the constraint says so`(_ kind: MigrationStoreKind) throws {
    var store = folder.store(kind)
    try {
      let context = try open(store, try model(unique: false))
      // Twice the same letter in other code points, empty values, and one value twice.
      for mail in ["\u{E9}", "e\u{301}", nil, nil, "z", "z"] as [String?] {
        try insert("Person", mail.map { ["mail": $0] } ?? [:], in: context)
      }
    }()
    store.migration.deduplications = [Deduplication("Person", by: "mail")]
    let context = try open(store, try model(unique: true))
    #expect(try all("Person", context).count == 5)
  }

  // MARK: When it is done

  /// People who are all workers, in a store.
  private func writeWorkers(_ store: StoreDescription) throws -> ManagedObjectModel {
    let worker = EntityDescription("Worker", parent: "Person", properties: [])
    let context = try open(store, try model(unique: false, [], worker))
    for mail in ["x", "x", "y"] { try insert("Worker", ["mail": mail], in: context) }
    return try model(unique: true, [], worker)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a subentity may be named`(_ kind: MigrationStoreKind) throws {
    var store = folder.store(kind)
    let new = try writeWorkers(store)
    store.migration.deduplications = [Deduplication("Worker", by: "mail")]
    let context = try open(store, new)
    #expect(try all("Person", context).count == 2)
  }

  @Test(
    arguments: MigrationStoreKind.allCases,
    [
      (Deduplication("Wroker", by: "mail"), "'Wroker' is no entity of the new model"),
      (Deduplication("Person", by: "mial"), "'Person' has no attribute 'mial' in the new model"),
      (
        Deduplication("Worker", by: "name"),
        "no constraint of 'Worker' has (name) in the new model"
      ),
      (
        Deduplication("Person", by: "mail", sortedBy: "seen"),
        "'Person' has no attribute 'seen' in the new model"
      ),
    ]
  )
  func `the error tells what is wrong with a deduplication`(
    _ kind: MigrationStoreKind,
    _ mistake: (Deduplication, String)
  ) throws {
    var store = folder.store(kind)
    let new = try writeWorkers(store)
    store.migration.deduplications = [mistake.0]
    let error = #expect(throws: PerennialError.self) { try open(store, new) }
    #expect(error?.code == .migrationConstraintViolation && error?.entity == "Person")
    #expect(error?.recovery.contains(mistake.1) == true)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a constraint may be inherited from a new parent`(_ kind: MigrationStoreKind) throws {
    func model(_ isMoved: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        EntityDescription("Base", properties: [.attribute("name", .string, optional: true)]),
        EntityDescription(
          "Person",
          parent: "Base",
          uniqueness: [["mail"]],
          properties: [Self.mail]
        ),
        EntityDescription(
          "Guest",
          parent: isMoved ? "Person" : "Base",
          properties: isMoved ? [] : [Self.mail]
        ),
      ])
    }
    var store = folder.store(kind)
    try {
      let context = try open(store, try model(false))
      for (entity, mail) in [("Guest", "y"), ("Person", "x"), ("Guest", "x"), ("Guest", "z")] {
        try insert(entity, ["mail": mail, "name": "\(entity)\(mail)"], in: context)
      }
    }()
    store.migration.deduplications = [Deduplication("Person", by: "mail")]
    let context = try open(store, try model(true))
    #expect(try names(all("Person", context)).sorted() == ["Guesty", "Guestz", "Personx"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a default that fills gaps is a value that is shared`(_ kind: MigrationStoreKind) throws {
    func model(_ mail: PropertyDescription) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription("Person", uniqueness: [["mail"]], properties: [mail])
      )
    }
    var store = folder.store(kind)
    try {
      let context = try open(store, try model(Self.mail))
      for values in [[:], ["mail": "x"], [:], ["mail": "none"]] {
        try insert("Person", values, in: context)
      }
    }()
    store.migration.deduplications = [Deduplication("Person", by: "mail")]
    let context = try open(store, try model(.attribute("mail", .string, default: "none")))
    let mails = try all("Person", context).map { try $0.value(forKey: "mail") as? String }
    #expect(mails.compactMap(\.self).sorted() == ["none", "x"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a derived attribute may be what is shared, another what says which is first`(
    _ kind: MigrationStoreKind
  ) throws {
    func model(_ isNew: Bool) throws -> ManagedObjectModel {
      var properties = [
        Self.mail, .attribute("name", .string, optional: true),
        .attribute("seen", .int64, optional: true),
      ]
      if isNew {
        properties.append(.attribute("key", .string, optional: true, derived: "uppercase:(mail)"))
      }
      return try ManagedObjectModel(
        EntityDescription("Person", uniqueness: isNew ? [["key"]] : [], properties: properties)
      )
    }
    var store = folder.store(kind)
    try {
      let context = try open(store, try model(false))
      for (name, mail, seen) in [("1", "a", 10), ("2", "A", 9), ("3", "a", 100), ("4", "b", 1)] {
        try insert("Person", ["name": name, "mail": mail, "seen": seen], in: context)
      }
    }()
    store.migration.deduplications = [
      Deduplication("Person", by: "key", keeping: .last, sortedBy: "seen")
    ]
    let context = try open(store, try model(true))
    #expect(try names(all("Person", context)).sorted() == ["3", "4"])
  }
}
