// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Copies of stores whose large values lie in files.
@Suite("SEMANTICS 1I: copies of stores with large values")
struct LargeValueCopyTests {
  private static let bytes = Data(repeating: 7, count: 300_000)

  private func open(_ store: URL) throws -> PersistentContainer {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Photo",
        properties: [
          .attribute(
            AttributeDescription("bytes", .binaryData, allowsExternalBinaryDataStorage: true)
          )
        ]
      )
    )
    return try PersistentContainer(name: "Album", model: model, store: .sqlite(store))
  }

  /// What a store's photos have.
  private func photos(in container: PersistentContainer) throws -> [Data?] {
    let context = container.newBackgroundContext()
    defer { withExtendedLifetime(context) {} }
    return try context.fetch(FetchRequest<ManagedObject>(entityName: "Photo"))
      .map { try $0.value(forKey: "bytes") as? Data }
  }

  @Test func `1I.3 copies and backups have large values of their own, or are refused`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try open(folder.appending(path: "Album.sqlite"))
    let context = container.newBackgroundContext()
    let photo = try context.insert(entityNamed: "Photo")
    try photo.setValue(Self.bytes, forKey: "bytes")
    try context.save()
    let coordinator = container.persistentStoreCoordinator
    let store = coordinator.persistentStores[0]
    let copy = folder.appending(path: "Copy.sqlite")
    try coordinator.copyPersistentStore(store, to: .sqlite(copy))
    let backup = folder.appending(path: "Backup.sqlite")
    try coordinator.backUp(store, to: backup)
    let error = #expect(throws: PerennialError.self) {
      try coordinator.backUp(store, to: folder.appending(path: "Album.bak"))
    }
    #expect(error?.code == .persistentStoreSave)
    context.delete(photo)
    try context.save()
    for place in [copy, backup] { #expect(try photos(in: try open(place)) == [Self.bytes]) }
    #expect(try photos(in: container).isEmpty)
  }
}
