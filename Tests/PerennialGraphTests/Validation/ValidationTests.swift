// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// A change that breaks a rule, and the code of the error.
struct BrokenRule: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var code: PerennialError.Code
  var property: String
  var change: @Sendable (Entry) -> Void

  static let all: [BrokenRule] = [
    .init(testDescription: "int too small", code: .numberTooSmall, property: "rating") {
      $0.rating = 0
    },
    .init(testDescription: "int too large", code: .numberTooLarge, property: "rating") {
      $0.rating = 6
    },
    .init(testDescription: "decimal too small", code: .numberTooSmall, property: "price") {
      $0.price = -1
    },
    .init(testDescription: "decimal too large", code: .numberTooLarge, property: "price") {
      $0.price = 101
    },
    .init(testDescription: "double too small", code: .numberTooSmall, property: "weight") {
      $0.weight = 0.25
    },
    .init(testDescription: "double too large", code: .numberTooLarge, property: "weight") {
      $0.weight = 10
    },
    .init(testDescription: "date too soon", code: .dateTooSoon, property: "date") {
      $0.date = Date(timeIntervalSinceReferenceDate: 86_399)
    },
    .init(testDescription: "date too late", code: .dateTooLate, property: "date") {
      $0.date = Date(timeIntervalSinceReferenceDate: 90_001)
    },
    .init(testDescription: "date of no time", code: .invalidDate, property: "date") {
      $0.date = Date(timeIntervalSinceReferenceDate: .nan)
    },
    .init(testDescription: "text too short", code: .stringTooShort, property: "code") {
      $0.code = "a"
    },
    .init(testDescription: "text too long", code: .stringTooLong, property: "code") {
      $0.code = "abcdefg"
    },
    .init(testDescription: "only a part matches", code: .stringPatternMatching, property: "code") {
      $0.code = "abc1"
    },
    .init(testDescription: "data too short", code: .stringTooShort, property: "photo") {
      $0.photo = Data()
    },
    .init(testDescription: "data too long", code: .stringTooLong, property: "photo") {
      $0.photo = Data([1, 2, 3, 4])
    },
    .init(testDescription: "a false condition", code: .validation, property: "word") {
      $0.word = "root"
    },
    .init(testDescription: "a text that is no URL", code: .invalidURI, property: "link") { entry in
      // Safe because the bytes are copied inside the call that lends them.
      Array("".utf8).withUnsafeBytes { entry._store(.bytes($0), 7) }
    },
    .init(testDescription: "a to-one condition", code: .validation, property: "parent") {
      $0.parent = $0
    },
    .init(testDescription: "a transient attribute", code: .numberTooLarge, property: "note") {
      $0.note = 10
    },
  ]
}

@Suite("SEMANTICS 1B: validation")
struct ValidationTests {
  private func bench(_ kind: StoreKind) throws -> Bench {
    try Bench(kind, model: ManagedObjectModel(Entry.entity), classes: [Entry.self])
  }

