// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Models made at run time, without classes.
@Suite("Models in code")
struct DynamicModelTests {
  private static func makeContainer(
    _ kind: StoreKind,
    _ folder: TemporaryFolder
  ) throws -> PersistentContainer {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Commit",
        uniqueness: [["sha"]],
        indexes: [["date"]],
        properties: [
          .attribute("sha", .string),
          .attribute("message", .string, default: ""),
          .attribute("size", .int32, optional: true),
          .attribute("date", .date, optional: true),
          .toOne("author", "Author", inverse: "commits"),
        ]
      ),
      EntityDescription(
        "Author",
        properties: [
          .attribute("name", .string),
          .toMany("commits", "Commit", inverse: "author", deleteRule: .cascade),
        ]
      )
    )
    return try PersistentContainer(
      name: "Dynamic",
      model: model,
      store: kind.description(in: folder)
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `properties are read and written by name`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try Self.makeContainer(kind, folder)
    let context = container.newBackgroundContext()

    let author = try context.insert(entityNamed: "Author")
    try author.setValue("Joe Groff", forKey: "name")
    let commit = try context.insert(entityNamed: "Commit")
    try commit.setValue("2f77f2fc", forKey: "sha")
    try commit.setValue(7, forKey: "size")
    try commit.setObject(author, forKey: "author")
    try context.save()

    let request = FetchRequest<ManagedObject>(entityName: "Commit")
      .filter("author.name BEGINSWITH 'Joe'")
    let reader = container.newBackgroundContext()
    let read = try #require(try reader.first(request))
    #expect(read.entityDescription.name == "Commit")
    #expect(try read.value(forKey: "size") as? Int64 == 7)
    #expect(try read.value(forKey: "date") == nil)
    #expect(try read.value(forKey: "message") as? String == "")
    let owner = try #require(try read.object(forKey: "author"))
    #expect(try owner.objects(forKey: "commits").count == 1)
    #expect(try owner.value(forKey: "commits") as? [ManagedObjectID] == [read.objectID])

    try read.setValue("Fix", forKey: "message")
    #expect(read.changedValues() == ["message": .string("Fix")])
    #expect(read.committedValues()["message"] == .string(""))
  }

  @Test func `a model is a Codable value`() throws {
    let container = try Self.makeContainer(.inMemory, TemporaryFolder())
    let model = container.managedObjectModel
    let copy = try JSONDecoder().decode(
      ManagedObjectModel.self,
      from: JSONEncoder().encode(model)
    )
    #expect(copy == model)
  }

  @Test func `numbers are converted when they fit exactly`() throws {
    let container = try Self.makeContainer(.inMemory, TemporaryFolder())
    let context = container.newBackgroundContext()
    let commit = try context.insert(entityNamed: "Commit")
    try commit.setValue(7.0, forKey: "size")
    try commit.setValue(UInt8(8), forKey: "size")
    #expect(try failure { try commit.setValue(7.5, forKey: "size") }.code == .typeMismatch)
    #expect(try failure { try commit.setValue(1 << 40, forKey: "size") }.code == .typeMismatch)
    #expect(try commit.value(forKey: "size") as? Int64 == 8)
  }

  @Test func `a value may be of any type, as JSON has it`() throws {
    let container = try Self.makeContainer(.inMemory, TemporaryFolder())
    let context = container.newBackgroundContext()
    let commit = try context.insert(entityNamed: "Commit")
    let row: [String: Any] = ["sha": "a", "size": NSNumber(value: 8), "date": NSNull()]
    for key in ["sha", "size", "date", "message"] { try commit.setValue(row[key], forKey: key) }
    #expect(try commit.value(forKey: "sha") as? String == "a")
    #expect(try commit.value(forKey: "size") as? Int64 == 8)
    #expect(try commit.value(forKey: "date") == nil)
    #expect(
      try failure { try commit.setValue(NSNumber(1.5), forKey: "size") }.code == .typeMismatch
    )
    #expect(try failure { try commit.setValue([row], forKey: "sha") }.code == .typeMismatch)
    #expect(try failure { try commit.setValue(commit, forKey: "author") }.code == .typeMismatch)
  }

  @Test func `a transformable attribute of another transformer takes its data only`() throws {
    let color = AttributeDescription(
      "color",
      .transformable,
      isOptional: true,
      valueTransformerName: "NSSecureUnarchiveFromData"
    )
    let model = try ManagedObjectModel(
      EntityDescription("Pen", properties: [.attribute(color)])
    )
    let container = try PersistentContainer(name: "Pens", model: model, store: .inMemory)
    let context = container.newBackgroundContext()
    let pen = try context.insert(entityNamed: "Pen")
    #expect(try failure { try pen.setValue(["red"], forKey: "color") }.code == .typeMismatch)
    let objects: [[String: (any Sendable)?]] = [["color": ["red"]]]
    let refused = try failure {
      try context.execute(BatchInsertRequest(entityName: "Pen", objects: objects))
    }
    #expect(refused.code == .typeMismatch)
    let data = Data("red".utf8)
    try pen.setValue(data, forKey: "color")
    #expect(try pen.value(forKey: "color") as? Data == data)
  }

  @Test func `a context tells inherited properties too`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("Person", properties: [.attribute("name", .string)]),
      EntityDescription("Employee", parent: "Person", properties: [.attribute("level", .int32)])
    )
    let container = try PersistentContainer(name: "People", model: model, store: .inMemory)
    let context = container.newBackgroundContext()
    #expect(context.propertiesByName(of: "Employee").keys.sorted() == ["level", "name"])
    #expect(context.propertiesByName(of: "Person").keys.sorted() == ["name"])
    #expect(context.propertiesByName(of: "Nobody").isEmpty)
  }
}
