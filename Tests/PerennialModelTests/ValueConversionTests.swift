// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

/// How a value becomes one of another type: of a fetched column, of a derived attribute, and in a history after
/// a migration.
@Suite("Values of other types")
struct ValueConversionTests {
  private static let half = Decimal(sign: .plus, exponent: -1, significand: 15)
  private static let day = Date(timeIntervalSinceReferenceDate: 86_400)

  @Test(arguments: [
    (PropertyValue.double(2.9), AttributeType.int64, PropertyValue.integer(2)),
    (.double(-2.9), .int16, .integer(-2)), (.decimal(half), .int32, .integer(1)),
    (.boolean(true), .int64, .integer(1)), (.boolean(false), .int64, .integer(0)),
    (.integer(3), .double, .double(3)), (.boolean(true), .float, .double(1)),
    (.boolean(false), .double, .double(0)), (.decimal(half), .double, .double(1.5)),
    (.integer(3), .decimal, .decimal(3)), (.double(1.5), .decimal, .decimal(half)),
    (.boolean(true), .decimal, .decimal(1)), (.integer(2), .bool, .boolean(true)),
    (.integer(0), .bool, .boolean(false)), (.integer(86_400), .date, .date(day)),
    (.double(86_400), .date, .date(day)), (.integer(3), .string, .string("3")),
    (.decimal(half), .string, .string("1.5")),
  ])
  func `a number is a value of the type that a column has`(
    _ value: PropertyValue,
    _ type: AttributeType,
    _ expected: PropertyValue
  ) {
    #expect(value.converted(to: type) == expected)
  }

  @Test(arguments: [
    (PropertyValue.string("x"), AttributeType.int64), (.string("x"), .double),
    (.string("x"), .decimal), (.string("x"), .bool), (.string("x"), .date),
    (.boolean(true), .string),
    (.double(1e300), .int64), (.double(.nan), .int64), (.integer(1), .uuid), (.null, .int16),
  ])
  func `what is no number, or cannot be held, stays as it is`(
    _ value: PropertyValue,
    _ type: AttributeType
  ) {
    let converted = value.converted(to: type)
    if case .double(let number) = value, number.isNaN {
      guard case .double(let same) = converted else {
        Issue.record("\(converted)")
        return
      }
      #expect(same.isNaN)
    } else {
      #expect(converted == value)
    }
  }

  @Test(arguments: [
    (PropertyValue.double(1.5), AttributeType.decimal, PropertyValue.decimal(half)),
    (.double(3), .int16, .integer(3)), (.double(3.5), .int64, .null),
    (.double(1e300), .int32, .null),
    (.decimal(half), .float, .double(1.5)), (.decimal(half), .double, .double(1.5)),
    (.integer(40_000), .int16, .null), (.integer(40_000), .int32, .integer(40_000)),
    (.string("x"), .int64, .null), (.string("x"), .string, .string("x")),
  ])
  func `a derived value fits its attribute, or there is none`(
    _ value: PropertyValue,
    _ type: AttributeType,
    _ expected: PropertyValue
  ) {
    #expect(value.fitting(type) == expected)
    #expect(PropertyValue(derived: .scalar(value), as: type) == expected)
    #expect(PropertyValue(derived: .null, as: type) == .null)
  }

  // MARK: Histories

  /// An object with a value of a type, an ordered relationship and its inverse.
  private static func model(
    _ type: AttributeType,
    optional isOptional: Bool,
    ordered isOrdered: Bool = true
  ) throws -> ModelLayout {
    let value = AttributeDescription(
      "value",
      type,
      isOptional: isOptional,
      defaultValue: isOptional ? .null : .integer(5)
    )
    return try ManagedObjectModel(
      EntityDescription(
        "Thing",
        properties: [
          .attribute(value), .toOne("box", "Box", inverse: "things"),
          .attribute("extra", .int64, default: 7),
        ]
      ),
      EntityDescription(
        "Box",
        properties: [.toMany("things", "Thing", inverse: "box", ordered: isOrdered)]
      )
    ).layout
  }

  private static func translation(
    of entity: String,
    _ old: ModelLayout,
    _ new: ModelLayout
  ) throws -> HistoryTranslation {
    let mapping = ModelMapping(from: old, to: new)
    let entity = try #require(mapping.entities.first { old.entities[$0.source].name == entity })
    return HistoryTranslation(entity, mapping)
  }

  @Test(arguments: [
    (AttributeType.int32, PropertyValue.integer(3), AttributeType.double, PropertyValue.double(3)),
    (.int64, .integer(3), .decimal, .decimal(3)), (.bool, .boolean(true), .int64, .integer(1)),
    (.bool, .boolean(false), .int16, .integer(0)),
    (
      .url, .url(URL(string: "https://example.org") ?? .homeDirectory), .string,
      .string("https://example.org")
    ), (.int64, .null, .int64, .null),
  ])
  func `a history tells values as a migration converts them`(
    _ old: AttributeType,
    _ value: PropertyValue,
    _ new: AttributeType,
    _ expected: PropertyValue
  ) throws {
    let translation = try Self.translation(
      of: "Thing",
      Self.model(old, optional: true),
      Self.model(new, optional: true)
    )
    #expect(translation.values(["value": value]) == ["value": expected])
    #expect(translation.values(["gone": value]).isEmpty)
  }

  @Test func `what becomes required has its default in a history`() throws {
    let translation = try Self.translation(
      of: "Thing",
      Self.model(.int64, optional: true),
      Self.model(.int64, optional: false)
    )
    #expect(translation.values(["value": .null]) == ["value": .integer(5)])
    var details = HistoryDetails()
    details.values = ["value": .integer(1)]
    let deleted = translation.details(details, of: .delete)
    #expect(deleted.values == ["value": .integer(1), "box": .null, "extra": .integer(7)])
    #expect(translation.details(details, of: .update).values == details.values)
  }

  @Test(arguments: [true, false])
  func `a history keeps orders and places where the relationship is ordered`(_ isOrdered: Bool)
    throws
  {
    let old = try Self.model(.int64, optional: true)
    let new = try Self.model(.int64, optional: true, ordered: isOrdered)
    var ofBox = HistoryDetails()
    (ofBox.added, ofBox.orders) = (["things": [1]], ["things": [2, 1], "gone": [1]])
    let box = try Self.translation(of: "Box", old, new).details(ofBox, of: .update)
    #expect(box.added == ["things": [1]])
    #expect(box.orders == (isOrdered ? ["things": [2, 1]] : [:]))
    var ofThing = HistoryDetails()
    ofThing.places = ["box": 1, "gone": 2]
    let thing = try Self.translation(of: "Thing", old, new).details(ofThing, of: .update)
    #expect(thing.places == (isOrdered ? ["box": 1] : [:]))
  }
}
