// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel

/// What a context posts to `NotificationCenter.default`.
public enum NotificationPosting: Sendable, Hashable {
  /// Nothing.
  case none
  /// The IDs of saved and merged objects: the notifications that may be received anywhere.
  case objectIDs
  /// Every notification, with objects, and with the context as the notification's object.
  ///
  /// Only for a context of the main actor, where observers receive its notifications.
  case objects
}

extension ManagedObjectContext {
  /// What the context posts to `NotificationCenter.default`, at once and on the thread of the change.
  ///
  /// A view context posts objects. Others post only IDs, because an observer may be anywhere, and objects and
  /// contexts must not get there. For the same reason the notification's `object` is `nil`.
  public var notificationPosting: NotificationPosting {
    get { notices.posting }
    set {
      notices.posting = newValue
      updateTracking()
    }
  }

  // The strings are Core Data's own, as programs that observe them by string spell them
  // (https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext).

  /// Posted when an event has changed objects.
  ///
  /// Core Data: `NSManagedObjectContextObjectsDidChangeNotification`.
  public static let didChangeObjectsNotification = Notification.Name(
    "NSObjectsChangedInManagingContextNotification"
  )
  /// Posted when a save begins.
  ///
  /// Core Data: `NSManagedObjectContextWillSaveNotification`.
  public static let willSaveObjectsNotification = Notification.Name(
    "NSManagingContextWillSaveChangesNotification"
  )
  /// Posted when a save has succeeded, with its objects.
  ///
  /// Core Data: `NSManagedObjectContextDidSaveNotification`.
  public static let didSaveObjectsNotification = Notification.Name(
    "NSManagingContextDidSaveChangesNotification"
  )
  /// Posted when a save has succeeded, with the IDs of its objects.
  ///
  /// Core Data: `NSManagedObjectContextDidSaveObjectIDsNotification`.
  public static let didSaveObjectIDsNotification = Notification.Name(
    "NSManagedObjectContextDidSaveObjectIDsNotification"
  )
  /// Posted when changes that others saved have been merged.
  ///
  /// Core Data: `NSManagedObjectContextDidMergeChangesObjectIDsNotification`.
  public static let didMergeChangesObjectIDsNotification = Notification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification"
  )

  /// The keys of a notification's `userInfo`; a key without objects is absent.
  ///
  /// Core Data: `NSManagedObjectContext.NotificationKey`.
  public enum NotificationKey: String, Sendable, CaseIterable {
    /// A `Set<ManagedObject>` of new objects.
    case insertedObjects = "inserted"
    /// A `Set<ManagedObject>` of changed objects.
    case updatedObjects = "updated"
    /// A `Set<ManagedObject>` of deleted objects.
    case deletedObjects = "deleted"
    /// A `Set<ManagedObject>` of objects whose values were replaced from outside.
    case refreshedObjects = "refreshed"
    /// A `Set<ManagedObject>` of objects that the context has forgotten.
    case invalidatedObjects = "invalidated"
    /// A `[ManagedObjectID]` of all objects, when the context has forgotten all of them.
    case invalidatedAllObjects = "invalidatedAll"
    /// A `Set<ManagedObjectID>` of new objects.
    case insertedObjectIDs = "inserted_objectIDs"
    /// A `Set<ManagedObjectID>` of changed objects.
    case updatedObjectIDs = "updated_objectIDs"
    /// A `Set<ManagedObjectID>` of deleted objects.
    case deletedObjectIDs = "deleted_objectIDs"
    /// A `Set<ManagedObjectID>` of objects whose values were replaced from outside.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// A `Set<ManagedObjectID>` of objects that the context has forgotten.
    case invalidatedObjectIDs = "invalidated_objectIDs"
  }

  /// Posts a notice, if this context posts it.
  func post(_ notice: Listeners.Notice) {
    let posting = notices.posting
    guard posting != .none else { return }
    switch notice {
    case .objectsDidChange(let changes):
      post(Self.didChangeObjectsNotification, changes.userInfo, objects: true)
    case .willSave: post(Self.willSaveObjectsNotification, [:], objects: true)
    case .didSave(let changes):
      post(Self.didSaveObjectsNotification, changes.userInfo, objects: true)
    case .didSaveObjectIDs(let changes):
      post(Self.didSaveObjectIDsNotification, changes.userInfo, objects: false)
    case .didMerge(let changes):
      post(Self.didMergeChangesObjectIDsNotification, changes.userInfo, objects: false)
    }
  }

  private func post(_ name: Notification.Name, _ info: [AnyHashable: Any], objects: Bool) {
    let sendsObjects = notices.posting == .objects
    guard sendsObjects || !objects else { return }
    NotificationCenter.default.post(
      name: name,
      object: sendsObjects ? self : nil,
      userInfo: info.isEmpty ? nil : info
    )
  }
}

private typealias Key = ManagedObjectContext.NotificationKey

extension ChangedObjects {
  fileprivate var userInfo: [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [:]
    let sets: [(Key, Set<ManagedObject>)] = [
      (.insertedObjects, inserted), (.updatedObjects, updated), (.deletedObjects, deleted),
      (.refreshedObjects, refreshed), (.invalidatedObjects, invalidated),
    ]
    for (key, set) in sets where !set.isEmpty { info[key.rawValue] = set }
    if invalidatedAll { info[Key.invalidatedAllObjects.rawValue] = invalidatedAllObjectIDs }
    return info
  }
}

extension ObjectChanges {
  fileprivate var userInfo: [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [:]
    let sets: [(Key, Set<ManagedObjectID>)] = [
      (.insertedObjectIDs, inserted), (.updatedObjectIDs, updated), (.deletedObjectIDs, deleted),
      (.refreshedObjectIDs, refreshed), (.invalidatedObjectIDs, invalidated),
    ]
    for (key, set) in sets where !set.isEmpty { info[key.rawValue] = set }
    return info
  }
}
