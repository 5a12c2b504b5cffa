// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RandomTesting
import RowTesting
import Testing

@testable import PerennialSQLite

/// The same rows in a SQLite store and in the in-memory store, the oracle.
final class PredicateTwins {
  private let folder: TemporaryFolder
  let sqlite: SQLiteStore
  let memory: InMemoryStore

  var model: ModelLayout { sqlite.model }

  init(seed: UInt64 = 1) throws {
    folder = try TemporaryFolder()
    let model = try Self.makeModel()
    sqlite = try SQLiteStore(url: folder.file(), model: model)
    memory = InMemoryStore(model: model)
    let changes = try Self.makeChanges(model, seed: seed)
    try sqlite.save(changes)
    try memory.save(changes)
  }

  static func makeModel() throws -> ModelLayout {
    try ManagedObjectModel(
      EntityDescription(
        "Author",
        indexes: [["name"], ["born"]],
        properties: [
          .attribute("name", .string, optional: true), .attribute("age", .int16, optional: true),
          .attribute("born", .date, optional: true), .attribute("score", .double, optional: true),
          .attribute("rate", .decimal, optional: true), .attribute("flag", .bool, optional: true),
          .attribute("uid", .uuid, optional: true), .attribute("site", .url, optional: true),
          .attribute("photo", .binaryData, optional: true),
          .toOne("boss", "Author", inverse: "reports"),
          .toMany("reports", "Author", inverse: "boss"),
          .toMany("posts", "Post", inverse: "author"),
        ]
      ),
      EntityDescription(
        "Post",
        indexes: [["title"]],
        properties: [
          .attribute("title", .string, optional: true), .attribute("bytes", .int64, optional: true),
          .toOne("author", "Author", inverse: "posts"),
          .toMany("tags", "Tag", inverse: "posts"),
        ]
      ),
      EntityDescription(
        "Article",
        parent: "Post",
        properties: [.attribute("text", .string, optional: true)]
      ),
      EntityDescription(
        "Letter",
        parent: "Post",
        properties: [.attribute("text", .string, optional: true)]
      ),
      EntityDescription(
        "Tag",
        properties: [
          .attribute("name", .string, optional: true), .toMany("posts", "Post", inverse: "tags"),
        ]
      )
    ).layout
  }

  static let names = [
    "Ada", "ada", "Bob", "Émile", "emile", "Ze\u{301}", "Zé", "a\0b", "", "a*b", "Adam", "ß",
    "\u{10FFFF}",
  ]

  private static func makeChanges(_ model: ModelLayout, seed: UInt64) throws -> ChangeSet {
    var random = SeededGenerator(seed: seed)
    let authors = (1...24).map { Row(Int64($0), author(&random)) }
    func posts(_ keys: ClosedRange<Int64>, text: Bool) -> [Row] {
      keys.map { key in
        var values: [String: Row.Value] = [:]
        if let title = name(&random) { values["title"] = .value(.string(title)) }
        if random.chance(4) > 0 { values["bytes"] = .value(.integer(Int64(random.chance(9)) - 2)) }
        if random.chance(4) > 0 {
          values["author"] = .reference("Author", Int64(random.chance(24) + 1))
        }
        if text, let text = name(&random) { values["text"] = .value(.string(text)) }
        return Row(key, values)
      }
    }
    var changes = model.insertion([
      ("Author", authors), ("Post", posts(1...30, text: false)),
      ("Article", posts(31...45, text: true)), ("Letter", posts(46...55, text: true)),
      ("Tag", (1...5).map { Row(Int64($0), ["name": .value(.string(names[$0]))]) }),
    ])
    var pairs: Set<[Int64]> = []
    for _ in 0..<60 { pairs.insert([Int64(random.chance(55) + 1), Int64(random.chance(4) + 1)]) }
    changes.links = [
      try model.link("Post", "tags", added: pairs.sorted { $0[0] < $1[0] }.map { ($0[0], $0[1]) })
    ]
    return changes
  }

  private static func name(_ random: inout SeededGenerator) -> String? {
    random.chance(6) == 0 ? nil : names[random.chance(names.count)]
  }

  private static func author(_ random: inout SeededGenerator) -> [String: Row.Value] {
    var values: [String: Row.Value] = [:]
    func set(_ name: String, _ value: PropertyValue) {
      if random.chance(5) > 0 { values[name] = .value(value) }
    }
    if let name = name(&random) { values["name"] = .value(.string(name)) }
    set("age", .integer(Int64(random.chance(5)) * 10))
    set("born", .date(Date(timeIntervalSinceReferenceDate: Double(random.chance(6)) / 2)))
    set("score", .double([0.5, 1, -0.0, .infinity, 10.25][random.chance(5)]))
    set("rate", .decimal([0.1, 1, 2.5, -3][random.chance(4)]))
    set("flag", .boolean(random.chance(2) == 0))
    set("uid", .uuid(uuid(random.chance(3))))
    if let url = URL(string: "https://e.org/\(random.chance(3))") { set("site", .url(url)) }
    set("photo", .data(Data([UInt8(random.chance(3))])))
    if random.chance(3) > 0 { values["boss"] = .reference("Author", Int64(random.chance(24) + 1)) }
    return values
  }

  static func uuid(_ number: Int) -> UUID {
    UUID(uuid: (UInt8(number), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  }

  // MARK: Asking both

  func query(_ entity: String, _ predicate: FetchPredicate?) -> StoreQuery {
    var query = StoreQuery(entity: model.index(entity))
    query.predicate = predicate
    return query
  }

  /// The keys that a store selects, or the code of its error.
  static func answer(_ store: any RowStore, _ query: StoreQuery) -> String {
    do {
      let keys = try store.fetchReferences(query).map(\.key)
      let count = try store.count(query)
      guard count == keys.count else { return "counted \(count) of \(keys.count)" }
      return query.sorts.isEmpty ? "\(keys.sorted())" : "\(keys)"
    } catch {
      return "error \(error.code.rawValue)"
    }
  }

  /// The WHERE clause for a predicate.
  func condition(_ entity: String, _ predicate: FetchPredicate) throws -> ConditionSQL {
    var translator = PredicateTranslator(schema: sqlite.schema, store: sqlite.identifier)
    return translator.translate(try predicate.checked(), entity: model.index(entity))
  }
}

/// Random numbers with a seed.
extension SeededGenerator {
  /// A number below `count`.
  mutating func chance(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