  private func error(_ body: () throws -> Void) -> PerennialError? {
    do {
      try body()
      return nil
    } catch {
      return error as? PerennialError
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.1 values that meet every rule are saved, absent ones meet them all`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    _ = Entry(context: context)
    let entry = Entry(context: context)
    entry.rating = 5
    entry.price = 0
    entry.weight = 9.5
    entry.date = Date(timeIntervalSinceReferenceDate: 86_400)
    entry.code = "ab"
    entry.photo = Data([1])
    entry.word = "other"
    entry.link = URL(string: "https://a.example")
    entry.parent = entry
    entry.note = 9
    #expect(try context.validate().isEmpty)
    try context.save()
  }

  @Test(arguments: StoreKind.allCases, BrokenRule.all)
  func `1B.3 every broken rule has Core Data's code`(
    _ kind: StoreKind,
    _ rule: BrokenRule
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let entry = Entry(context: context)
    rule.change(entry)
    let refused = try #require(error { try context.save() })
    #expect(refused.code == rule.code)
    #expect(refused.property == rule.property)
    #expect(refused.entity == "Entry")
    #expect(refused.objectID == entry.objectID)
    #expect(PerennialError.validation ~= refused)
    #expect(context.hasChanges)
    context.rollback()

    let stored = Entry(context: context)
    try context.save()
    rule.change(stored)
    #expect(error { try context.save() }?.code == rule.code)
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.1 a condition has its own message, and to-many conditions see the members`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let parent = Entry(context: context)
    parent.rating = 2
    parent.word = "root"
    #expect(error { try context.save() }?.message == "Choose another word.")
    parent.word = nil
    for _ in 0..<3 { Entry(context: context).parent = parent }
    let refused = try #require(error { try context.save() })
    #expect(refused.property == "children")
    #expect(refused.message.contains("'Entry.children'"))
    try context.delete(#require(parent.children.map { $0 }.first))
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.3 several problems are one error with all of them`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let (one, two) = (Entry(context: context), Entry(context: context))
    one.rating = 9
    one.code = "A"
    two.rating = 0
    let refused = try #require(error { try context.save() })
    #expect(refused.code == .multipleErrors)
    #expect(
      refused.problems.map(\.code.rawValue).sorted() == [1610, 1620, 1670, 1680]
    )
    #expect(Set(refused.problems.compactMap(\.objectID)) == [one.objectID, two.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.4 validate finds all problems at any time and saves nothing`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let entry = Entry(context: context)
    entry.rating = 9
    entry.code = "A"
    #expect(try context.validate().map(\.code.rawValue) == [1610, 1670, 1680])
    #expect(entry.isInserted)
    entry.rating = 1
    entry.code = nil
    #expect(try context.validate().isEmpty)
    #expect(try bench.context().count(for: Entry.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 validateValue checks a value without setting it`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let entry = Entry(context: context)
    try entry.validateValue(5, forKey: "rating")
    try entry.validateValue(nil, forKey: "code")
    #expect(code { try entry.validateValue(6, forKey: "rating") } == .numberTooLarge)
    #expect(code { try entry.validateValue(nil, forKey: "rating") } == .missingMandatoryProperty)
    #expect(code { try entry.validateValue("A1", forKey: "code") } == .stringPatternMatching)
    #expect(code { try entry.validateValue("A", forKey: "code") } == .multipleErrors)
    #expect(code { try entry.validateValue("x", forKey: "rating") } == .typeMismatch)
    #expect(code { try entry.validateValue(1, forKey: "ratign") } == .unknownName)
    #expect(entry.rating == 1)
    withExtendedLifetime(context) {}
  }

  @Test func `1B.1 lengths count UTF-16 units, as the function length of predicates does`() throws {
    let bench = try bench(.inMemory)
    let context = bench.context()
    let entry = Entry(context: context)
    #expect(code { try entry.validateValue("👩‍👩‍👧‍👦", forKey: "code") } == .multipleErrors)
    withExtendedLifetime(context) {}
  }
}

@Suite("SEMANTICS 1B.2: a class's own checks")
struct OwnValidationTests {
  private func bench(_ kind: StoreKind) throws -> Bench {
    try Bench(kind, model: ManagedObjectModel(Guarded.entity), classes: [Guarded.self])
  }

