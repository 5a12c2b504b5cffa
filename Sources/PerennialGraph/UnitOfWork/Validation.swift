// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Checks changed objects against the model before a save.
enum Validation {
  /// Adds everything that is wrong with an inserted or updated object whose row has to be looked at closely.
  static func check(
    _ object: ManagedObject,
    in context: ManagedObjectContext,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    let row = object._loadedRow()
    let layout = context.layout(of: object)
    if object._home?.pointee.validatesEachValue == true {
      return try checkEach(object, layout, in: context, &problems)
    }
    for slot in layout.requiredSlots where PackedRow.isNull(row, slot) {
      problems.append(.missingValue(object, layout.slots[slot].name))
    }
    checkNumbers(of: object, row, layout, &problems)
    let rules = context.coordinator.rules.entities[layout.index]
    if !rules.isEmpty { try rules.check(object, row, &problems) }
    for relationship in layout.countedToManys {
      try checkCount(of: object, relationship, in: context, &problems)
    }
  }

  /// Adds the numbers and dates of an object that no store keeps, or not every one as they are.
  ///
  /// Safe because the row is that of the object, and is read at once.
  static func checkNumbers(
    of object: ManagedObject,
    _ row: UnsafeRawPointer,
    _ layout: EntityLayout,
    _ problems: inout [PerennialError]
  ) {
    for slot in layout.numberSlots where PackedRow.double(row, slot).isNaN {
      let name = layout.slots[slot].name
      let isDate = layout.slots[slot].attribute?.type == .date
      problems.append(isDate ? .invalidDate(object, name) : .notANumber(object, name))
    }
    for slot in layout.decimalSlots {
      let text = PackedRow.bytes(row, slot)
      let isNaN = DecimalDigits.isNaN(text)
      guard isNaN || DecimalDigits.isRounded(text), !object._isAsRead(slot) else { continue }
      let name = layout.slots[slot].name
      problems.append(isNaN ? .notANumber(object, name) : .tooManyDigits(object, name))
    }
  }

  /// Adds what is wrong with the members of an owner that is not changed itself; its row is not loaded.
  static func checkMembers(
    of owner: ManagedObject,
    in context: ManagedObjectContext,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    let layout = context.layout(of: owner)
    if owner._home?.pointee.validatesEachValue == true {
      return try checkEachToMany(owner, layout, in: context, &problems)
    }
    for relationship in layout.countedToManys {
      try checkCount(of: owner, relationship, in: context, &problems)
    }
    for rule in context.coordinator.rules.entities[layout.index].relationships
    where rule.relationship.isToMany {
      try rule.check(owner, &problems)
    }
  }

  /// Adds what is wrong with the number of an owner's members.
  static func checkCount(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout,
    in context: ManagedObjectContext,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    let count = try context.memberCount(of: owner, relationship)
    checkCount(count, of: owner, relationship, &problems)
  }

  /// Adds what is wrong with a number of members.
  static func checkCount(
    _ count: Int,
    of owner: ManagedObject,
    _ relationship: RelationshipLayout,
    _ problems: inout [PerennialError]
  ) {
    if let problem = problem(ofCount: count, relationship, owner) { problems.append(problem) }
  }

  private static func problem(
    ofCount count: Int,
    _ relationship: RelationshipLayout,
    _ object: ManagedObject
  ) -> PerennialError? {
    let description = relationship.description
    if count == 0, description.isOptional { return nil }
    if count < max(description.minimumCount, description.isOptional ? 0 : 1) {
      return .tooFew(object, relationship)
    }
    if description.maximumCount > 0, count > description.maximumCount {
      return .tooMany(object, relationship)
    }
    return nil
  }
}

extension PropertyValue {
  /// Whether every store keeps the value as it is.
  var isKept: Bool {
    switch self {
    case .double(let number): !number.isNaN
    case .date(let date): !date.timeIntervalSinceReferenceDate.isNaN
    case .decimal(let number): !number.isNaN && !DecimalDigits.isRounded(number)
    default: true
    }
  }
}

/// The significant digits of a decimal's text.
enum DecimalDigits {
  /// What the DECIMAL column of a SQLite store keeps exactly, if it is no whole number of 64 bits.
  static let limit = 15

  /// Whether a store would round a number.
  static func isRounded(_ number: Decimal) -> Bool {
    var text = number.description
    return text.withUTF8 { isRounded(UnsafeRawBufferPointer($0)) }
  }

  // Safe because the bytes are read before the call returns; their row belongs to a live object.
  static func isNaN(_ text: UnsafeRawBufferPointer) -> Bool { text.first == UInt8(ascii: "N") }

  // Safe because the bytes are read before the call returns; their row belongs to a live object.
  static func isRounded(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count > limit && count(text) > limit
      && Int64(String(decoding: text, as: UTF8.self)) == nil
  }

  private static func count(_ text: UnsafeRawBufferPointer) -> Int {
    let digits = text.filter { (48...57).contains($0) }.drop { $0 == 48 }
    let trailing = digits.reversed().prefix { $0 == 48 }.count
    return digits.count - trailing
  }
}

extension ManagedObject {
  /// Whether a slot has what was read: that another program's store holds what cannot be assigned must not keep
  /// the object's other values from being saved.
  final func _isAsRead(_ slot: Int) -> Bool {
    guard let edit = _edit, edit.pointee.state == .updated else { return false }
    return !EditRecord.isChanged(edit, slot)
  }
}
