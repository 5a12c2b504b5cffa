// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

// The errors of objects and contexts. Every text says what is wrong, then what to do.

extension PerennialError {
  static func foreignObject(
    _ object: ManagedObject,
    context: ManagedObjectContext,
    relationship: RelationshipLayout?
  ) -> PerennialError {
    let theirs = object.managedObjectContext
    let ours = context.name ?? "this context"
    let id = object.objectID
    return PerennialError(
      .foreignObject,
      theirs.map {
        "An object of '\(id.entityName)' belongs to \($0.name ?? "another context"), but was used in \(ours)."
      }
        ?? "An object of '\(id.entityName)' whose context was reset or is gone was used in \(ours).",
      recovery: theirs == nil && id.isTemporaryID
        ? "insert a new one" : "fetch it here with object(with: other.objectID)",
      entity: id.entityName,
      property: relationship?.name,
      objectID: id
    )
  }

  static func deletedObject(
    _ object: ManagedObject,
    relationship: RelationshipLayout
  ) -> PerennialError {
    let id = object.objectID
    return PerennialError(
      .objectGone,
      "A deleted object of '\(id.entityName)' was put into '\(relationship.name)'.",
      recovery: object.isGone
        ? "fetch or insert another"
        : "use an object that is not deleted, or roll back the deletion",
      entity: id.entityName,
      property: relationship.name,
      objectID: id
    )
  }

  static func wrongDestination(
    _ object: ManagedObject,
    relationship: RelationshipLayout,
    expected: String
  ) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "An object of '\(object.entityDescription.name)' was put into '\(relationship.name)', which leads to '\(expected)'.",
      recovery: "use an object of '\(expected)' or of a subentity",
      entity: object.entityDescription.name,
      property: relationship.name,
      objectID: object.objectID
    )
  }

  static func objectGone(_ id: ManagedObjectID) -> PerennialError {
    PerennialError(
      .objectGone,
      "The object \(id) does not exist, or not any more.",
      recovery: "fetch it again",
      entity: id.entityName,
      objectID: id
    )
  }

  static func wrongClass(found: String, expected: String) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "The object is a '\(found)', not a '\(expected)'.",
      recovery: "ask for an object of '\(found)'",
      entity: found
    )
  }

  static func abstractEntity(_ entity: EntityLayout) -> PerennialError? {
    entity.description.isAbstract ? noObjects(of: entity) : nil
  }

  /// An abstract entity has no objects that could be inserted.
  static func noObjects(of entity: EntityLayout) -> PerennialError {
    PerennialError(
      .invalidModel,
      "'\(entity.name)' is abstract and has no objects of its own.",
      recovery: "insert an object of a subentity",
      entity: entity.name
    )
  }

  static func missingValue(_ object: ManagedObject, _ property: String) -> PerennialError {
    let entity = object.entityDescription.name
    return PerennialError(
      .missingMandatoryProperty,
      "'\(entity).\(property)' has no value, but the model requires one.",
      recovery: "set '\(property)' before save(), make it optional, or give it a default",
      entity: entity,
      property: property,
      objectID: object.objectID
    )
  }

  static func notANumber(_ object: ManagedObject, _ property: String) -> PerennialError {
    let entity = object.entityDescription.name
    return PerennialError(
      .validation,
      "'\(entity).\(property)' is not a number, which cannot be stored.",
      recovery: "make '\(property)' optional and use nil",
      entity: entity,
      property: property,
      objectID: object.objectID
    )
  }

  static func tooManyDigits(_ object: ManagedObject, _ property: String) -> PerennialError {
    let entity = object.entityDescription.name
    return PerennialError(
      .validation,
      "'\(entity).\(property)' has more than 15 significant digits, which a store would round.",
      recovery: "round it, or keep its text in a String",
      entity: entity,
      property: property,
      objectID: object.objectID
    )
  }

  static func tooFew(
    _ object: ManagedObject,
    _ relationship: RelationshipLayout
  ) -> PerennialError {
    let entity = object.entityDescription.name
    return PerennialError(
      .relationshipLacksMinimumCount,
      "'\(entity).\(relationship.name)' has fewer objects than the model requires.",
      recovery: "add objects, or lower the minimum",
      entity: entity,
      property: relationship.name,
      objectID: object.objectID
    )
  }

  static func tooMany(
    _ object: ManagedObject,
    _ relationship: RelationshipLayout
  ) -> PerennialError {
    let entity = object.entityDescription.name
    return PerennialError(
      .relationshipExceedsMaximumCount,
      "'\(entity).\(relationship.name)' has more objects than the model allows.",
      recovery: "remove objects, or raise the maximum",
      entity: entity,
      property: relationship.name,
      objectID: object.objectID
    )
  }

  static func deniedDelete(
    _ object: ManagedObject,
    _ relationship: RelationshipLayout
  ) -> PerennialError {
    let entity = object.entityDescription.name
    return PerennialError(
      .relationshipDeniedDelete,
      "An object of '\(entity)' cannot be deleted while '\(relationship.name)' is not empty.",
      recovery:
        "delete or move the objects of '\(relationship.name)' first, or change the delete rule",
      entity: entity,
      property: relationship.name,
      objectID: object.objectID
    )
  }

  static func versionConflict(entity: String, _ id: ManagedObjectID, isGone: Bool) -> PerennialError
  {
    PerennialError(
      .managedObjectMerge,
      isGone
        ? "An object of '\(entity)' was changed here, but deleted elsewhere."
        : "An object of '\(entity)' was changed here and elsewhere.",
      recovery: "set a merge policy, or roll back and do it again",
      entity: entity,
      objectID: id
    )
  }

  static func constraintConflict(
    entity: String,
    constraint: [String],
    _ id: ManagedObjectID
  ) -> PerennialError {
    let names = constraint.joined(separator: ", ")
    return PerennialError(
      .managedObjectConstraintMerge,
      "Two objects of '\(entity)' have the same '\(names)', which is unique.",
      recovery: "set a merge policy, or change '\(names)' of one of them",
      entity: entity,
      property: constraint.first,
      objectID: id
    )
  }

  /// One error, or one that lists several; `nil` for none, which every fetch and every deleted object asks for.
  @inline(__always)
  static func combined(_ problems: [PerennialError], code: Code? = nil) -> PerennialError? {
    problems.first.map { combined(problems, first: $0, code: code) }
  }

  private static func combined(
    _ problems: [PerennialError],
    first: PerennialError,
    code: Code?
  ) -> PerennialError {
    guard problems.count > 1 || code != nil else { return first }
    let number = "There are \(problems.count) problems."
    return PerennialError(
      code ?? .multipleErrors,
      problems.count == 1 ? first.message : "\(number) The first: \(first.message)",
      recovery: first.recovery,
      entity: first.entity,
      property: first.property,
      objectID: first.objectID,
      problems: problems
    )
  }
}

