// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// The store in memory is the oracle: both must select the same rows in the same order.
@Suite("Queries")
struct QueryTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let oracle: InMemoryStore

  init() throws {
    folder = try TemporaryFolder()
    let model = try TestModels.blog()
    store = try SQLiteStore(url: folder.file(), model: model)
    oracle = InMemoryStore(model: model)
    let authors = (Int64(1)...4).map {
      Row($0, ["first": .value(.string("a\($0 % 2)")), "last": .value(.string("l\($0)"))])
    }
    let posts = (Int64(1)...40).map { number -> Row in
      var row = Row(number, ["slug": .value(.string("slug \(number * 7 % 40)"))])
      if number % 5 != 0 { row.values["score"] = .value(.integer(number % 3)) }
      if number % 4 != 0 { row.values["author"] = .reference("Author", number % 4) }
      return row
    }
    let changes = model.insertion([("Author", authors), ("Post", posts)])
    try store.save(changes)
    try oracle.save(changes)
  }

  private func check(_ query: StoreQuery) throws {
    let expected = try oracle.fetchReferences(query)
    #expect(try store.fetchReferences(query) == expected)
    #expect(try store.rows(query).map(\.key) == expected.map(\.key))
    #expect(try store.count(query) == expected.count)
  }

  @Test(
    arguments: [
      ("slug", [.string("slug 7"), .string("none"), .string("slug 7"), .string("slug 14")], 2),
      ("slug", (0..<1_200).map { .string("slug \($0 % 50)") }, 40),
      ("score", [.integer(0), .integer(2)], 21), ("score", [.integer(1), .null], 19),
      ("score", (0..<1_200).map { .integer(Int64($0 % 2)) }, 22),
      ("slug", [.integer(7)], 0), ("score", [.double(1), .string("1")], 11),
    ] as [(String, [PropertyValue], Int)]
  )
  func `several values are looked up as a condition finds them`(
    _ name: String,
    _ values: [PropertyValue],
    _ count: Int
  ) throws {
    let post = store.model.entities[store.model.index("Post")]
    let slot = try #require(post.slotsByName[name])
    func keys(_ provider: some RowProvider) throws -> [Int64] {
      var keys: [Int64] = []
      try provider.fetchRows(LookUp(forUpdateBy: slot, of: post.index), .several(values)) { page in
        keys += (0..<page.count).map { PackedRow.key(page.row($0)) }
      }
      return keys.sorted()
    }
    #expect(try keys(store) == keys(oracle))
    #expect(try keys(store).count == count)
  }

  @Test(
    arguments: [
      "score == 1", "score == nil", "slug BEGINSWITH 'slug 1'", "author.#first == 'a1'",
      "author == nil OR score > 1", "NOT (score < 2)", "author.posts.@count > 3",
    ],
    [[], [FetchSort("slug")], [FetchSort("score", ascending: false), FetchSort("slug")]]
  )
  func `predicates, sorts and windows give what the store in memory gives`(
    format: String,
    sorts: [FetchSort]
  ) throws {
    for (limit, offset) in [(0, 0), (3, 0), (4, 2)] {
      var query = StoreQuery(entity: store.model.index("Post"))
      query.predicate = try FetchPredicate(parsing: format)
      query.sorts = sorts.isEmpty ? [] : sorts + [FetchSort("slug")]
      query.limit = sorts.isEmpty ? 0 : limit
      query.offset = sorts.isEmpty ? 0 : offset
      if sorts.isEmpty {
        #expect(
          try Set(store.fetchReferences(query)) == Set(oracle.fetchReferences(query))
        )
      } else {
        try check(query)
      }
    }
  }

  @Test(
    arguments: [
      "score + 1 > 2", "lowercase(slug) == 'slug 20'", "author.#first == 'a1'", "score == 1",
    ],
    [[FetchSort("slug")], [FetchSort("score", ascending: false), FetchSort("slug")]]
  )
  func `every window of what SQL or memory selects gives what the store in memory gives`(
    format: String,
    sorts: [FetchSort]
  ) throws {
    var query = StoreQuery(entity: store.model.index("Post"))
    query.predicate = try FetchPredicate(parsing: format)
    query.sorts = sorts
    for limit in 0...3 {
      for offset in 0...1 {
        (query.limit, query.offset) = (limit, offset)
        try check(query)
      }
    }
    (query.limit, query.offset) = (1, 0)
    #expect(try store.count(query) == 1)
  }

  @Test func `a sort and a window apply to any number of keys`() throws {
    var query = StoreQuery(
      entity: store.model.index("Post"),
      scope: .keys(Array(3...30) + Array(1_000...2_000))
    )
    query.sorts = [FetchSort("slug", ascending: false)]
    query.limit = 7
    query.offset = 2
    try check(query)
  }

  @Test func `a predicate narrows the members of a relationship`() throws {
    let posts = try store.model.relationship("Author", "posts")
    var query = StoreQuery(
      entity: store.model.index("Post"),
      scope: .related(posts, owner: 1)
    )
    query.predicate = try FetchPredicate(parsing: "score == 1")
    query.sorts = [FetchSort("slug")]
    try check(query)
  }

  @Test func `a pattern whose time would double with every character is an error in both stores`()
    throws
  {
    let slug = String(repeating: "a", count: 60) + "!"
    let changes = store.model.insertion([("Post", [Row(100, ["slug": .value(.string(slug))])])])
    try store.save(changes)
    try oracle.save(changes)
    var query = StoreQuery(entity: store.model.index("Post"))
    query.predicate = try FetchPredicate(parsing: "slug MATCHES '(a+)+b'")
    #expect(code { _ = try store.fetchReferences(query) } == .predicateEvaluation)
    #expect(code { _ = try oracle.fetchReferences(query) } == .predicateEvaluation)
    query.predicate = try FetchPredicate(parsing: "slug MATCHES 'a+!'")
    try check(query)
    #expect(try store.count(query) == 1)
  }

  @Test(arguments: [2, 600])
  func `a list finds texts by their bytes, each row once`(_ count: Int) throws {
    let words = ["caf\u{E9}", "cafe\u{301}"]
    let changes = store.model.insertion([
      ("Post", words.enumerated().map { Row(200 + Int64($0), ["slug": .value(.string($1))]) })
    ])
    try store.save(changes)
    try oracle.save(changes)
    var query = StoreQuery(entity: store.model.index("Post"))
    let list = (0..<count).map { words[$0 % 2] }
    query.predicate = FetchPredicate(format: "slug IN %@", list)
    #expect(try store.fetchReferences(query).map(\.key).sorted() == [200, 201])
    var keys: [Int64] = []
    try store.fetchRows(query) { page in
      for index in 0..<page.count { keys.append(PackedRow.key(page.row(index))) }
    }
    #expect(keys.sorted() == [200, 201])
  }
}
