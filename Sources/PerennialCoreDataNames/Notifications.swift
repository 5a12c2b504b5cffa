// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The names are Core Data's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Perennial

// The names and keys of a context's notifications, as they are spelled outside the classes.

#if !canImport(Darwin)

extension Notification.Name {
  /// Objects of a context have changed.
  public static let NSManagedObjectContextObjectsDidChange =
    ManagedObjectContext.didChangeObjectsNotification

  /// A context is about to save.
  public static let NSManagedObjectContextWillSave = ManagedObjectContext
    .willSaveObjectsNotification

  /// Another process has written to a store.
  public static let NSPersistentStoreRemoteChange = PersistentStoreRemoteChange.notification

  /// A context has saved.
  public static let NSManagedObjectContextDidSave = ManagedObjectContext.didSaveObjectsNotification
}

/// The key of a `Set<ManagedObject>` of new objects.
public let NSInsertedObjectsKey = ManagedObjectContext.NotificationKey.insertedObjects.rawValue

/// The key of a `Set<ManagedObject>` of changed objects.
public let NSUpdatedObjectsKey = ManagedObjectContext.NotificationKey.updatedObjects.rawValue

/// The key of a `Set<ManagedObject>` of deleted objects.
public let NSDeletedObjectsKey = ManagedObjectContext.NotificationKey.deletedObjects.rawValue

/// The key of a `Set<ManagedObject>` of objects with values from outside.
public let NSRefreshedObjectsKey = ManagedObjectContext.NotificationKey.refreshedObjects.rawValue

/// The key of a `Set<ManagedObject>` of objects that the context has forgotten.
public let NSInvalidatedObjectsKey = ManagedObjectContext.NotificationKey.invalidatedObjects
  .rawValue

/// The key of a `[ManagedObjectID]` of all objects, which the context has forgotten.
public let NSInvalidatedAllObjectsKey =
  ManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue

/// The key of the `NSPersistentHistoryToken` that tells of another process's changes.
public let NSPersistentHistoryTokenKey = PersistentStoreRemoteChange.historyTokenKey

#endif
