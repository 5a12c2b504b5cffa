// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialModelFiles

/// What `NSKeyedArchiver` writes for models; the types' numbers are those of `NSAttributeType`.
@Suite("Compiled models")
struct ArchivedModelTests {
  typealias Fields = [(String, ArchiveText.Value)]

  private func read(_ data: Data) throws -> ModelDocument {
    try CompiledModelReader(named: "Test").document(data)
  }

  private static let bytes = Array(UInt8(0)..<16)

  /// A default value as an archive has it.
  enum Archived: Sendable {
    case plain(ArchiveText.Value)
    case text(String)
    case object(String, Fields)
    case url(String)

    func value(in archive: inout ArchiveText) -> ArchiveText.Value {
      switch self {
      case .plain(let value): return value
      case .text(let text): return .object(archive.text(text))
      case .object(let name, let fields): return .object(archive.object(name, fields))
      case .url(let text):
        let number = archive.text(text)
        return .object(archive.object("NSURL", [("NS.relative", .object(number))]))
      }
    }

    /// A decimal number of digits of 16 bits, the least significant first.
    static func decimal(
      _ mantissa: [UInt8],
      _ exponent: Int,
      isNegative: Bool = false,
      order: Int = 1
    ) -> Archived {
      .object(
        "NSDecimalNumber",
        [
          ("NS.mantissa", .data(mantissa)), ("NS.exponent", .integer(exponent)),
          ("NS.negative", .yes(isNegative)), ("NS.mantissa.bo", .integer(order)),
        ]
      )
    }
  }

  @Test(arguments: [
    (100, Archived.plain(.integer(7)), PropertyValue.integer(7)),
    (200, .plain(.real(7)), .integer(7)), (300, .plain(.yes(true)), .integer(1)),
    (400, .decimal([0x39, 0x30], -2), .decimal(Decimal(string: "123.45") ?? .nan)),
    (
      400, .decimal([0, 1, 0, 2], 0, isNegative: true, order: 2),
      .decimal(-Decimal(1 + 2 * 65_536))
    ),
    (400, .plain(.integer(3)), .decimal(3)), (500, .plain(.real(1.5)), .double(1.5)),
    (600, .plain(.integer(2)), .double(2)), (700, .text("x"), .string("x")),
    (800, .plain(.yes(true)), .boolean(true)), (800, .plain(.integer(0)), .boolean(false)),
    (
      900, .object("NSDate", [("NS.time", .real(60))]),
      .date(Date(timeIntervalSinceReferenceDate: 60))
    ),
    (900, .plain(.date(61)), .date(Date(timeIntervalSinceReferenceDate: 61))),
    (1000, .plain(.data([1, 2])), .data(Data([1, 2]))),
    (1000, .object("NSMutableData", [("NS.data", .data([3]))]), .data(Data([3]))),
    (
      1100, .object("NSUUID", [("NS.uuidbytes", .data(bytes))]),
      .uuid(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F") ?? UUID())
    ),
    (1200, .url("https://example.org"), .url(URL(string: "https://example.org") ?? .homeDirectory)),
  ])
  func `have default values of every type`(
    _ type: Int,
    _ archived: Archived,
    _ value: PropertyValue
  ) throws {
    var archive = ArchiveText()
    let number = archived.value(in: &archive)
    let a = archive.attribute("a", type, [("NSDefaultValue", number)])
    let document = try read(archive.model(of: [("a", a)]))
    #expect(document.attribute("a")?.type.rawValue == type)
    #expect(document.attribute("a")?.defaultValue == value)
    #expect(document.diagnostics.isEmpty)
  }

  @Test(arguments: [
    (100, Archived.text("x")), (400, .decimal([1, 0], 200)), (400, .text("x")),
    (400, .decimal(Array(repeating: 1, count: 18), 0)),
    (700, .plain(.integer(1))), (900, .text("x")), (1000, .text("x")),
    (1100, .object("NSUUID", [("NS.uuidbytes", .data([1]))])), (1200, .text("x")),
    (1800, .plain(.data([1]))),
  ])
  func `leave out default values that are not of the type, and tell it`(
    _ type: Int,
    _ archived: Archived
  ) throws {
    var archive = ArchiveText()
    let number = archived.value(in: &archive)
    let a = archive.attribute("a", type, [("NSDefaultValue", number)])
    let document = try read(archive.model(of: [("a", a)]))
    #expect(document.attribute("a")?.defaultValue == .null)
    #expect(document.diagnostics.map(\.message) == ["'Thing.a': its default is left out"])
  }

  @Test func `of an unknown type are an error that says which`() throws {
    var archive = ArchiveText()
    let a = archive.attribute("a", 1234)
    let data = archive.model(of: [("a", a)])
    let error = #expect(throws: PerennialError.self) { _ = try read(data) }
    #expect(error?.code == .invalidModel)
    #expect(error?.message == "'Thing.a' has the unknown type 1234.")
  }

  @Test func `say by the version hashes which attributes are external`() throws {
    func model(isExternal: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription(
          "Thing",
          properties: [
            .attribute(
              AttributeDescription(
                "a",
                .binaryData,
                isOptional: true,
                allowsExternalBinaryDataStorage: isExternal,
                preservesValueInHistoryOnDeletion: true
              )
            )
          ]
        )
      )
    }
    var archive = ArchiveText()
    let a = archive.attribute("a", 1000, [("NSFlagsKey", .integer(8 | 16))])
    let data = archive.model(of: [("a", a)])
    for isExternal in [true, false] {
      let hashes = try model(isExternal: isExternal).entityVersionHashesByName
      let document = try CompiledModelReader(named: "Test").document(data, hashes: hashes)
      #expect(document.attribute("a")?.allowsExternalBinaryDataStorage == isExternal)
      #expect(document.attribute("a")?.preservesValueInHistoryOnDeletion == true)
      #expect(document.diagnostics.isEmpty)
    }
    let guess = try read(data)
    #expect(guess.diagnostics.map(\.message).joined().contains("is a guess"))
  }

