// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

private enum GuestError: Error { case reserved, crowded }

/// A class that checks single properties.
private final class Guest: ManagedObject, ManagedEntity {
  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var age: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var size: Double {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var host: Guest? {
    get { _get(3) }
    set { _set(3, newValue) }
  }
  var rate: Decimal? {
    get { _get(4) }
    set { _set(4, newValue) }
  }
  var guests: ToMany<Guest> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var validatesEachValue: Bool { true }

  override func validateValue(_ value: (any Sendable)?, forKey key: String) throws {
    // The rules of the model do not hold for it.
    if key == "age", value as? Int64 == 999 { return }
    try super.validateValue(value, forKey: key)
    if key == "name", value as? String == "root" { throw GuestError.reserved }
    if key == "guests", let ids = value as? [ManagedObjectID], ids.count > 1 {
      throw GuestError.crowded
    }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Guest.self,
        named: "Guest",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, maximumLength: 4), .of("age", Int.self, default: 1, maximum: 99),
          .of("size", Double.self, default: 1),
          .of("host", (Guest?).self, inverse: "guests"), .of("rate", (Decimal?).self),
          .of("guests", ToMany<Guest>.self, inverse: "host", maximumCount: 2),
        ]
      )
    }
    return Storage.entity
  }
}

@Suite("SEMANTICS 1B.2: validateValue for each property")
struct EachValueTests {
  private func bench(_ kind: StoreKind) throws -> Bench {
    try Bench(kind, model: ManagedObjectModel(Guest.entity), classes: [Guest.self])
  }

  private func guest(_ name: String, _ context: ManagedObjectContext) -> Guest {
    let guest = Guest(context: context)
    guest.name = name
    return guest
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 an error of one key is joined with the others, each with its property`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let guest = guest("root", context)
    guest.age = 100
    guest.size = .nan
    for name in ["a", "b"] { self.guest(name, context).host = guest }
    let problems = try context.validate()
    #expect(problems.map(\.property) == ["name", "age", "size", "guests"])
    #expect(problems.map(\.code) == [.validation, .numberTooLarge, .validation, .validation])
    #expect(problems.first?.underlying is GuestError)
    #expect(problems.allSatisfy { $0.objectID == guest.objectID && $0.entity == "Guest" })
    do {
      try context.save()
      Issue.record("the save succeeded")
    } catch {
      #expect(error.code == .multipleErrors)
      #expect(error.problems.count == 4)
    }
  }

  @Test(arguments: [
    ("123456789012345", false), ("-1.23456789012345", false), ("1234567890123456", false),
    ("1.234567890123456", true), ("0.000000001234567890123450", false), ("NaN", true),
    ("12345678901234567890", true),
  ])
  func `1B.2 a decimal that a store would round, or that is no number, is refused`(
    _ text: String,
    _ isRefused: Bool
  ) throws {
    let bench = try bench(.inMemory)
    let context = bench.context()
    let guest = guest("a", context)
    guest.rate = try #require(text == "NaN" ? .nan : Decimal(string: text))
    #expect(try context.validate().map(\.property) == (isRefused ? ["rate"] : []))
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 the model's rules hold where super is asked, and only there`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let guest = Guest(context: context)
    #expect(try context.validate().map(\.code) == [.missingMandatoryProperty])
    guest.name = "abcde"
    #expect(try context.validate().map(\.code) == [.stringTooLong])
    guest.name = "abcd"
    guest.age = 999
    try context.save()
    let again = try #require(try bench.context().fetch(Guest.all).first)
    #expect(again.age == 999)
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 a changed object is asked, and members that are not loaded stay so`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let writer = bench.context()
    let host = guest("host", writer)
    guest("a", writer).host = host
    try writer.save()
    let context = bench.context()
    let mine = try #require(try context.existingObject(with: host.objectID) as? Guest)
    mine.name = "root"
    #expect(code { try context.save() } == .validation)
    #expect(try mine.hasFault(forRelationshipNamed: "guests"))
    mine.name = "ok"
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 an owner of which only members changed is asked for its relationships`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let host = guest("host", context)
    let first = guest("a", context)
    first.host = host
    try context.save()
    let members = Array(host.guests)
    let second = guest("b", context)
    second.host = host
    let problems = try context.validate()
    #expect(problems.map(\.property) == ["guests"])
    #expect(problems.map(\.objectID) == [host.objectID])
    #expect(problems.first?.underlying is GuestError)
    #expect(code { try context.save() } == .validation)
    second.host = nil
    try context.save()
    #expect(members == [first] && Array(host.guests) == [first])
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 relationships are checked by their IDs`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let guest = guest("a", context)
    let ids = (0..<3).map { _ in Guest(context: context).objectID }
    try guest.validateValue(ids[0], forKey: "host")
    try guest.validateValue(nil, forKey: "host")
    #expect(code { try guest.validateValue("x", forKey: "host") } == .typeMismatch)
    #expect(
      code { try guest.validateValue(ids, forKey: "guests") } == .relationshipExceedsMaximumCount
    )
    try guest.validateValue([ids[0]], forKey: "guests")
  }

  @Test func `1B.2 the rules of relationships hold for the IDs that are given`() throws {
    let owner = RelationshipDescription(
      "owner",
      to: "Owner",
      inverse: "items",
      isOptional: false,
      validation: ["SELF.name != 'bad'"]
    )
    let items = RelationshipDescription(
      "items",
      to: "Item",
      inverse: "owner",
      isToMany: true,
      validation: ["SELF.@count < 2"]
    )
    let model = try ManagedObjectModel(
      EntityDescription("Item", properties: [.relationship(owner)]),
      EntityDescription(
        "Owner",
        properties: [.attribute("name", .string, optional: true), .relationship(items)]
      )
    )
    let bench = try Bench(.inMemory, model: model, classes: [])
    let context = bench.context()
    let members = try (0..<2).map { _ in try context.make("Item") }
    let (good, bad) = (try context.make("Owner"), try context.make("Owner", ["name": "bad"]))
    let ids = members.map(\.objectID)
    try members[0].validateValue(good.objectID, forKey: "owner")
    #expect(code { try members[0].validateValue(bad.objectID, forKey: "owner") } == .validation)
    #expect(
      code { try members[0].validateValue(nil, forKey: "owner") } == .missingMandatoryProperty
    )
    try good.validateValue([ids[0]], forKey: "items")
    #expect(code { try good.validateValue(ids, forKey: "items") } == .validation)
    let error = try failure { try good.validateValue(ids[0], forKey: "items") }
    #expect(error.code == .typeMismatch && error.recovery == "give a list of IDs")
    context.delete(good)
    try context.processPendingChanges()
    context.rollback()
    #expect(code { try good.validateValue("x", forKey: "name") } == .objectGone)
  }
}
