// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension VariableDeclaration {
  /// What a class inherits from `ManagedObject`, or what `@Managed` adds to it.
  private static var reservedNames: Set<String> {
    [
      "objectID", "id", "managedObjectContext", "entity", "entityDescription", "entityName",
      "isFault", "isForwarding", "isInserted", "isUpdated", "isDeleted", "hasChanges",
      "hasPersistentChangedValues", "faultingState", "description", "debugDescription", "hash",
      "hashValue", "snapshot", "slotCount", "toManyCount", "observationRegistrar", "self", "Self",
      "Type", "Protocol", "init", "_row", "_home", "_state", "_edit", "_survivor", "_get", "_set",
    ]
  }

  /// Whether a managed object has a member of this name already.
  var hasReservedName: Bool { Self.reservedNames.contains(name) }
}
