// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Testing

@testable import PerennialModelFiles

@Suite("FORMAT 1: texts with which no store is opened")
struct WrongTextsTests {
  @Test func `are told wherever they are, once and as errors`() throws {
    let wrong = [ValidationPredicate("x >")]
    var element = AttributeDescription("e", .int64)
    element.validation.predicates = wrong
    let rules = ValidationRules(pattern: "[a", predicates: wrong)
    var entity = EntityDescription(
      "A",
      properties: [
        .attribute("s", .string, validation: rules),
        .attribute(AttributeDescription("c", .composite, elements: [element])),
        .relationship(RelationshipDescription("one", to: "A", validation: wrong)),
        .relationship(
          RelationshipDescription("many", to: "A", isToMany: true, validation: wrong)
        ),
      ]
    )
    entity.indexes = [
      FetchIndexDescription("i", elements: [.init("s")], partialIndexPredicate: "s >")
    ]
    let heir = EntityDescription("B", parent: "A", properties: [])
    let notes = WrongTexts.notes(
      in: try ManagedObjectModel(entities: [entity, heir]),
      lines: ["A.c": 3, "A.many": 5]
    )
    #expect(notes.allSatisfy { $0.isError })
    let places = notes.map { "\($0.line) " + $0.message.prefix { $0 != ":" && $0 != ";" } }
    #expect(
      places.sorted() == [
        "0 The condition of 'A.one' is wrong", "0 The condition of 'A.s' is wrong",
        "0 The condition of the index 'i' of 'A' is wrong",
        "0 The pattern of 'A.s' is no regular expression",
        "3 The condition of 'A.c.e' is wrong", "5 The condition of 'A.many' is wrong",
      ]
    )
  }
}
