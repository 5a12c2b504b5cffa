// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialCoreDataNames
import Testing

/// Samples in comments and articles in Core Data's names.
@Suite struct `Samples in Core Data's names` {
  @Test func `a predicate with an argument is a request's`() throws {
    let context = try makeCommits()
    let word = "bug"
    var commitPredicate: NSPredicate?
    commitPredicate = NSPredicate(format: "message CONTAINS[c] %@", word)
    var request = NSFetchRequest<Commit>(entityName: "Commit")
    request.predicate = commitPredicate
    request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: false)]
    #expect(try context.fetch(request).map(\.sha) == ["0"])
  }

  @MainActor @Test func `a store is added to a coordinator`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "Project38.sqlite")
    let coordinator = NSPersistentStoreCoordinator(entities: Commit.self, Author.self)
    let options = [NSMigratePersistentStoresAutomaticallyOption: true]
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: options
    )
    let context = store.viewContext
    #expect(!context.hasChanges)
  }
}
