// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import Testing

/// Each reason for which an attribute cannot be derived, with what to do about it.
@Suite("Expressions that cannot be derived")
struct DerivationRefusalTests {
  /// A book of a writer, with one attribute that is derived, and a book below it.
  private func problems(
    _ type: AttributeType,
    _ expression: String,
    isExternal: Bool = false
  ) throws -> [PerennialError] {
    var derived = AttributeDescription(
      "extra",
      type,
      isOptional: true,
      derivationExpression: expression
    )
    derived.allowsExternalBinaryDataStorage = isExternal
    let picture = AttributeDescription(
      "picture",
      .binaryData,
      isOptional: true,
      allowsExternalBinaryDataStorage: true
    )
    var alone = RelationshipDescription("alone", to: "Writer")
    var many = RelationshipDescription("many", to: "Writer", isToMany: true)
    (alone.infersInverse, many.infersInverse) = (false, false)
    let model = try ManagedObjectModel(
      EntityDescription(
        "Book",
        properties: [
          .attribute(derived), .attribute("title", .string, optional: true),
          .attribute("pages", .int64, optional: true),
          .toOne("writer", "Writer", inverse: "books"),
          .toMany("readers", "Writer", inverse: "read"), .relationship(alone), .relationship(many),
        ]
      ),
      EntityDescription("Novel", parent: "Book", properties: []),
      EntityDescription(
        "Writer",
        properties: [
          .attribute("name", .string, optional: true), .attribute("age", .int64, optional: true),
          .attribute(picture),
          .attribute("loud", .string, optional: true, derived: "uppercase:(name)"),
          .attribute("bytes", .binaryData, optional: true),
          .toMany("books", "Book", inverse: "writer"), .toMany("read", "Book", inverse: "readers"),
        ]
      )
    ).layout
    return try ["Book", "Novel"].flatMap { name in
      let index = try #require(model.entitiesByName[name])
      var reader = DerivationReader(entity: model.entities[index], model: model)
      _ = reader.read()
      return reader.problems
    }
  }

  @Test(arguments: [
    (AttributeType.int64, "uppercase:(title)", "'uppercase:' gives text", "make it a String"),
    (.int64, "uppercase(title)", "'uppercase:' gives text", "make it a String"),
    (.string, "now()", "'now()' gives a date", "make it a Date"),
    (.string, "alone.name", "'Book.alone' has no inverse", "give it one"),
    (.string, "writer.age", "'writer.age' is of type int64", "make it of that type too"),
    (.binaryData, "writer.picture", "'Writer.picture' may lie in a file", "name another attribute"),
    (.string, "writer.loud", "'loud' is derived or transient", "name a stored attribute"),
    (.int64, "many.@count", "'many' has no inverse", "give it one"),
    (.string, "readers.@count", "'@count' gives a number", "make it an Int"),
    (.string, "readers.loud.@max", "'loud' is no stored attribute", "name one of 'readers'"),
    (.int64, "writer.@count", "none that Perennial can derive", "relationship.@count"),
    (.int64, "readers.name.@count", "none that Perennial can derive", "relationship.@count"),
    (.string, "writer.books", "none that Perennial can derive", "an attribute's name"),
    (.string, "readers.name.@max", "does not give string", "change the type of one of them"),
    (.date, "readers.age.@min", "does not give date", "change the type of one of them"),
    (.int64, "readers.age.@avg", "does not give int64", "change the type of one of them"),
    (.string, "readers.age.@sum", "does not give string", "change the type of one of them"),
  ])
  func `have a reason and a cure`(
    _ type: AttributeType,
    _ expression: String,
    _ reason: String,
    _ cure: String
  ) throws {
    let problems = try problems(type, expression)
    // It is told of the entity that declares it, not of those below.
    try #require(problems.count == 1)
    #expect(problems[0].code == .invalidModel)
    #expect(problems[0].entity == "Book" && problems[0].property == "extra")
    #expect(problems[0].message.hasPrefix("'Book.extra' cannot be derived: "))
    #expect(problems[0].message.contains(reason), "\(problems[0].message)")
    #expect(problems[0].recovery.contains(cure), "\(problems[0].recovery)")
  }

  @Test func `have another one for what lies in a file`() throws {
    #expect(try problems(.binaryData, "writer.bytes").isEmpty)
    let problem = try #require(problems(.binaryData, "writer.bytes", isExternal: true).first)
    #expect(problem.message.contains("lies in no file"))
    #expect(problem.recovery == "keep it in the store")
  }

  @Test(arguments: [
    (AttributeType.double, "readers.age.@sum"), (.int32, "readers.age.@sum"),
    (.float, "readers.age.@avg"), (.int64, "readers.age.@min"), (.int16, "readers.@count"),
    (.string, "lowercase(title)"), (.string, "canonical:( writer . name )"), (.date, "now()"),
  ])
  func `are not these`(_ type: AttributeType, _ expression: String) throws {
    #expect(try problems(type, expression).isEmpty)
  }
}
