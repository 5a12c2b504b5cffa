// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Names that a variable of a managed class cannot have, and keys that no property answers.
package enum ReservedNames {
  /// Whether a key of a key path means the object or its ID, even where a property has such a name.
  package static func isIdentity(_ key: String) -> Bool { key == "self" || key == "objectID" }

  /// What a class inherits from `ManagedObject`, what `@Managed` adds to it, and what Swift keeps for
  /// itself.
  package static var ofProperties: Set<String> {
    [
      "objectID", "id", "managedObjectContext", "entity", "entityDescription", "entityName",
      "isFault", "isForwarding", "isGone", "isInserted", "isUpdated", "isDeleted", "hasChanges",
      "hasPersistentChangedValues", "faultingState", "description", "debugDescription", "hash",
      "hashValue", "customMirror", "snapshot", "slotCount", "toManyCount", "observationRegistrar",
      "self", "Self",
      "Type", "Protocol", "init", "_row", "_home", "_state", "_edit", "_survivor", "_get", "_set",
    ]
  }
}
