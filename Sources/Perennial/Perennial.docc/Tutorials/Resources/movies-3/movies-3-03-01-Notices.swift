import Perennial

/// Prints which members of the family change.
@MainActor final class Notices {
  private let observer: any NSObjectProtocol

  init(_ context: ManagedObjectContext) {
    observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didChangeObjectsNotification,
      object: context,
      queue: nil
    ) { notification in
      let updated = notification.userInfo?["updated"] as? Set<ManagedObject> ?? []
      for case let member as FamilyMember in updated {
        print("updated: \(member.name)")
      }
    }
  }

  func stop() { NotificationCenter.default.removeObserver(observer) }
}
