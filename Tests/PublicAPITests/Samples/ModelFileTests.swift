// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialModelFiles
import Testing

@Suite("Samples of the article ModelFiles")
struct ModelFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "\(UUID().uuidString).xcdatamodel")

  @Test func `a model file is written, read and used`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let original = try ManagedObjectModel(
      EntityDescription(
        "Book",
        uniqueness: [["isbn"]],
        properties: [.attribute("isbn", .string), .attribute("title", .string, optional: true)]
      )
    )
    let document = ModelDocument(original, named: "Library")
    try document.contents.write(to: folder.appending(path: "contents"))

    let model = try ManagedObjectModel(contentsOf: folder)
    #expect(model == original)
    let container = try PersistentContainer(name: "Library", model: model, store: .inMemory)
    let context = container.newBackgroundContext()
    let book = try context.insert(entityNamed: "Book")
    try book.setValue("978-0", forKey: "isbn")
    try context.save()
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Book")) == 1)

    let file = try ModelFile(contentsOf: folder)
    #expect(try file.versionNames == [file.currentVersionName])
    #expect(try file.current().diagnostics.isEmpty)
  }
}
