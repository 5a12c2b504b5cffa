// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

/// Two stores on one file, as two processes have them.
@Suite("Sharing a file")
struct SharingTests {
  private let folder: TemporaryFolder
  private let model: ModelLayout
  private let one: JSONStore
  private let two: JSONStore

  init() throws {
    folder = try TemporaryFolder()
    model = try TestModels.people()
    one = try JSONStore(url: folder.file(), model: model)
    try one.save(model.insertion([("Person", [Row(1, ["name": "a"]), Row(2, ["name": "b"])])]))
    two = try JSONStore(url: folder.file(), model: model, busyTimeout: .milliseconds(20))
  }

  private func renaming(_ key: Int64, to name: String, version: UInt32 = 2) -> ChangeSet {
    var changes = ChangeSet()
    let row = Row(key, version: version, ["name": .value(.string(name))])
    changes.updates = [model.update("Person", ["name"], [row])]
    return changes
  }

  private func conflicts(_ body: () throws -> Void) -> [SaveConflict] {
    do {
      try body()
      return []
    } catch SaveFailure.conflicts(let conflicts) {
      return conflicts
    } catch {
      Issue.record(error)
      return []
    }
  }

  @Test func `a fetch sees what the other has saved`() throws {
    try two.save(renaming(1, to: "c"))
    #expect(try one.values("Person", "name") == [.string("c"), .string("b")])
    #expect(try two.values("Person", "name") == [.string("c"), .string("b")])
    #expect(one.identifier == two.identifier)
  }

  @Test func `a save meets what the other has saved: versions and constraints`() throws {
    try two.save(renaming(1, to: "c"))
    guard case .version(_, 1, let stored?) = conflicts({ try one.save(renaming(1, to: "d")) }).first
    else {
      Issue.record("no conflict of versions")
      return
    }
    #expect(stored.version == 2)
    let taken = model.insertion([("Person", [Row(9, ["name": "c"])])])
    guard case .constraint(_, 0, 9, let holder) = conflicts({ try one.save(taken) }).first else {
      Issue.record("no conflict of a constraint")
      return
    }
    #expect(holder.key == 1)
    // What does not conflict is added to what the other has saved.
    try one.save(renaming(2, to: "e"))
    #expect(try two.values("Person", "name") == [.string("c"), .string("e")])
  }

  @Test func `two that reserve keys before either saves get different ones`() throws {
    let root = model.index("Person")
    let first = try one.reserveKeys(root: root, count: 3)
    let second = try two.reserveKeys(root: root, count: 2)
    let third = try one.reserveKeys(root: root, count: 1)
    #expect([first, second, third] == [3, 6, 8])
    try two.save(model.insertion([("Person", [Row(6), Row(7)])]))
    try one.save(model.insertion([("Person", [Row(3), Row(8)])]))
    #expect(try two.rows("Person").map(\.key) == [1, 2, 3, 6, 7, 8])
    // Also when the ledger is lost.
    try FileManager.default.removeItem(at: folder.file("Store.json.lock"))
    #expect(try one.reserveKeys(root: root, count: 1) == 9)
  }

  @Test(arguments: ["9223372036854775807", "-5", "140737488355330", "many"])
  func `a ledger with what is no key counts as lost`(key: String) throws {
    let ledger = "\(one.identifier.uuidString)\nPerson \(key)\nend\n"
    try Data(ledger.utf8).write(to: folder.file("Store.json.lock"))
    #expect(try one.reserveKeys(root: model.index("Person"), count: 1) == 3)
    #expect(try two.reserveKeys(root: model.index("Person"), count: 1) == 4)
  }

  @Test(arguments: ["\(UUID())\nPerson 9\nend\n", "STORE\nPerson 9\n", "", "end\n"])
  func `a ledger of another store, or one that is not whole, counts as lost`(text: String) throws {
    let ledger = text.replacing("STORE", with: one.identifier.uuidString)
    try Data(ledger.utf8).write(to: folder.file("Store.json.lock"))
    #expect(try one.reserveKeys(root: model.index("Person"), count: 1) == 3)
    #expect(try two.reserveKeys(root: model.index("Person"), count: 1) == 4)
  }

