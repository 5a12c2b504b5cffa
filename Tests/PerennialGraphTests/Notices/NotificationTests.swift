// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// SEMANTICS 1E: what is posted to `NotificationCenter.default`.
@Suite("Notifications")
struct NotificationTests {
  /// Collects the notifications that the current thread posts while a closure runs.
  private func posted(_ body: () throws -> Void) rethrows -> [Notification] {
    let names = [
      ManagedObjectContext.didChangeObjectsNotification,
      ManagedObjectContext.willSaveObjectsNotification,
      ManagedObjectContext.didSaveObjectsNotification,
      ManagedObjectContext.didSaveObjectIDsNotification,
      ManagedObjectContext.didMergeChangesObjectIDsNotification,
    ]
    let log = Log()
    let observers = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
        log.note($0)
      }
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    try body()
    return log.notifications
  }

  /// Safe because only notifications of the thread that made it are kept, and it is read there.
  private final class Log: @unchecked Sendable {
    private let thread = Thread.current
    private(set) var notifications: [Notification] = []

    func note(_ notification: Notification) {
      if Thread.current === thread { notifications.append(notification) }
    }
  }

  @Test
  func `1E.1 names and keys are Core Data's`() {
    #expect(
      ManagedObjectContext.didChangeObjectsNotification.rawValue
        == "NSObjectsChangedInManagingContextNotification"
    )
    #expect(
      ManagedObjectContext.willSaveObjectsNotification.rawValue
        == "NSManagingContextWillSaveChangesNotification"
    )
    #expect(
      ManagedObjectContext.didSaveObjectsNotification.rawValue
        == "NSManagingContextDidSaveChangesNotification"
    )
    #expect(
      ManagedObjectContext.NotificationKey.allCases.map(\.rawValue) == [
        "inserted", "updated", "deleted", "refreshed", "invalidated", "invalidatedAll",
        "inserted_objectIDs", "updated_objectIDs", "deleted_objectIDs", "refreshed_objectIDs",
        "invalidated_objectIDs",
      ]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.3 a context that posts objects posts itself and the objects`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.notificationPosting = .objects
    let author = Author(context: context)
    author.name = "Joe"

    let notifications = try posted { try context.save() }

    #expect(
      notifications.map(\.name) == [
        ManagedObjectContext.didChangeObjectsNotification,
        ManagedObjectContext.willSaveObjectsNotification,
        ManagedObjectContext.didSaveObjectsNotification,
        ManagedObjectContext.didSaveObjectIDsNotification,
      ]
    )
    #expect(notifications.allSatisfy { $0.object as? ManagedObjectContext === context })
    #expect(notifications[0].userInfo?["inserted"] as? Set<ManagedObject> == [author])
    #expect(notifications[1].userInfo == nil)
    #expect(notifications[2].userInfo?["inserted"] as? Set<ManagedObject> == [author])
    #expect(notifications[2].userInfo?["updated"] == nil)
    #expect(
      notifications[3].userInfo?["inserted_objectIDs"] as? Set<ManagedObjectID>
        == [author.objectID]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.4 other contexts post IDs only, and no context`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let author = Author(context: context)
    author.name = "Joe"

    let notifications = try posted { try context.save() }

    #expect(notifications.map(\.name) == [ManagedObjectContext.didSaveObjectIDsNotification])
    #expect(notifications.first?.object == nil)
    #expect(
      notifications.first?.userInfo?["inserted_objectIDs"] as? Set<ManagedObjectID>
        == [author.objectID]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.4 a context that is told not to posts nothing`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.notificationPosting = .none
    Author(context: context).name = "Joe"

    #expect(try posted { try context.save() }.isEmpty)
  }
}
