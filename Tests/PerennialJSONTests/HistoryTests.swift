// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

@Suite("The history of a JSON file")
struct HistoryTests {
  private let files = ModelFiles()
  private let file = StoreFile(path: "/store.json")
  private let model: ModelLayout

  init() throws { model = try TestModels.people() }

  private func open(_ history: HistoryOptions = HistoryOptions()) throws -> JSONStore {
    try JSONStore(file, model: model, files: files, history: history)
  }

  private func person(_ key: Int64, _ name: String, author: String? = nil) -> ChangeSet {
    var changes = model.insertion([("Person", [Row(key, ["name": .value(.string(name))])])])
    changes.author = ChangeSet.Author(name: author)
    return changes
  }

  private func text() throws -> String {
    String(decoding: try #require(files.bytes(file.path)), as: UTF8.self)
  }

  @Test func `1H.4 it outlives the process, and goes on when nobody asks for it`() throws {
    let all = HistoryQuery()
    let first = try open(HistoryOptions(isOn: true, keepsOldValues: true))
    #expect(first.keepsHistory)
    try first.save(person(1, "Ann", author: "me"))
    var changes = ChangeSet()
    changes.updates = [model.update("Person", ["name"], [Row(1, version: 2, ["name": "Eve"])])]
    try first.save(changes)
    let history = try first.history(all)
    #expect(history.map(\.transactionNumber) == [1, 2])
    #expect(history.map(\.author) == ["me", nil])
    #expect(history[1].changes[0].oldValues == ["name": .string("Ann")])

    let second = try open()
    #expect(second.keepsHistory)
    #expect(try second.history(all) == history)
    try second.save(person(2, "Bob"))
    // The first one sees it, as it sees the objects.
    let both = try first.history(all)
    #expect(both.map(\.transactionNumber) == [1, 2, 3])
    #expect(both.flatMap(\.changes).map(\.changeID) == [1, 2, 3])
    #expect(try second.history(all) == both)
  }

  @Test func `without a history the file has none, and a store that asks begins one`() throws {
    try open().save(person(1, "Ann"))
    #expect(try !text().contains("\"history\""))
    let store = try open(HistoryOptions(isOn: true))
    #expect(try store.history(HistoryQuery()).isEmpty)
    try store.save(person(2, "Bob"))
    #expect(try store.history(HistoryQuery()).map(\.changes.count) == [1])
    #expect(try open().history(HistoryQuery()).count == 1)
  }

  @Test func `1H.4 no token leads past a save that went before a history had been written`() throws
  {
    let store = try open(HistoryOptions(isOn: true))
    let old = try #require(try store.historyToken())
    try open().save(person(1, "Ann"))
    #expect(
      thrown { _ = try store.checkedHistory(HistoryQuery(after: .token(old))) }?.code
        == .persistentHistoryTokenExpired
    )
    let new = try #require(try store.historyToken())
    try store.save(person(2, "Bob"))
    let after = try store.checkedHistory(HistoryQuery(after: .token(new)))
    #expect(after.map(\.changes.count) == [1])
    #expect(try open().checkedHistory(HistoryQuery(after: .token(new))) == after)
  }

  @Test func `1H.4 a part that is deleted is gone from the file, and old tokens have expired`()
    throws
  {
    let store = try open(HistoryOptions(isOn: true))
    let old = try #require(try store.historyToken())
    for key in Int64(1)...3 { try store.save(person(key, "p\(key)")) }
    let last = try #require(try store.historyToken())
    #expect(try store.deleteHistory(before: .token(last)) == 2)
    #expect(try store.deleteHistory(before: .token(last)) == 0)
    let again = try open()
    #expect(try again.historyExtent() == HistoryExtent(first: 3, last: 3))
    #expect(try again.checkedHistory(HistoryQuery(after: .token(last))).isEmpty)
    #expect(
      thrown { _ = try again.checkedHistory(HistoryQuery(after: .token(old))) }?.code
        == .persistentHistoryTokenExpired
    )
  }

  @Test func `a transaction is a line of JSON`() throws {
    let store = try open(HistoryOptions(isOn: true))
    try store.save(person(1, "Ann", author: "a \"b\""))
    let line = try #require(
      try text().split(separator: "\n").first { $0.hasPrefix(" {\"date\":") }
    )
    #expect(line.contains("\"author\":\"a \\\"b\\\"\""))
    #expect(
      line.hasSuffix(
        "\"firstChange\":1,\"changes\":{\"batches\":[{\"entity\":\"Person\",\"properties\":[],"
          + "\"runs\":[[1,1]],\"type\":0}]}}"
      )
    )
    #expect(try JSONSerialization.jsonObject(with: Data(text().utf8)) is [String: Any])
  }

  @Test(
    arguments: [
      ("\"first\":1", "\"first\":0"), ("\"lastChange\":1", "\"lastChange\":-1"),
      ("\"first\":1", "\"first\":\(Int64.max)"),
      ("\"lastChange\":1", "\"lastChange\":\(Int64.max)"),
      ("\"firstChange\":1", "\"firstChange\":\(Int64.max)"),
      ("\"batches\"", "\"patches\""), ("[[1,1]]", "[[2,1]]"), ("[[1,1]]", "[[1]]"),
      ("{\"date\"", "{\"day\""), ("\"transactions\":[", "\"transactions\":{"),
      ("\"type\":0", "\"type\":7"), ("\"changes\":{", "\"changes\":[{"),
      ("\"runs\":[[1,1]],\"type\":0}]}}", "\"runs\":[[1,1"),
    ]
  )
  func `a history that was edited into something else is an error`(
    _ part: String,
    _ replacement: String
  ) throws {
    let store = try open(HistoryOptions(isOn: true))
    try store.save(person(1, "Ann"))
    let text = try text()
    let start = try #require(text.range(of: "\"checksum\":"))
    var edited = text[..<start.upperBound] + "null\n}\n"
    edited.replaceSubrange(try #require(edited.range(of: part)), with: replacement)
    files.put(Array(edited.utf8), at: file.path)
    #expect(thrown { _ = try open() }?.code == .persistentStoreOpen)
  }
}