  @Test func `keys that are taken are not given again by a store that is opened later`() throws {
    let root = model.index("Person")
    _ = try one.reserveKeys(root: root, count: 10)
    try one.save(renaming(1, to: "x"))
    try FileManager.default.removeItem(at: folder.file("Store.json.lock"))
    let later = try JSONStore(url: folder.file(), model: model)
    #expect(try later.reserveKeys(root: root, count: 1) == 13)
  }

  @Test func `a save waits for the lock, and then says who has it`() throws {
    let file = try StoreFile(folder.file())
    var lock = try SystemFiles().lock(file.lockPath, patience: .zero)
    #expect(lock != nil)
    let error = try #require(thrown { try two.save(renaming(1, to: "c")) })
    #expect(error.code == .persistentStoreTimeout)
    #expect(error.recovery.contains("busyTimeout"))
    // Whoever only reads needs no lock.
    #expect(try two.rows("Person").count == 2)
    lock = nil
    try two.save(renaming(1, to: "c"))
    #expect(try one.values("Person", "name").first == .string("c"))
  }

  @Test func `what the other writes has a number, and own saves have none`() throws {
    let number = try one.foreignDataVersion()
    try one.save(renaming(1, to: "c"))
    _ = try one.rows("Person")
    #expect(try one.foreignDataVersion() == number)
    try two.save(renaming(2, to: "d"))
    #expect(try one.foreignDataVersion() != number)
  }

  @Test func `what the other writes is told as rows, as they are now`() throws {
    one.noteForeignChanges()
    var changes = model.insertion([
      ("Employee", [Row(5, ["name": "new", "boss": .reference("Person", 1)])])
    ])
    changes.updates = renaming(1, to: "c").updates
    changes.deletions = [model.deletion("Person", [(2, 1)])]
    changes.links = [try model.link("Person", "friends", added: [(5, 1)])]
    let reports = try model.relationship("Person", "reports")
    changes.orders = [.init(relationship: reports, owner: 1, members: [5])]
    try two.save(changes)
    _ = try one.foreignDataVersion()
    // Own saves are not told, but the rows are those of now.
    try one.save(renaming(1, to: "d", version: 3))
    let told = try #require(one.takeForeignChanges()?.first)
    #expect(told.insertions.map(\.entity) == [model.index("Employee")])
    #expect(told.insertions.flatMap { Array($0.pages.keys) } == [5])
    #expect(told.updates.flatMap { Array($0.pages.keys) } == [1])
    let page = try #require(told.updates.first?.pages.first)
    #expect(PackedRow.version(page.row(0)) == 3)
    #expect(told.deletions.flatMap { $0.rows.map(\.key) } == [2])
    #expect(told.links.flatMap(\.added).count == 1)
    #expect(told.orders.map(\.members) == [[5]])
    #expect(one.takeForeignChanges()?.isEmpty == true)
  }

  @Test func `a backup that is put back counts as saved by somebody else`() throws {
    let backup = folder.file("Backup.json")
    try one.copy(to: backup)
    let root = model.index("Person")
    let key = try one.reserveKeys(root: root, count: 1)
    try one.save(model.insertion([("Person", [Row(key, ["name": "c"])])]))
    try JSONFiles(busyTimeout: .seconds(1)).replace(at: folder.file(), from: backup)
    #expect(try one.values("Person", "name") == [.string("a"), .string("b")])
    // The key of what the backup lacks is not given again.
    let next = try one.reserveKeys(root: root, count: 1)
    #expect(next > key)
    try one.save(model.insertion([("Person", [Row(next, ["name": "d"])])]))
    #expect(try two.values("Person", "name") == [.string("a"), .string("b"), .string("d")])
  }

  @Test func `a store that is removed while it is open is not made anew`() throws {
    try FileManager.default.removeItem(at: folder.file())
    let error = thrown { try one.save(renaming(1, to: "c")) }
    #expect(error?.code == .persistentStoreSave)
    #expect(error?.message.contains("is gone") == true)
    #expect(try !folder.names.contains("Store.json"))
    // What has been read is still there to be read, and to be saved elsewhere.
    #expect(try one.rows("Person").count == 2)
  }
}
