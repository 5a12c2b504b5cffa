// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Saving")
struct SaveTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private var model: ModelLayout { store.model }

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    try store.save(
      store.model.insertion([
        ("Post", [Row(1, ["slug": "a", "score": 1]), Row(2, ["slug": "b"]), Row(3)]),
        ("Author", [Row(1, ["first": "Ada", "last": "L"]), Row(2, ["first": "Ada"])]),
      ])
    )
  }

  private func slugs() throws -> [PropertyValue] {
    try store.rows("Post").map { try store.value($0, "slug") }
  }

  @Test func `keys are given once, also after a reopening`() throws {
    let post = model.index("Post")
    let first = try store.reserveKeys(root: post, count: 3)
    #expect(first == 4)
    #expect(try store.reserveKeys(root: post, count: 1) == 7)
    let again = try SQLiteStore(url: folder.file(), model: model)
    #expect(try again.reserveKeys(root: post, count: 1) == 8)
    #expect(try again.integers("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Post'") == [8])
  }

  @Test func `an update writes its slots and the version, and no others`() throws {
    var changes = ChangeSet()
    changes.updates = [
      model.update("Post", ["slug"], [Row(1, version: 2, ["slug": "z", "score": 99])])
    ]
    try store.save(changes)
    let row = try store.row("Post", 1)
    #expect(row?.version == 2)
    #expect(try store.value(row, "slug") == .string("z"))
    #expect(try store.value(row, "score") == .integer(1))
  }

  @Test func `an update of no slot raises the version`() throws {
    var changes = ChangeSet()
    changes.updates = [model.update("Post", [], [Row(1, version: 2)])]
    try store.save(changes)
    #expect(try store.row("Post", 1)?.version == 2)
  }

  @Test func `all version conflicts come at once, and nothing is written`() throws {
    var changes = model.insertion([("Post", [Row(9, ["slug": "new"])])])
    changes.updates = [
      model.update(
        "Post",
        ["slug"],
        [
          Row(1, version: 5, ["slug": "x"]), Row(2, version: 2, ["slug": "y"]),
          Row(77, version: 2, ["slug": "w"]),
        ]
      )
    ]
    changes.deletions = [model.deletion("Post", [(3, 4)])]
    var found: [Int64: Int64?] = [:]
    for conflict in conflicts(of: { try store.save(changes) }) {
      if case .version(_, let key, let stored) = conflict {
        found.updateValue(stored?.key, forKey: key)
      }
    }
    #expect(found == [1: 1, 77: nil, 3: 3])
    #expect(try slugs() == [.string("a"), .string("b"), .null])
  }

  @Test func `a deletion of a row that is gone is no conflict`() throws {
    var changes = ChangeSet()
    changes.deletions = [model.deletion("Post", [(1, 1), (50, 3)])]
    try store.save(changes)
    #expect(try store.rows("Post").map(\.key) == [2, 3])
  }

  @Test func `a deletion of a row that is gone does not hide that another row has changed`()
    throws
  {
    var changes = ChangeSet()
    changes.deletions = [model.deletion("Post", [(1, 1)])]
    try store.save(changes)
    changes.deletions = [model.deletion("Post", [(1, 1), (3, 4)])]
    guard case .version(_, let key, _) = conflicts(of: { try store.save(changes) }).first else {
      Issue.record("no conflict")
      return
    }
    #expect(key == 3)
    #expect(try store.rows("Post").map(\.key) == [2, 3])
  }

  @Test func `all constraint conflicts come at once with the stored rows`() throws {
    var changes = model.insertion([
      ("Post", [Row(10, ["slug": "a"]), Row(11, ["slug": "new"]), Row(12)]),
      ("Author", [Row(10, ["first": "Ada", "last": "L"]), Row(11, ["first": "Ada"])]),
    ])
    changes.updates = [model.update("Post", ["slug"], [Row(3, version: 2, ["slug": "b"])])]
    var found: Set<[Int64]> = []
    for conflict in conflicts(of: { try store.save(changes) }) {
      if case .constraint(let entity, let number, let newcomer, let stored) = conflict {
        found.insert([Int64(entity), Int64(number), newcomer, stored.key])
      }
    }
    let (author, post) = (Int64(model.index("Author")), Int64(model.index("Post")))
    #expect(found == [[post, 0, 10, 1], [post, 0, 3, 2], [author, 0, 10, 1]])
    #expect(try store.rows("Post").count == 3)
  }

  @Test func `two updated rows swap unique values`() throws {
    var changes = ChangeSet()
    changes.updates = [
      model.update(
        "Post",
        ["slug"],
        [Row(1, version: 2, ["slug": "b"]), Row(2, version: 2, ["slug": "a"])]
      )
    ]
    try store.save(changes)
    #expect(try slugs() == [.string("b"), .string("a"), .null])
    #expect(try store.rows("Post").map(\.version) == [2, 2, 1])
  }

  @Test func `a new row takes the value of a deleted and of a changed one`() throws {
    var changes = model.insertion([("Post", [Row(10, ["slug": "a"]), Row(11, ["slug": "b"])])])
    changes.deletions = [model.deletion("Post", [(1, 1)])]
    changes.updates = [model.update("Post", ["slug"], [Row(2, version: 2, ["slug": "c"])])]
    try store.save(changes)
    #expect(try slugs() == [.string("c"), .null, .string("a"), .string("b")])
  }

  @Test func `a change set that was written already is no conflict`() throws {
    var changes = model.insertion([
      ("Post", (10...40).map { Row($0, ["slug": .value(.string("s\($0)"))]) })
    ])
    changes.updates = [model.update("Post", ["slug"], [Row(2, version: 2, ["slug": "c"])])]
    changes.deletions = [model.deletion("Post", [(1, 1)])]
    try store.save(changes)
    let before = try slugs()
    try store.save(changes)
    #expect(try slugs() == before)
    #expect(try store.row("Post", 2)?.version == 2)
  }

  @Test func `a key that another row has is a conflict`() throws {
    let found = conflicts { try store.save(model.insertion([("Post", [Row(1, ["slug": "q"])])])) }
    guard case .version(_, let key, let stored) = found.first else {
      Issue.record("no conflict")
      return
    }
    #expect((key, stored?.version) == (1, 1))
  }

  @Test func `two new rows of one value fail with an error`() throws {
    let changes = model.insertion([("Post", [Row(10, ["slug": "q"]), Row(11, ["slug": "q"])])])
    #expect(code { try store.save(changes) } == .managedObjectConstraintMerge)
    #expect(try store.rows("Post").count == 3)
  }

  @Test func `the application's metadata are kept beside the store's`() throws {
    try store.setMetadata(.string("yes"), forKey: "app.flag")
    try store.setMetadata(.integer(7), forKey: "app.count")
    try store.setMetadata(.boolean(true), forKey: "app.switch")
    let again = try SQLiteStore(url: folder.file(), model: model)
    #expect(again.identifier == store.identifier)
    #expect(try again.metadata(forKey: "app.flag") == .string("yes"))
    #expect(try again.metadata(forKey: "app.count") == .integer(7))
    #expect(try again.metadata(forKey: "app.switch") == .boolean(true))
    #expect(code { try store.setMetadata(.null, forKey: "NSStoreType") } == .unknownName)
  }
}

