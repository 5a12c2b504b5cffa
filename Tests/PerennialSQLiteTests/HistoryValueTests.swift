// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("SEMANTICS 1H.4: values that deletions preserve")
struct HistoryValueTests {
  private static let types: [(String, AttributeType, PropertyValue)] = [
    ("small", .int16, .integer(-5)), ("middle", .int32, .integer(1 << 20)),
    ("large", .int64, .integer(.min)), ("flag", .bool, .boolean(true)),
    ("number", .double, .double(0.1)), ("short", .float, .double(0.5)),
    ("price", .decimal, .decimal(Decimal(123_456_789) / 1_000)), ("text", .string, .string("é\n")),
    ("date", .date, .date(Date(timeIntervalSinceReferenceDate: 1.5))),
    ("url", .url, .url(URL(filePath: "/a"))), ("uid", .uuid, .uuid(UUID())),
    ("bytes", .binaryData, .data(Data([0, 255]))),
  ]

  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    let attributes = Self.types.map { name, type, _ in
      var attribute = AttributeDescription(name, type, isOptional: true)
      attribute.preservesValueInHistoryOnDeletion = true
      return PropertyDescription.attribute(attribute)
    }
    let model = try ManagedObjectModel(
      EntityDescription("Thing", properties: attributes)
    ).layout
    store = try SQLiteStore(
      url: folder.file(),
      model: model,
      history: HistoryOptions(isOn: true)
    )
    let values = Dictionary(uniqueKeysWithValues: Self.types.map { ($0.0, Row.Value.value($0.2)) })
    try store.save(model.insertion([("Thing", [Row(1, values), Row(2), Row(3, values)])]))
  }

  private static let expected = Dictionary(uniqueKeysWithValues: types.map { ($0.0, $0.2) })

  private func lastChanges() throws -> [Int64: PersistentHistoryChange] {
    let last = try #require(try store.history(HistoryQuery()).last)
    return Dictionary(
      uniqueKeysWithValues: last.changes.map { ($0.changedObjectID.key, $0) }
    )
  }

  @Test func `a deletion keeps values of every type, and none where there was none`() throws {
    var changes = ChangeSet()
    changes.deletions = [store.model.deletion("Thing", [(1, 1), (2, 1)])]
    try store.save(changes)
    let found = try lastChanges()
    #expect(Set(found.keys) == [1, 2])
    #expect(found[1]?.changeType == .delete)
    #expect(found[1]?.tombstone == Self.expected)
    #expect(found[2]?.tombstone == [:])
  }

  @Test func `a statement that deletes many keeps them, too`() throws {
    var query = StoreQuery(entity: store.model.index("Thing"))
    query.predicate = "small < 0"
    let outcome = try #require(try store.execute(BatchStatement(query: query, action: .delete)))
    #expect(outcome.count == 2)
    let found = try lastChanges()
    #expect(Set(found.keys) == [1, 3])
    #expect(found.values.allSatisfy { $0.changeType == .delete && $0.tombstone == Self.expected })
    query.predicate = "uppercase(text) == 'x'"
    #expect(try store.execute(BatchStatement(query: query, action: .delete)) == nil)
  }

  @Test func `a statement that changes many is in the history`() throws {
    let slot = try #require(store.model.entities[0].slotsByName["small"])
    let row = PageRow(
      page: store.model.update("Thing", ["small"], [Row(9, ["small": 7])]).pages[0],
      index: 0
    )
    var query = StoreQuery(entity: 0)
    query.predicate = "small < 0"
    let outcome = try #require(
      try store.execute(BatchStatement(query: query, action: .update(slots: [slot], row)))
    )
    #expect(outcome.count == 2)
    let found = try lastChanges()
    #expect(Set(found.keys) == [1, 3])
    for change in found.values {
      #expect(change.changeType == .update)
      #expect(change.updatedProperties == ["small"])
      #expect(change.tombstone.isEmpty)
    }
    query.predicate = "small == 7"
    #expect(try store.count(query) == 2)
  }

  @Test func `the journal of a store can be waited for, and that of no store cannot`() throws {
    try JournalFiles(of: folder.file().path).synchronise()
    let nowhere = folder.url.appending(path: "none/store.sqlite").path
    #expect(throws: FileFailure.self) { try JournalFiles(of: nowhere).synchronise() }
  }
}