  /// The code and the place of the error of a save.
  private func refusal(_ context: ManagedObjectContext) -> String? {
    do {
      try context.save()
      return nil
    } catch {
      let place = (error.underlying as? Guarded.Refusal)?.place
      return "\(error.code.rawValue) \(place ?? "-")"
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 validateForInsert, Update and Delete refuse with their own errors`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let object = Guarded(context: context)
    object.title = "noinsert"
    #expect(refusal(context) == "1550 insert")
    object.title = "a"
    try context.save()
    object.title = "noupdate"
    #expect(refusal(context) == "1550 update")
    object.title = "nodelete"
    try context.save()
    context.delete(object)
    #expect(refusal(context) == "1550 delete")
    context.rollback()
    object.title = "b"
    try context.save()
    context.delete(object)
    try context.save()
    #expect(try bench.context().count(for: Guarded.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 an error that is none of validation is the save's own, and all stays pending`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let (one, two) = (Guarded(context: context), Guarded(context: context))
    (one.title, two.title) = ("1", "2")
    try context.save()
    (one.title, two.title) = ("timeout", "noupdate")
    #expect(refusal(context) == "134090 -")
    #expect(code { _ = try context.validate() } == .persistentStoreTimeout)
    (one.title, two.title) = ("a", "b")
    try context.save()
    #expect(try Set(bench.context().fetch(Guarded.all).map(\.title)) == ["a", "b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 the model's rules come from super, and problems of several objects are listed`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let (one, two) = (Guarded(context: context), Guarded(context: context))
    one.title = "no insert"
    two.title = "noinsert"
    let problems = try context.validate()
    #expect(problems.map(\.code) == [.stringTooLong, .validation])
    #expect(problems.map(\.objectID) == [one.objectID, two.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 a change made by a check is saved too, and an endless one is an error`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let object = Guarded(context: context)
    object.title = "b"
    try context.save()
    object.title = "once"
    try context.save()
    #expect(try bench.context().fetch(Guarded.all).map(\.count) == [7])
    object.title = "endless"
    #expect(refusal(context) == "1550 -")
    #expect(object.isUpdated)
    context.rollback()
    #expect(object.title == "once")
  }
}

@Suite("SEMANTICS 1B.1: rules that cannot be read")
struct WrongRuleTests {
  private func problem(_ rules: ValidationRules, _ type: AttributeType = .string) -> PerennialError?
  {
    do {
      let model = try ManagedObjectModel(
        EntityDescription("A", properties: [.attribute("x", type, validation: rules)])
      )
      try StoreCoordinator.check(model)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    (ValidationRules(pattern: "[a"), AttributeType.string),
    (ValidationRules(predicates: ["SELF ="]), .string),
    (ValidationRules(minimum: .integer(1)), .string),
    (ValidationRules(minimum: .string("a")), .int64),
    (ValidationRules(minimumLength: 1), .int64),
    (ValidationRules(minimumLength: 2, maximumLength: 1), .string),
    (ValidationRules(pattern: "a"), .int64),
  ])
  func `1B.1 a wrong rule is an invalid model that names the property`(
    _ rules: ValidationRules,
    _ type: AttributeType
  ) throws {
    let error = try #require(problem(rules, type))
    #expect(error.code == .invalidModel)
    #expect(error.entity == "A")
    #expect(error.property == "x")
    #expect(error.message.contains("'A.x'"))
    #expect(!error.recovery.isEmpty)
  }

  @Test func `1A.13 an index whose condition does not parse is an error that names it`() throws {
    var entity = EntityDescription("A", properties: [.attribute("x", .int64)])
    entity.indexes = [
      FetchIndexDescription("i", elements: [.init("x")], partialIndexPredicate: "x >")
    ]
    let model = try ManagedObjectModel(entity)
    let error = #expect(throws: PerennialError.self) { try StoreCoordinator.check(model) }
    #expect(error?.code == .invalidModel)
    #expect(error?.entity == "A")
    #expect(error?.message.contains("'i' of 'A'") == true)
  }

  @Test func `1B.1 a condition on a to-one relationship may name only what its object has`() throws
  {
    let model = try ManagedObjectModel(
      EntityDescription(
        "A",
        properties: [
          .attribute("x", .string),
          .relationship(RelationshipDescription("other", to: "A", validation: ["y == 1"])),
        ]
      )
    )
    #expect(code { try StoreCoordinator.check(model) } == .invalidModel)
  }

  @Test func `1B.1 rules are not in the version hash and survive coding`() throws {
    let plain = try ManagedObjectModel(
      EntityDescription("A", properties: [.attribute("x", .int64)])
    )
    let ruled = try ManagedObjectModel(
      EntityDescription(
        "A",
        properties: [
          .attribute(
            "x",
            .int64,
            validation: ValidationRules(minimum: .integer(1), predicates: ["SELF < 9"])
          )
        ]
      )
    )
    #expect(plain.layout.versionHashes == ruled.layout.versionHashes)
    let copy = try JSONDecoder()
      .decode(ManagedObjectModel.self, from: JSONEncoder().encode(ruled))
    #expect(copy == ruled)
    #expect(copy != plain)
  }
}