@Suite("Links and orders")
struct LinkTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private var model: ModelLayout { store.model }

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(url: folder.file(), model: TestModels.links())
    try store.save(
      store.model.insertion([
        ("Album", [Row(1), Row(2)]), ("Tag", [Row(1), Row(2), Row(3)]), ("Zoo", [Row(1)]),
        ("Track", (1...6).map { Row($0, ["album": .reference("Album", 1)]) }),
      ])
    )
  }

  private func save(links: [ChangeSet.LinkChange]) throws {
    var changes = ChangeSet()
    changes.links = links
    try store.save(changes)
  }

  private func order(_ name: String, _ members: [Int64]) throws {
    var changes = ChangeSet()
    changes.orders = [
      .init(relationship: try model.relationship("Album", name), owner: 1, members: members)
    ]
    try store.save(changes)
  }

  @Test func `pairs are added and removed once, and seen from both ends`() throws {
    try save(links: [model.link("Album", "tags", added: [(1, 1), (1, 2), (2, 2), (1, 1)])])
    try save(links: [model.link("Tag", "albums", added: [(2, 1)], removed: [(1, 1), (3, 2)])])
    #expect(try store.members("Album", "tags", of: 1) == [2])
    #expect(try Set(store.members("Tag", "albums", of: 2)) == [1, 2])
  }

  @Test func `a member is found through its owner`() throws {
    try save(links: [model.link("Album", "tags", added: [(1, 2)])])
    let tags = try model.relationship("Album", "tags")
    let tag = model.index("Tag")
    for (member, count) in [(Int64(2), 1), (3, 0)] {
      let query = StoreQuery(
        entity: tag,
        scope: .relatedMember(tags, owner: 1, member: member)
      )
      #expect(try store.count(query) == count)
      #expect(try store.rows(query).count == count)
    }
  }

  @Test func `a symmetric relationship holds both ways`() throws {
    try save(links: [model.link("Track", "similar", added: [(1, 2), (3, 3)])])
    #expect(try store.members("Track", "similar", of: 2) == [1])
    #expect(try store.members("Track", "similar", of: 1) == [2])
    #expect(try store.members("Track", "similar", of: 3) == [3])
    try save(links: [model.link("Track", "similar", removed: [(2, 1)])])
    #expect(try store.members("Track", "similar", of: 1) == [])
  }

  @Test func `a deleted row takes its pairs along, on both sides`() throws {
    try save(links: [
      model.link("Album", "tags", added: [(1, 1), (1, 2), (2, 1)]),
      model.link("Zoo", "visits", added: [(1, 1), (1, 2)]),
      model.link("Track", "similar", added: [(1, 2), (2, 3)]),
    ])
    var changes = ChangeSet()
    changes.deletions = [
      model.deletion("Tag", [(1, 1)]), model.deletion("Track", [(2, 1)]),
    ]
    try store.save(changes)
    #expect(try store.integers("SELECT Z_2TAGS FROM Z_1TAGS") == [2])
    #expect(try store.integers("SELECT Z_2VISITS FROM Z_4VISITS") == [2])
    #expect(try store.integers("SELECT COUNT(*) FROM Z_3SIMILAR") == [0])
  }

  @Test(arguments: [("Album", "tags"), ("Track", "album"), ("Track", "similar")])
  func `a relationship without an order gets none`(entity: String, name: String) throws {
    let url = folder.file("history.sqlite")
    let store = try SQLiteStore(
      url: url,
      model: TestModels.links(),
      history: HistoryOptions(isOn: true)
    )
    try store.save(
      model.insertion([
        ("Album", [Row(1)]), ("Tag", [Row(1), Row(2)]),
        ("Track", (1...2).map { Row($0, ["album": .reference("Album", 1)]) }),
      ])
    )
    let relationship = try model.relationship(entity, name)
    var changes = ChangeSet()
    changes.orders = [.init(relationship: relationship, owner: 1, members: [2, 1])]
    try store.save(changes)
    for row in try store.rows(entity) { #expect(row.version == 1) }
    #expect(try store.integers("SELECT COUNT(*) FROM ZTRACK WHERE Z_FOK_ALBUM > 0") == [0])
    let history = try store.history(HistoryQuery())
    for transaction in history.dropFirst() { #expect(transaction.changes.isEmpty) }
  }

  @Test func `new orders begin at 2048 and go on by 1024`() throws {
    try order("tracks", [3, 1, 2])
    #expect(try store.members("Album", "tracks", of: 1) == [3, 1, 2, 4, 5, 6])
    #expect(
      try store.integers("SELECT Z_FOK_ALBUM FROM ZTRACK ORDER BY Z_FOK_ALBUM")
        == [2048, 3072, 4096, 5120, 6144, 7168]
    )
  }

  @Test func `moving one member changes one number`() throws {
    try order("tracks", [1, 2, 3, 4, 5, 6])
    try order("tracks", [1, 6, 2, 3, 4, 5])
    #expect(try store.members("Album", "tracks", of: 1) == [1, 6, 2, 3, 4, 5])
    #expect(
      try store.integers("SELECT Z_FOK_ALBUM FROM ZTRACK ORDER BY Z_PK")
        == [2048, 3072, 4096, 5120, 6144, 2560]
    )
  }

  @Test func `many-to-many relationships keep their order too`() throws {
    try save(links: [model.link("Album", "covers", added: [(1, 1), (1, 2), (1, 3), (2, 1)])])
    try order("covers", [2, 3, 1])
    #expect(try store.members("Album", "covers", of: 1) == [2, 3, 1])
    #expect(try store.members("Album", "covers", of: 2) == [1])
  }
}