  // MARK: Relationships

  private func relationship(
    _ archive: inout ArchiveText,
    _ name: String,
    inverse: String? = nil,
    _ fields: Fields = []
  ) -> Int {
    let (number, thing) = (archive.text(name), archive.text("Thing"))
    let back = inverse.map { archive.text($0) }
    return archive.object(
      "NSRelationshipDescription",
      [("NSPropertyName", .object(number)), ("_NSDestinationEntityName", .object(thing))]
        + (back.map { [("_NSInverseRelationshipName", .object($0))] } ?? [])
        + [("NSIsOptional", .yes(true))] + fields
    )
  }

  @Test func `leave out transient relationships, but for those whose inverse is stored`() throws {
    var archive = ArchiveText()
    let alone = relationship(&archive, "alone", [("NSIsTransient", .yes(true))])
    let stored = relationship(&archive, "stored", inverse: "half")
    let half = relationship(
      &archive,
      "half",
      [("NSIsTransient", .yes(true)), ("NSInverseRelationship", .object(stored))]
    )
    let document = try read(
      archive.model(of: [("alone", alone), ("half", half), ("stored", stored)])
    )
    #expect(document.relationship("alone") == nil)
    #expect(document.relationship("half")?.inverse == "stored")
    #expect(document.relationship("stored")?.inverse == "half")
    #expect(document.relationship("half")?.isHalfTransient == true)
    #expect(document.relationship("stored")?.isHalfTransient == false)
    #expect(
      document.diagnostics.map(\.message) == [
        "'Thing.alone': it is transient, which relationships cannot be, and is left out",
        "'Thing.half': its inverse is stored, and so is it; 'transient' is left out",
      ]
    )
  }

  @Test func `have conditions on relationships, with their messages`() throws {
    var archive = ArchiveText()
    let known = archive.object("NSTruePredicate")
    let unknown = archive.object("NSBlockPredicate")
    let conditions = archive.array([unknown, known, known])
    let messages = archive.array([archive.text("first"), archive.text("second")])
    let r = relationship(
      &archive,
      "r",
      inverse: "r",
      [
        ("NSValidationPredicates", .object(conditions)),
        ("NSValidationWarnings", .object(messages)),
      ]
    )
    let document = try read(archive.model(of: [("r", r)]))
    #expect(
      document.relationship("r")?.validation == [
        ValidationPredicate("TRUEPREDICATE", message: "second"),
        ValidationPredicate("TRUEPREDICATE"),
      ]
    )
    #expect(
      document.diagnostics.map(\.message) == [
        "'Thing.r': a condition of its validation is left out"
      ]
    )
  }

  @Test func `without a destination are an error`() throws {
    var archive = ArchiveText()
    let r = archive.object("NSRelationshipDescription")
    let data = archive.model(of: [("r", r)])
    let error = #expect(throws: PerennialError.self) { _ = try read(data) }
    #expect(error?.message == "'Thing.r' does not say where it leads to.")
  }

  // MARK: Entities

  /// An index of some elements, each with the fields that it has beside its property.
  private func index(
    _ archive: inout ArchiveText,
    _ name: String?,
    _ elements: [(property: String?, fields: Fields)],
    _ fields: Fields = []
  ) -> Int {
    let numbers = elements.map { element in
      let property = element.property.map { archive.text($0) }
      return archive.object(
        "NSFetchIndexElementDescription",
        (property.map { [("NSPropertyName", .object($0))] } ?? []) + element.fields
      )
    }
    let list = archive.array(numbers)
    let number = name.map { archive.text($0) }
    return archive.object(
      "NSFetchIndexDescription",
      (number.map { [("NSIndexName", .object($0))] } ?? [])
        + [("NSIndexElements", .object(list))] + fields
    )
  }

  @Test func `have indexes, notes and constraints, and tell what is left out of them`() throws {
    var archive = ArchiveText()
    let (yes, known, unknown) = (
      Fields([("NSAscending", .yes(true))]), archive.object("NSTruePredicate"),
      archive.object("NSBlockPredicate")
    )
    let indexes = [
      index(
        &archive,
        "plain",
        [("a", yes), ("b", [])],
        [("NSPartialIndexPredicate", .object(known))]
      ),
      index(&archive, "odd", [("a", yes + [("NSFetchIndexElementType", .integer(1))])]),
      index(
        &archive,
        "part",
        [(nil, yes), ("b", yes)],
        [("NSPartialIndexPredicate", .object(unknown))]
      ),
      index(&archive, "nothing", [(nil, yes)]), index(&archive, nil, [("a", yes)]),
    ]
    let list = archive.array(indexes)
    let b = archive.attribute("b", 700)
    let tuple = archive.array([archive.text("a"), b])
    let tuples = archive.array([tuple, archive.array([])])
    let notes = archive.dictionary([("key", archive.text("note")), ("other", archive.array([]))])
    let data = archive.model(
      of: [("a", archive.attribute("a", 700)), ("b", b)],
      entity: [
        ("NSFetchIndexDescriptions", .object(list)), ("NSUniqueTuples", .object(tuples)),
        ("NSUserInfo", .object(notes)),
      ]
    )
    let document = try read(data)
    let entity = try #require(document.model.entitiesByName["Thing"])
    #expect(entity.userInfo == ["key": "note"])
    #expect(entity.uniquenessConstraints == [["a", "b"]])
    #expect(
      entity.indexes == [
        FetchIndexDescription(
          "plain",
          elements: [.init("a"), .init("b", isAscending: false)],
          partialIndexPredicate: "TRUEPREDICATE"
        ), FetchIndexDescription("odd", elements: [.init("a")]),
        FetchIndexDescription("part", elements: [.init("b")]),
      ]
    )
    #expect(
      document.diagnostics.map(\.message).sorted() == [
        "the index 'nothing' of 'Thing': an expression is left out",
        "the index 'odd' of 'Thing': it is made an ordinary one",
        "the index 'part' of 'Thing': an expression is left out",
        "the index 'part' of 'Thing': its condition is left out",
      ]
    )
  }

  @Test func `have fetch requests, configurations and fetched properties`() throws {
    var archive = ArchiveText()
    let (thing, known, unknown) = (
      archive.text("Thing"), archive.object("NSTruePredicate"), archive.object("NSBlockPredicate")
    )
    func request(_ fields: Fields) -> Int { archive.object("NSFetchRequest", fields) }
    let name = ("NSEntityName", ArchiveText.Value.object(thing))
    let all = request([name, ("NSFetchLimit", .integer(5)), ("NSPredicate", .object(known))])
    let sorts = archive.array([])
    let sorted = request([name, ("NSSortDescriptors", .object(sorts))])
    let odd = request([name, ("NSPredicate", .object(unknown))])
    let none = request([])
    let requests = archive.dictionary([
      ("sorted", sorted), ("all", all), ("odd", odd), ("none", none),
    ])
    let entity = archive.object("NSEntityDescription", [name])
    let configurations = archive.dictionary([("Part", archive.array([entity]))])
    let fetched = archive.object("NSFetchedPropertyDescription", [("NSFetchRequest", .object(all))])
    let lost = archive.object("NSFetchedPropertyDescription", [("NSFetchRequest", .object(odd))])
    let data = archive.model(
      of: [("a", archive.attribute("a", 700)), ("f", fetched), ("g", lost)],
      root: [
        ("NSFetchRequestTemplates", .object(requests)),
        ("NSConfigurations", .object(configurations)),
      ]
    )
    let document = try read(data)
    #expect(
      document.model.fetchRequestTemplates == [
        FetchRequestTemplate("all", entity: "Thing", predicate: "TRUEPREDICATE", fetchLimit: 5),
        FetchRequestTemplate("sorted", entity: "Thing"),
      ]
    )
    #expect(document.model.entities(forConfiguration: "Part")?.map(\.name) == ["Thing"])
    #expect(document.model.entitiesByName["Thing"]?.fetchedProperties.map(\.name) == ["f"])
    let messages = document.diagnostics.map(\.message)
    for part in [
      "'none' does not say what it fetches, and is left out",
      "'odd' has a condition that is unknown, and is left out", "'sorted': its order is left out",
      "'g' has a condition that is unknown",
    ] {
      #expect(messages.contains { $0.contains(part) }, "\(part): \(messages)")
    }
  }
}
