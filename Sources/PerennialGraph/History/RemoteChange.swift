// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialStore

/// A write to a store by somebody else: another process, or another container on the same file.
///
/// Core Data: the notification `NSPersistentStoreRemoteChange`.
public struct PersistentStoreRemoteChange: Sendable, Hashable {
  /// The identifier of the store.
  public let storeID: UUID
  /// The store's file.
  public let url: URL?
  /// The place in the history after what was written; `nil` when the store keeps no history.
  public let historyToken: PersistentHistoryToken?

  /// Posted, on a thread of the container's own, when somebody else has written to the store.
  ///
  /// Core Data: `NSPersistentStoreRemoteChange`. The name and the keys are Core Data's own.
  public static let notification = Notification.Name("NSPersistentStoreRemoteChangeNotification")
  /// The key of the store's identifier, a string, in the notification's `userInfo`.
  public static let storeUUIDKey = "NSStoreUUID"
  /// The key of the store's URL.
  public static let storeURLKey = "storeURL"
  /// The key of the history token.
  public static let historyTokenKey = "historyToken"

  package func post() {
    var info: [AnyHashable: Any] = [Self.storeUUIDKey: storeID.uuidString]
    info[Self.storeURLKey] = url
    info[Self.historyTokenKey] = historyToken
    NotificationCenter.default.post(name: Self.notification, object: nil, userInfo: info)
  }
}
