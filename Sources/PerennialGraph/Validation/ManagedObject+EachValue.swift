// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

// The checks of one property, which a class may extend by overriding `validateValue(_:forKey:)`.

extension ManagedObject {
  /// What the model says against a value; the base of `validateValue(_:forKey:)`.
  final func _checkValue(
    _ value: (any Sendable)?,
    forKey key: String
  ) throws(PerennialError) {
    let object = _survivor ?? self
    guard let home = object._home else { throw .objectGone(objectID) }
    let layout = home.pointee.layout
    var problems: [PerennialError] = []
    if let relationship = layout.relationship(named: key) {
      try object.check(value, for: relationship, &problems)
    } else {
      let keyed = try _keyedValue(value, key)
      keyed.object.check(keyed, key, &problems)
    }
    if let error = PerennialError.combined(problems) { throw error }
  }

  private final func check(
    _ keyed: KeyedValue,
    _ key: String,
    _ problems: inout [PerennialError]
  ) {
    guard !keyed.value.isNull else {
      if keyed.layout.requiredSlots.contains(keyed.slot) {
        problems.append(.missingValue(self, key))
      }
      return
    }
    switch keyed.value {
    case .double(let number) where number.isNaN: problems.append(.notANumber(self, key))
    case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN:
      problems.append(.invalidDate(self, key))
    case .decimal(let number) where !keyed.value.isKept:
      if _isAsRead(keyed.slot), _propertyValue(keyed.slot) == keyed.value { break }
      problems.append(number.isNaN ? .notANumber(self, key) : .tooManyDigits(self, key))
    default: break
    }
    guard let context = managedObjectContext else { return }
    for rule in context.coordinator.rules.entities[keyed.layout.index].attributes
    where rule.slot == keyed.slot {
      rule.check(keyed.value, ValidatedProperty(self, key), &problems)
    }
  }

  private final func check(
    _ value: (any Sendable)?,
    for relationship: RelationshipLayout,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    guard let context = managedObjectContext, let home = _home else { return }
    let ids: [ManagedObjectID]
    switch value {
    case nil: ids = []
    case let id as ManagedObjectID where !relationship.isToMany: ids = [id]
    case let list as [ManagedObjectID] where relationship.isToMany: ids = list
    default:
      throw PerennialError(
        .typeMismatch,
        "'\(home.pointee.layout.name).\(relationship.name)' is a relationship.",
        recovery: relationship.isToMany ? "give a list of IDs" : "give an ID or nil",
        entity: home.pointee.layout.name,
        property: relationship.name
      )
    }
    if relationship.isToMany {
      Validation.checkCount(ids.count, of: self, relationship, &problems)
    } else if ids.isEmpty, !relationship.description.isOptional {
      problems.append(.missingValue(self, relationship.name))
    }
    let rules = context.coordinator.rules.entities[home.pointee.index].relationships
    for rule in rules where rule.relationship === relationship {
      var sources: [EvaluationValue] = []
      for id in ids {
        sources.append(.object(ObjectSource(try context.existingObject(with: id))))
      }
      let property = ValidatedProperty(self, relationship.name)
      if relationship.isToMany {
        property.check(.list(sources), rule.conditions, &problems)
      } else if let source = sources.first {
        property.check(source, rule.conditions, &problems)
      }
    }
  }
}

extension Validation {
  /// Asks an object for each of its properties, and adds what it throws.
  static func checkEach(
    _ object: ManagedObject,
    _ layout: EntityLayout,
    in context: ManagedObjectContext,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    for (slot, property) in layout.slots.enumerated()
    where property.attribute?.derivationExpression == nil {
      try ask(object, property.name, object._propertyValue(slot).sendable, &problems)
    }
    try checkEachToMany(object, layout, in: context, &problems)
  }

  /// Asks an object for each of its to-many relationships, and adds what it throws.
  static func checkEachToMany(
    _ object: ManagedObject,
    _ layout: EntityLayout,
    in context: ManagedObjectContext,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    for (index, relationship) in layout.toManys.enumerated() {
      if try object.hasFault(forRelationshipNamed: relationship.name) {
        try checkRules(of: object, relationship, in: context, &problems)
      } else {
        try ask(object, relationship.name, object._memberIDs(index), &problems)
      }
    }
  }

  private static func ask(
    _ object: ManagedObject,
    _ key: String,
    _ value: (any Sendable)?,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    do {
      try object.validateValue(value, forKey: key)
    } catch let error as PerennialError {
      guard PerennialError.validation ~= error else { throw error }
      problems += error.problems.isEmpty ? [error] : error.problems
    } catch {
      var problem = PerennialError.refused(object, by: "validateValue(_:forKey:)", error)
      problem.property = key
      problems.append(problem)
    }
  }

  /// Adds what the model says against a to-many relationship.
  private static func checkRules(
    of object: ManagedObject,
    _ relationship: RelationshipLayout,
    in context: ManagedObjectContext,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    guard let index = object._home?.pointee.index else { return }
    if object._home?.pointee.layout.countedToManys.contains(where: { $0 === relationship }) == true
    {
      try checkCount(of: object, relationship, in: context, &problems)
    }
    for rule in context.coordinator.rules.entities[index].relationships
    where rule.relationship === relationship {
      try rule.check(object, &problems)
    }
  }
}
