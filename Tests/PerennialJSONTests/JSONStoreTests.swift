// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

@Suite("What a JSON store does when there is little to do")
struct JSONStoreTests {
  private let files = ModelFiles()
  private let file = StoreFile(path: "/store.json")
  private let model: ModelLayout

  init() throws { model = try TestModels.people() }

  private func open(isReadOnly: Bool = false) throws -> JSONStore {
    try JSONStore(file, model: model, isReadOnly: isReadOnly, files: files)
  }

  @Test func `a save of nothing asks nothing of the files`() throws {
    let store = try open()
    files.begin(nil)
    try store.save(ChangeSet())
    #expect(files.steps.isEmpty)
  }

  @Test func `a store without a history has nothing of it to delete, and stays as it is`() throws {
    let store = try open()
    let before = files.bytes(file.path)
    #expect(try store.deleteHistory(before: .date(Date())) == 0)
    #expect(files.bytes(file.path) == before)
  }

  @Test func `what others write is told only to those who asked for it`() throws {
    let store = try open()
    #expect(store.takeForeignChanges() == nil)
    store.noteForeignChanges()
    #expect(store.takeForeignChanges()?.isEmpty == true)
  }

  @Test func `a store that is only read can be copied`() throws {
    try open().save(model.insertion([("Person", [Row(1, ["name": .value(.string("Ann"))])])]))
    try open(isReadOnly: true).copy(to: URL(filePath: "/copy.json"))
    let copy = try JSONStore(StoreFile(path: "/copy.json"), model: model, files: files)
    #expect(try copy.values("Person", "name") == [.string("Ann")])
  }
}
