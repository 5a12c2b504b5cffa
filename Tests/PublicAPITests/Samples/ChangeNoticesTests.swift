// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Observation
import Perennial
import Testing

/// The samples of change notices, over both stores.
@Suite("Samples of change notices")
@MainActor
struct ChangeNoticesTests {
  @Test(arguments: StoreKind.allCases)
  func `1E.1 a view context tells by itself what changed`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    let context = store.container.viewContext

    let changes = await withCheckedContinuation { continuation in
      var token: NoticeToken?
      token = context.onObjectsDidChange { changes in
        token?.cancel()
        continuation.resume(returning: changes.objectIDs)
      }
      let author = Author(context: context)
      author.name = "Joe Groff"
    }

    #expect(changes.inserted.count == 1)
    #expect(changes.updated.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.4 a stream of events carries IDs to another task`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    let context = store.container.viewContext
    let events = context.events()
    let saved = Task.detached {
      for await case .didSave(let changes) in events { return changes.inserted }
      return []
    }

    let author = Author(context: context)
    author.name = "Joe Groff"
    try context.save()

    #expect(await saved.value == [author.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.3 a view context posts its objects`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.viewContext
    let box = Box()
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveObjectsNotification,
      object: context,
      queue: nil
    ) { notification in
      let key = ManagedObjectContext.NotificationKey.insertedObjects.rawValue
      let inserted = notification.userInfo?[key] as? Set<ManagedObject>
      let names = inserted?.compactMap { ($0 as? Author)?.name } ?? []
      MainActor.assumeIsolated { box.names = names }
    }

    let author = Author(context: context)
    author.name = "Joe Groff"
    try context.save()

    #expect(box.names == ["Joe Groff"])
    NotificationCenter.default.removeObserver(observer)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 a view is told when what it shows changes`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.viewContext
    let author = Author(context: context)
    author.name = "Joe Groff"
    let box = Box()

    withObservationTracking {
      box.names = [author.name]
    } onChange: {
      MainActor.assumeIsolated { box.names.append("stale") }
    }
    author.name = "Joe"

    #expect(box.names == ["Joe Groff", "stale"])
  }
}

/// What a sample shows.
@MainActor
private final class Box {
  var names: [String] = []
}