extension PerennialError {
  static func wrongType(_ key: String, of layout: EntityLayout, slot: Int) -> PerennialError {
    guard let attribute = layout.slots[slot].attribute else { return .wrongKind(key, of: layout) }
    return PerennialError(
      .typeMismatch,
      "The value for '\(layout.name).\(key)' is not of type \(attribute.type).",
      recovery: "convert it first",
      entity: layout.name,
      property: key
    )
  }

  /// A new value has thrown when it was encoded.
  static func unencodable(
    _ key: String,
    of layout: EntityLayout,
    _ objectID: ManagedObjectID?,
    _ underlying: any Error
  ) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "A value for '\(layout.name).\(key)' cannot be encoded, and was not set.",
      recovery: "see what the 'encode(to:)' of its type throws",
      entity: layout.name,
      property: key,
      objectID: objectID,
      underlying: underlying
    )
  }

  /// A stored value is none of its property's type.
  static func undecodable(
    _ object: ManagedObject,
    _ slot: Int,
    _ layout: EntityLayout,
    _ effect: String,
    _ underlying: (any Error)?
  ) -> PerennialError {
    let name = layout.slots[slot].name
    let recovery =
      layout.slots[slot].attribute?.type == .transformable
      ? """
      let its type decode what earlier versions stored, new elements by 'decodeIfPresent', or empty it first by \
      'setValue(nil, forKey: "\(name)")'
      """ : "give its type a case for the stored value, or set another one"
    return PerennialError(
      .typeMismatch,
      "The stored value of '\(layout.name).\(name)' is none of the property's type, \(effect).",
      recovery: recovery,
      entity: layout.name,
      property: name,
      objectID: object.objectID,
      underlying: underlying
    )
  }

  /// A property that is of another kind than its user takes it for, or that is not there.
  static func wrongKind(_ key: String, of layout: EntityLayout) -> PerennialError {
    let kind: String
    let recovery: String
    if let relationship = layout.relationship(named: key)?.description {
      if !relationship.isToMany {
        (kind, recovery) = ("a to-one relationship", "use object(forKey:), setObject(_:forKey:)")
      } else if relationship.isOrdered {
        kind = "an ordered relationship"
        recovery = "use orderedObjects(forKey:), or objects(forKey:) for its objects in any order"
      } else {
        (kind, recovery) = ("a to-many relationship that is not ordered", "use objects(forKey:)")
      }
    } else if layout.slotsByName[key] != nil || !layout.elements(of: key).isEmpty {
      (kind, recovery) = ("an attribute", "use value(forKey:), setValue(_:forKey:)")
    } else {
      return .unknownProperty(key, of: layout)
    }
    return PerennialError(
      .typeMismatch,
      "'\(layout.name).\(key)' is \(kind).",
      recovery: recovery,
      entity: layout.name,
      property: key
    )
  }
}
