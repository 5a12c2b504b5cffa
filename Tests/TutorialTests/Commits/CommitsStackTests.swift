// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialCoreDataNames
import Testing

#if !canImport(Darwin)

/// The first step of the commits tutorial: the stack, built by hand in Core Data's names.
@Suite("The commits tutorial: the stack")
@MainActor
struct CommitsStackTests {
  @Test func `the stack is a model, a coordinator, a store at a URL and a context`() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Project38.sqlite")
    let coordinator = NSPersistentStoreCoordinator(entities: Commit.self, Author.self)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: nil
    )
    let managedObjectContext: NSManagedObjectContext = store.viewContext
    managedObjectContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy

    Commit.add("sha", at: moment(0), to: managedObjectContext)
    if managedObjectContext.hasChanges { try managedObjectContext.save() }
    #expect(FileManager.default.fileExists(atPath: url.path))
    #expect(store.managedObjectModel.entitiesByName.keys.sorted() == ["Author", "Commit"])
  }

  @Test func `the options for migration are accepted`() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Project38.sqlite")
    let options = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
    for count in [1, 2] {
      let coordinator = NSPersistentStoreCoordinator(entities: Commit.self, Author.self)
      let context = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: url,
        options: options
      ).viewContext
      Commit.add("sha\(count)", at: moment(0), to: context)
      try context.save()
      #expect(try context.count(for: Commit.createFetchRequest()) == count)
    }
  }

  @Test func `a store may be in memory, and its options objects`() throws {
    let coordinator = NSPersistentStoreCoordinator(entities: Commit.self, Author.self)
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType,
      configurationName: nil,
      at: nil,
      options: [NSPersistentHistoryTrackingKey: true as NSNumber]
    )
    Commit.add("sha", at: moment(0), to: store.viewContext)
    try store.viewContext.save()
    #expect(store.storeDescription.historyTracking)
    #expect(try store.currentPersistentHistoryToken() != nil)
  }

  @Test func `a read-only store is not written to`() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Project38.sqlite")
    for isReadOnly in [false, true] {
      let coordinator = NSPersistentStoreCoordinator(entities: Commit.self, Author.self)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: url,
        options: [NSReadOnlyPersistentStoreOption: isReadOnly]
      )
      let context = store.viewContext
      Commit.add("sha \(isReadOnly)", at: moment(0), to: context)
      if isReadOnly {
        let error = #expect(throws: PerennialError.self) { try context.save() }
        #expect(error?.code == .persistentStoreSave)
      } else {
        try context.save()
      }
    }
  }

  @Test func `what a coordinator does not know is an error`() throws {
    let coordinator = NSPersistentStoreCoordinator(entities: Commit.self, Author.self)
    func message(_ type: String, _ configuration: String?, _ options: [String: Any]?) -> String? {
      let error = #expect(throws: PerennialError.self) {
        try coordinator.addPersistentStore(
          ofType: type,
          configurationName: configuration,
          at: nil,
          options: options
        )
      }
      #expect(error?.code == .persistentStoreOpen)
      return error?.message
    }
    let inMemory = NSInMemoryStoreType
    #expect(message("XML", nil, nil) == "There are no stores of the type 'XML'.")
    #expect(message(NSSQLiteStoreType, nil, nil) == "A store of the type 'SQLite' needs a URL.")
    #expect(message(inMemory, "Cloud", nil) == "The model has no configuration 'Cloud'.")
    #expect(message(inMemory, nil, ["A": true]) == "Stores have no option 'A'.")
    #expect(message(inMemory, nil, ["A": "b"]) == "The option 'A' is not a truth value.")
  }
}

#endif
