// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

extension EntityRules {
  /// Adds what is wrong with the values of an object.
  ///
  /// Safe because the row is that of the object, which the caller holds, and is read at once.
  func check(
    _ object: ManagedObject,
    _ row: UnsafeRawPointer,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    guard let home = object._home else { return }
    for slot in urlSlots where !PackedRow.isNull(row, slot) && !object._isAsRead(slot) {
      let text = String(decoding: PackedRow.bytes(row, slot), as: UTF8.self)
      if URL(string: text) == nil {
        problems.append(.invalidURL(object, home.pointee.layout.slots[slot].name))
      }
    }
    for attribute in attributes where !PackedRow.isNull(row, attribute.slot) {
      let value = PackedRow.value(row, attribute.slot, type: attribute.type)
      let name = home.pointee.layout.slots[attribute.slot].name
      // Bounds of Floats are rounded; what has long been in a store may not be.
      let rounded = value.rounded(to: attribute.type) ?? value
      attribute.check(rounded, ValidatedProperty(object, name), &problems)
    }
    for rule in relationships { try rule.check(object, &problems) }
  }
}

extension EntityRules.Attribute {
  /// Adds what is wrong with a value that is not null.
  func check(
    _ value: PropertyValue,
    _ property: ValidatedProperty,
    _ problems: inout [PerennialError]
  ) {
    let isDate = type == .date
    if let order = value.order(against: rules.minimum), order < 0 {
      problems.append(property.problem(isDate ? .dateTooSoon : .numberTooSmall))
    }
    if let order = value.order(against: rules.maximum), order > 0 {
      problems.append(property.problem(isDate ? .dateTooLate : .numberTooLarge))
    }
    if let length = value.length {
      if let minimum = rules.minimumLength, length < minimum {
        problems.append(property.problem(.stringTooShort))
      }
      if let maximum = rules.maximumLength, length > maximum {
        problems.append(property.problem(.stringTooLong))
      }
    }
    // What takes too long to tell is no match.
    if let matcher, case .string(let text) = value, (try? matcher.matches(text)) != true {
      problems.append(property.problem(.stringPatternMatching))
    }
    property.check(.scalar(value), conditions, &problems)
  }
}

extension EntityRules.Relationship {
  /// Adds the conditions that an object's relationship does not meet.
  func check(
    _ object: ManagedObject,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    guard let value = try value(of: object) else { return }
    let property = ValidatedProperty(object, relationship.name)
    property.check(value, conditions, &problems)
  }

  /// The object or objects, as conditions see them; `nil` for a to-one relationship without one.
  fileprivate func value(of object: ManagedObject) throws(PerennialError) -> EvaluationValue? {
    guard let home = object._home else { return nil }
    switch relationship.place {
    case .slot(let slot):
      guard let target = object._target(slot), !target.isDeleted else { return nil }
      return .object(ObjectSource(target))
    case .toMany:
      let members = try home.pointee.context.members(of: object, relationship)
      return .list(members.filter { !$0.isDeleted }.map { .object(ObjectSource($0)) })
    }
  }
}

/// A property whose value is looked at, for errors.
struct ValidatedProperty {
  private let object: ManagedObject
  private let name: String

  init(_ object: ManagedObject, _ name: String) {
    self.object = object
    self.name = name
  }

  /// The error of a rule that is broken.
  func problem(_ code: PerennialError.Code) -> PerennialError {
    .brokenRule(object, name, code)
  }

  /// Adds the conditions that are false, or cannot be decided, for a value.
  func check(
    _ value: EvaluationValue,
    _ conditions: [EntityRules.Condition],
    _ problems: inout [PerennialError]
  ) {
    for condition in conditions {
      do throws(PerennialError) {
        if try !PredicateEvaluator(value).evaluate(condition.node) {
          problems.append(.falseCondition(object, name, condition.message, nil))
        }
      } catch {
        problems.append(.falseCondition(object, name, condition.message, error))
      }
    }
  }
}

extension PropertyValue {
  /// The UTF-16 units of a text or the bytes of data.
  fileprivate var length: Int? {
    switch self {
    case .string(let text): text.utf16.count
    case .data(let data): data.count
    default: nil
    }
  }
}
