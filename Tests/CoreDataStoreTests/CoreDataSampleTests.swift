// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelCache
import PerennialModelFiles
import Testing

@testable import PerennialSQLite

@Suite("Samples of the article OpeningCoreDataStores, and edits as an app makes them")
struct CoreDataSampleTests {
  @Test func `a store is opened with its model file`() throws {
    let corpus = try CorpusStore.named("carekit-2.0")
    let copy = try StoreFolder(corpus)
    let model = try ManagedObjectModel(
      contentsOf: corpus.folder.appending(path: "model.xcdatamodel")
    )
    let store = StoreDescription.sqlite(copy.store)
    let container = try PersistentContainer(name: "Library", model: model, store: store)
    let context = container.newBackgroundContext()
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "OCKCDTask")) == 3)
    var request = FetchRequest<ManagedObject>(entityName: "OCKCDOutcome")
    request.predicate = FetchPredicate(format: "task.title != nil AND values.@count > 0")
    #expect(try context.fetch(request).count == 3)
  }

  @Test func `a store is opened without its model`() throws {
    let copy = try StoreFolder(CorpusStore.named("carekit-2.0"))
    let document = try ModelDocument(cachedIn: copy.store)
    let file = copy.url.appending(path: "Library.xcdatamodel")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    try document.contents.write(to: file.appending(path: "contents"))
    // What was written is a model file of the same version.
    let model = try ManagedObjectModel(cachedIn: copy.store)
    #expect(
      try ManagedObjectModel(contentsOf: file).entityVersionHashesByName
        == model.entityVersionHashesByName
    )
    let store = StoreDescription.sqlite(copy.store)
    let container = try PersistentContainer(name: "Library", model: model, store: store)
    let context = container.newBackgroundContext()
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "OCKCDTask")) == 3)
  }

  /// They name files in the folder of the program: compiled only.
  private func inTheFolderOfTheProgram() throws {
    do {
      let model = try ManagedObjectModel(contentsOf: URL(filePath: "Library.xcdatamodeld"))
      let store = StoreDescription.sqlite(URL(filePath: "Library.sqlite"))
      let container = try PersistentContainer(name: "Library", model: model, store: store)
      _ = container
    }
    do {
      let model = try ManagedObjectModel(cachedIn: URL(filePath: "Library.sqlite"))
      _ = model
      let document = try ModelDocument(cachedIn: URL(filePath: "Library.sqlite"))
      for diagnostic in document.diagnostics { print(diagnostic) }
      let folder = URL(filePath: "Library.xcdatamodel")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try document.contents.write(to: folder.appending(path: "contents"))
    }
    do {
      let model = try ManagedObjectModel(cachedIn: URL(filePath: "Notes.sqlite"))
      let container = try PersistentContainer(name: "Notes", model: model)
      _ = container
      let document = try ModelDocument(cachedIn: URL(filePath: "Notes.sqlite"))
      for diagnostic in document.diagnostics { print(diagnostic) }
      let folder = URL(filePath: "Notes.xcdatamodel")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try document.contents.write(to: folder.appending(path: "contents"))
    }
  }

  @Test func `ordered relationships are changed and are in that order again`() throws {
    let corpus = try CorpusStore.named("ddg-bookmarks-v4")
    let copy = try StoreFolder(corpus)
    let model = try corpus.model()
    func titles(_ container: PersistentContainer) throws -> [String] {
      let context = container.newBackgroundContext()
      let folder = try root(context)
      let request = FetchRequest<ManagedObject>(entityName: "BookmarkEntity")
      let byID = Dictionary(
        uniqueKeysWithValues: try context.fetch(request).map { ($0.objectID, $0) }
      )
      let children = try folder.value(forKey: "children") as? [ManagedObjectID] ?? []
      return try children.map { try byID[$0]?.value(forKey: "title") as? String ?? "" }
    }
    func root(_ context: ManagedObjectContext) throws -> ManagedObject {
      let request = FetchRequest<ManagedObject>(entityName: "BookmarkEntity")
      let folders = try context.fetch(request).filter {
        ($0.snapshotCount("children") ?? 0) > 1
      }
      return try #require(folders.first)
    }
    let before: [String]
    do {
      let container = try PersistentContainer(
        name: "Bookmarks",
        model: model,
        store: .sqlite(copy.store)
      )
      before = try titles(container)
      #expect(before.count > 1)
      let context = container.newBackgroundContext()
      let folder = try root(context)
      let bookmark = try context.insert(entityNamed: "BookmarkEntity")
      try bookmark.setValue("new", forKey: "title")
      try bookmark.setValue("an identifier", forKey: "uuid")
      try bookmark.setValue(false, forKey: "isFolder")
      try bookmark.setObject(folder, forKey: "parent")
      try context.save()
      #expect(try titles(container) == before + ["new"])
    }
    let connection = try copy.connect()
    #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
    // Every place is beyond the one before, as Core Data numbers them.
    let folder = try connection.integers(
      "SELECT ZPARENT FROM ZBOOKMARKENTITY WHERE ZTITLE = 'new'"
    )
    let places = try connection.integers(
      "SELECT Z_FOK_PARENT FROM ZBOOKMARKENTITY WHERE ZPARENT = \(folder[0]) ORDER BY Z_FOK_PARENT"
    )
    #expect(places.count == before.count + 1)
    #expect(places.last == (places.dropLast().last ?? 0) + 1024)
    let container = try PersistentContainer(
      name: "Bookmarks",
      model: model,
      store: .sqlite(copy.store)
    )
    #expect(try titles(container) == before + ["new"])
  }

  @Test func `an app's own metadata are added to those that Core Data wrote`() throws {
    let corpus = try CorpusStore.named("ddg-bookmarks-v4")
    let copy = try StoreFolder(corpus)
    func list() throws -> NSDictionary {
      let data = try RawTable("Z_METADATA", on: copy.connect()).rows.first?["Z_PLIST"]?.bytes
      let list = try PropertyListSerialization.propertyList(from: data ?? Data(), format: nil)
      return try #require(list as? NSDictionary)
    }
    let before = try list()
    do {
      let container = try PersistentContainer(
        name: "Bookmarks",
        model: corpus.model(),
        store: .sqlite(copy.store)
      )
      let coordinator = container.persistentStoreCoordinator
      let store = try #require(coordinator.persistentStores.first)
      var metadata = try coordinator.metadata(for: store)
      metadata["mine"] = .string("value")
      try coordinator.setMetadata(metadata, for: store)
    }
    let after = try #require(try list().mutableCopy() as? NSMutableDictionary)
    #expect(after["mine"] as? String == "value")
    after.removeObject(forKey: "mine")
    #expect(after == before)
  }

  @Test func `the flag for external storage is found by the version hashes`() throws {
    let fixture = Bundle.module.url(
      forResource: "External",
      withExtension: "momd",
      subdirectory: "Fixtures"
    )
    let document = try ModelDocument(contentsOf: #require(fixture))
    let user = try #require(document.model.entitiesByName["User"])
    #expect(user.attribute("name")?.allowsExternalBinaryDataStorage == true)
    #expect(user.attribute("petName")?.allowsExternalBinaryDataStorage == false)
    #expect(document.diagnostics.isEmpty)
    // Without hashes it is a guess.
    let copy = try StoreFolder()
    let lone = copy.url.appending(path: "External.mom")
    try FileManager.default.copyItem(
      at: #require(fixture).appending(path: "External.mom"),
      to: lone
    )
    #expect(try ModelDocument(contentsOf: lone).diagnostics.count == 1)
  }
}

extension ManagedObject {
  /// The number of objects of a to-many relationship.
  fileprivate func snapshotCount(_ key: String) -> Int? {
    ((try? value(forKey: key)) as? [ManagedObjectID])?.count
  }
}
