// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Two stores whose names differ only in the extension have one folder of large values.
@Suite("Copies beside a store whose names differ only in the extension")
struct SharedFolderCopyTests {
  private let folder: TemporaryFolder
  private let files = SQLiteFiles(busyTimeout: .zero)

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func make(_ name: String) throws {
    let store = try SQLiteStore(url: folder.file(name), model: TestModels.blog())
    try store.setMetadata(.string(name), forKey: "note")
  }

  private func addLargeValue() throws {
    let values = folder.url.appending(path: ".Store_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
    try Data([1]).write(to: values.appending(path: UUID().uuidString))
  }

  @Test func `1I.3 a copy does not share the large values of the store`() throws {
    try make("Store.sqlite")
    try addLargeValue()
    let error = #expect(throws: PerennialError.self) {
      try files.copy(from: folder.file("Store.sqlite"), to: folder.file("Store.bak"))
    }
    #expect(error?.code == .persistentStoreSave)
    #expect(error?.message.contains("in common") == true)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.contains("bak") || $0.contains("copy") }, "\(names)")
  }

  @Test func `1I.3 a store without large values is copied beside itself`() throws {
    try make("Store.sqlite")
    try files.copy(from: folder.file("Store.sqlite"), to: folder.file("Store.bak"))
    let copy = try SQLiteStore(url: folder.file("Store.bak"), model: TestModels.blog())
    #expect(try copy.metadata(forKey: "note") == .string("Store.sqlite"))
  }
}
