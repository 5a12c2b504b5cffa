// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The names are Core Data's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Perennial

// What `error as NSError` is asked for: keys of its `userInfo`, and the numbers of `code`.

#if !canImport(Darwin)

/// The key of an `[NSError]`: the individual errors of ``NSValidationMultipleErrorsError``.
public let NSDetailedErrorsKey = "NSDetailedErrors"

/// The key of the name of the property whose value is not allowed.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"

/// The key of an array of `NSMergeConflict` or `NSConstraintConflict`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"

/// Several errors at once, listed under ``NSDetailedErrorsKey``.
public let NSValidationMultipleErrorsError = PerennialError.Code.multipleErrors.rawValue

/// A value is not allowed.
public let NSManagedObjectValidationError = PerennialError.Code.validation.rawValue

/// A constraint is violated.
public let NSManagedObjectConstraintValidationError =
  PerennialError.Code.constraintValidation.rawValue

/// A required property has no value.
public let NSValidationMissingMandatoryPropertyError =
  PerennialError.Code.missingMandatoryProperty.rawValue

/// A relationship has too few objects.
public let NSValidationRelationshipLacksMinimumCountError =
  PerennialError.Code.relationshipLacksMinimumCount.rawValue

/// A relationship has too many objects.
public let NSValidationRelationshipExceedsMaximumCountError =
  PerennialError.Code.relationshipExceedsMaximumCount.rawValue

/// A deny rule forbids the deletion.
public let NSValidationRelationshipDeniedDeleteError =
  PerennialError.Code.relationshipDeniedDelete.rawValue

/// A number is greater than its maximum.
public let NSValidationNumberTooLargeError = PerennialError.Code.numberTooLarge.rawValue

/// A number is less than its minimum.
public let NSValidationNumberTooSmallError = PerennialError.Code.numberTooSmall.rawValue

/// A date is later than its maximum.
public let NSValidationDateTooLateError = PerennialError.Code.dateTooLate.rawValue

/// A date is earlier than its minimum.
public let NSValidationDateTooSoonError = PerennialError.Code.dateTooSoon.rawValue

/// A date is not a point in time.
public let NSValidationInvalidDateError = PerennialError.Code.invalidDate.rawValue

/// Text or data is longer than its maximum.
public let NSValidationStringTooLongError = PerennialError.Code.stringTooLong.rawValue

/// Text or data is shorter than its minimum.
public let NSValidationStringTooShortError = PerennialError.Code.stringTooShort.rawValue

/// A text does not match its pattern.
public let NSValidationStringPatternMatchingError =
  PerennialError.Code.stringPatternMatching.rawValue

/// The text of a URL attribute is not a URL.
public let NSValidationInvalidURIError = PerennialError.Code.invalidURI.rawValue

/// A relationship leads to an object that another store keeps.
public let NSManagedObjectExternalRelationshipError =
  PerennialError.Code.managedObjectExternalRelationship.rawValue

/// A save conflicts with what is stored: versions differ.
public let NSManagedObjectMergeError = PerennialError.Code.managedObjectMerge.rawValue

/// A save conflicts with what is stored: a uniqueness constraint.
public let NSManagedObjectConstraintMergeError =
  PerennialError.Code.managedObjectConstraintMerge.rawValue

/// The store's file cannot be opened or read.
public let NSPersistentStoreOpenError = PerennialError.Code.persistentStoreOpen.rawValue

/// The store, or a copy of it, cannot be written.
public let NSPersistentStoreSaveError = PerennialError.Code.persistentStoreSave.rawValue

/// The store was written with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError =
  PerennialError.Code.incompatibleVersionHash.rawValue

/// The store is busy, or a server takes too long to answer.
public let NSPersistentStoreTimeoutError = PerennialError.Code.persistentStoreTimeout.rawValue

/// The store keeps no history, or not what is asked for.
public let NSPersistentStoreUnsupportedRequestTypeError =
  PerennialError.Code.persistentStoreUnsupportedRequestType.rawValue

/// A token leads to a part of the history that is gone.
public let NSPersistentHistoryTokenExpiredError =
  PerennialError.Code.persistentHistoryTokenExpired.rawValue

/// A migration cannot be done.
public let NSMigrationError = PerennialError.Code.migration.rawValue

/// A migration was cancelled.
public let NSMigrationCancelledError = PerennialError.Code.migrationCancelled.rawValue

/// Nobody can know what a change of the model means for the objects.
public let NSInferredMappingModelError = PerennialError.Code.inferredMappingModel.rawValue

/// A SQLite error.
public let NSSQLiteError = PerennialError.Code.sqlite.rawValue

#endif
