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

/// The store in memory, which has no index, is the oracle.
@Suite("Full-text indexes")
struct FullTextTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func makeModel(_ elements: [FetchIndexDescription.Element]) throws -> ModelLayout {
    var note = EntityDescription(
      "Note",
      properties: [
        .attribute("text", .string, optional: true), .attribute("size", .int64, optional: true),
      ]
    )
    note.indexes = elements.isEmpty ? [] : [FetchIndexDescription("words", elements: elements)]
    let letter = EntityDescription("Letter", parent: "Note", properties: [])
    return try ManagedObjectModel(note, letter).layout
  }

  private static func makeModel() throws -> ModelLayout {
    try makeModel([.init("text", type: .fullText)])
  }

  private func open(_ model: ModelLayout, isReadOnly: Bool = false) throws -> SQLiteStore {
    try SQLiteStore(url: folder.file(), model: model, isReadOnly: isReadOnly)
  }

  private func query(_ format: String, _ arguments: [any Sendable] = []) throws -> StoreQuery {
    StoreQuery(entity: 0, predicate: try FetchPredicate(parsing: format, arguments: arguments))
  }

  private func plan(_ store: SQLiteStore, _ format: String) throws -> String {
    try store.explain(query(format)).plan.joined(separator: "\n")
  }

  private func keys(_ store: any RowStore, _ query: StoreQuery) throws -> [Int64] {
    try store.fetchReferences(query).map(\.key).sorted()
  }

  // MARK: The answer

  /// Pieces of texts and patterns, so chosen that folding is put to the test.
  private static let pieces = [
    "fix", "FIX", "Fix", "ix ", "prefixed", "straße", "STRASSE", "ss", "s", "ſ", "K", "\u{212A}",
    "k", "İ", "i", "ı", "éclair", "e\u{301}clair", "ECLAIR", "Σίσυφος", "σ", "ς", "ΠΑΣ", "Привет",
    "й", "日本語", "한국어", "👩‍🚀", "\0", "\"", "'", " AND ", "*", "?", "\\", "a", "ŉ", "ﬁx", "ǆ",
  ]

  private static func text(_ random: inout SeededGenerator, _ count: Int) -> String {
    (0..<count).map { _ in pieces[random.chance(pieces.count)] }.joined()
  }

  @Test func `an index changes no answer, whatever is saved and asked`() throws {
    let seed = UInt64.random(in: 1...1_000_000)
    var random = SeededGenerator(seed: seed)
    let model = try Self.makeModel()
    let store = try open(model)
    let oracle = InMemoryStore(model: model)
    func save(_ changes: ChangeSet) throws {
      try store.save(changes)
      try oracle.save(changes)
    }
    func rows(_ keys: some Sequence<Int64>, version: UInt32) -> [Row] {
      keys.map { key in
        let text = Self.text(&random, random.chance(5))
        return Row(
          key,
          version: version,
          random.chance(9) == 0 ? [:] : ["text": .value(.string(text))]
        )
      }
    }
    try save(
      model.insertion([
        ("Note", rows(1...150, version: 1)), ("Letter", rows(151...200, version: 1)),
      ])
    )
    var changes = ChangeSet()
    changes.updates = [
      model.update("Note", ["text"], rows(stride(from: 1, to: 150, by: 3), version: 2))
    ]
    changes.deletions = [
      model.deletion("Note", stride(from: 2, to: 150, by: 6).map { ($0, 1) })
    ]
    try save(changes)
    var narrowed = 0
    var selective = 0
    for _ in 0..<600 {
      let comparator = ["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "=="][random.chance(5)]
      let options = ["", "[c]", "[d]", "[cd]", "[n]"][random.chance(5)]
      var pattern = Self.text(&random, 1 + random.chance(3))
      if comparator == "LIKE" { pattern = "*\(pattern)*" }
      let other =
        random.chance(3) == 0 ? " \(["AND", "OR"][random.chance(2)]) text CONTAINS[c] 'fix'" : ""
      let not = random.chance(6) == 0 ? "NOT " : ""
      let query = try query("\(not)text \(comparator)\(options) %@\(other)", [pattern])
      let expected = try keys(oracle, query)
      try #require(
        try keys(store, query) == expected,
        "seed \(seed): \(query.predicate?.description ?? "") \(pattern.debugDescription)"
      )
      if try store.explain(query).sql.contains("MATCH") { narrowed += 1 }
      if !expected.isEmpty { selective += 1 }
    }
    #expect(narrowed > 150 && selective > 150, "seed \(seed)")
    #expect(try store.texts("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `FTS5 folds every scalar of the list as Foundation does`() throws {
    let connection = try SQLiteConnection(
      path: folder.file("fold").path,
      access: .create,
      busyTimeout: .seconds(5)
    )
    try connection.execute(
      "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='trigram'); "
        + "CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')"
    )
    let scalars = FullTextFolding.ranges.flatMap { Array($0) }.compactMap(Unicode.Scalar.init)
    try connection.transaction(.immediate) { () throws(SQLiteFailure) in
      let insertion = try connection.prepare("INSERT INTO t (rowid, x) VALUES (?, ?)")
      for scalar in scalars {
        try insertion.bind([.integer(Int64(scalar.value)), .text("(\(scalar))")])
        try insertion.run()
      }
    }
    var folded: [String: String] = [:]
    let terms = try connection.prepare("SELECT doc, term FROM v")
    var count = 0
    while try terms.step() {
      let scalar = try #require(Unicode.Scalar(UInt32(terms.integer(0))))
      let ours = TextMatcher.fold("(\(scalar))", .caseInsensitive)
      #expect(
        ours.unicodeScalars.count == 3,
        "U+\(String(scalar.value, radix: 16)) becomes \(ours)"
      )
      let term = folded[ours, default: terms.text(1)]
      #expect(term == terms.text(1), "U+\(String(scalar.value, radix: 16))")
      folded[ours] = term
      count += 1
    }
    #expect(count == scalars.count)
    #expect(!FullTextFolding.contains("ß") && !FullTextFolding.contains("\u{212A}"))
  }

  // MARK: The plan

  @Test(
    arguments: [
      "text CONTAINS[c] 'fix'", "text CONTAINS 'fix'", "text CONTAINS[cd] 'fix'",
      "text BEGINSWITH[cd] 'éclair'", "text ENDSWITH[c] 'fix'", "text LIKE[c] '*fi?ed*by*fix*'",
      "text ==[c] 'fix it'", "text CONTAINS[c] 'привет'", "#size > 3 AND text CONTAINS[c] 'fix'",
      "text CONTAINS[c] 'fix' OR text CONTAINS[c] 'bug'",
      "text CONTAINS[c] 'bug' OR text CONTAINS[c] 'fix' AND #size > 3",
    ]
  )
  func `an index narrows the rows`(_ format: String) throws {
    let plan = try plan(open(Self.makeModel()), format)
    #expect(plan.contains("VIRTUAL TABLE INDEX"))
    #expect(plan.contains("SEARCH t0 USING INTEGER PRIMARY KEY"))
  }

  @Test(
    arguments: [
      "text CONTAINS[c] 'fi'", "text CONTAINS[c] 'straße'", "text CONTAINS[c] 'İzmir'",
      "text CONTAINS[cd] 'привет'", "text CONTAINS[l] 'fix'", "text LIKE[c] '*fi*ed'",
      "NOT text CONTAINS[c] 'fix'", "text == 'fix it'", "text CONTAINS[c] 'fix' OR #size > 3",
      "text CONTAINS[c] 'fix' OR #size > 3 AND #size < 9",
      "text MATCHES[c] '.*fix.*'",
    ]
  )
  func `what trigrams cannot tell is answered without them`(_ format: String) throws {
    #expect(try !plan(open(Self.makeModel()), format).contains("VIRTUAL TABLE"))
  }

  // MARK: Stores

  @Test func `an index that the model gains is filled when the store is next opened`() throws {
    let plain = try Self.makeModel([])
    let rows = ["a fix", "nothing", "FIXED"].enumerated().map {
      Row(Int64($0 + 1), ["text": .value(.string($1))])
    }
    try open(plain).save(plain.insertion([("Note", rows)]))
    let model = try Self.makeModel()
    do {
      let reader = try open(model, isReadOnly: true)
      #expect(try !plan(reader, "text CONTAINS[c] 'fix'").contains("VIRTUAL TABLE"))
      #expect(try keys(reader, query("text CONTAINS[c] 'fix'")) == [1, 3])
    }
    let store = try open(model)
    #expect(try plan(store, "text CONTAINS[c] 'fix'").contains("VIRTUAL TABLE"))
    #expect(try keys(store, query("text CONTAINS[c] 'fix'")) == [1, 3])
    #expect(try keys(open(model, isReadOnly: true), query("text CONTAINS[c] 'fix'")) == [1, 3])
  }

  @Test func `rows that another program writes are in the index`() throws {
    let model = try Self.makeModel()
    let store = try open(model)
    let foreign = try SQLiteConnection(
      path: folder.file().path,
      access: .write,
      busyTimeout: .seconds(5)
    )
    SQLiteLibrary.trustSchema(foreign.handle)
    try foreign.execute(
      "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (1, 1, 1, 'a fix'), (2, 1, 1, 'fixed'); "
        + "UPDATE ZNOTE SET ZTEXT = 'none' WHERE Z_PK = 1"
    )
    #expect(try keys(store, query("text CONTAINS 'fix'")) == [2])
    #expect(try keys(store, query("text CONTAINS 'none'")) == [1])
  }

  @Test func `a trigger of another program is not trusted`() throws {
    let model = try Self.makeModel()
    let store = try open(model)
    try store.save(model.insertion([("Note", [Row(1, ["text": "a fix"])])]))
    let trigger = "CREATE TRIGGER mine AFTER DELETE ON ZNOTE BEGIN DELETE FROM Z_METADATA; END"
    _ = try store.pool.write { connection throws(SQLiteFailure) in
      try connection.execute(trigger)
    }
    #expect(code { _ = try open(model) } == .persistentStoreOpen)
    #expect(try keys(open(model, isReadOnly: true), query("text CONTAINS 'fix'")) == [1])
    #expect(code { _ = try open(Self.makeModel([])) } == .persistentStoreOpen)
  }

  /// Changes the file as another program does.
  private func change(_ sql: String) throws {
    let connection = try SQLiteConnection(
      path: folder.file().path,
      access: .write,
      busyTimeout: .seconds(5)
    )
    SQLiteLibrary.trustSchema(connection.handle)
    try connection.execute(sql)
  }

  @Test func `an index without its triggers is not used, and made anew when the store is written`()
    throws
  {
    let model = try Self.makeModel()
    try open(model).save(model.insertion([("Note", [Row(1, ["text": "a fix"])])]))
    try change(
      "DROP TRIGGER ZNOTE_ZTEXT_FTS_INSERT; DROP TRIGGER ZNOTE_ZTEXT_FTS_UPDATE; "
        + "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (2, 1, 1, 'fixed')"
    )
    let fixes = try query("text CONTAINS 'fix'")
    #expect(try keys(open(model, isReadOnly: true), fixes) == [1, 2])
    let store = try open(model)
    #expect(try keys(store, fixes) == [1, 2])
    try store.save(model.insertion([("Note", [Row(3, ["text": "a fix too"])])]))
    #expect(try keys(store, fixes) == [1, 2, 3])
    #expect(try plan(store, "text CONTAINS 'fix'").contains("VIRTUAL TABLE"))
    #expect(try store.texts("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a store that is open goes on saving when another program makes an index`() throws {
    let plain = try Self.makeModel([])
    let first = try open(plain)
    try first.save(plain.insertion([("Note", [Row(1, ["text": "a fix"])])]))
    let second = try open(Self.makeModel())
    try first.save(plain.insertion([("Note", [Row(2, ["text": "fixed"])])]))
    #expect(try plan(second, "text CONTAINS 'fix'").contains("VIRTUAL TABLE"))
    #expect(try keys(second, query("text CONTAINS 'fix'")) == [1, 2])
  }

  @Test func `beside a view of another program no index is made`() throws {
    let plain = try Self.makeModel([])
    _ = try open(plain)
    try change("CREATE VIEW mine AS SELECT ZTEXT FROM ZNOTE")
    #expect(code { _ = try open(Self.makeModel()) } == .persistentStoreOpen)
    let store = try open(plain)
    try store.save(plain.insertion([("Note", [Row(1, ["text": "a fix"])])]))
    #expect(try keys(store, query("text CONTAINS 'fix'")) == [1])
  }

  @Test(arguments: [["size"], ["text", "size"], ["missing"]])
  func `an index over anything but one string is an error`(_ names: [String]) {
    #expect(
      code { _ = try Self.makeModel(names.map { .init($0, type: .fullText) }) } == .invalidModel
    )
  }

  // MARK: The tables of trigrams

  @Test(arguments: [
    "CREATE INDEX e ON ZNOTE_ZTEXT_FTS_data (block) WHERE abs(block) > 1",
    "CREATE UNIQUE INDEX e ON ZNOTE_ZTEXT_FTS_config (v)",
    "CREATE TRIGGER Z_DA_e AFTER INSERT ON ZNOTE_ZTEXT_FTS_idx BEGIN UPDATE ZNOTE SET ZSIZE = 1; END",
    "UPDATE sqlite_master SET sql = replace(sql, 'block BLOB', 'block BLOB NOT NULL') "
      + "WHERE name = 'ZNOTE_ZTEXT_FTS_data'",
  ])
  func `nobody else's conditions are let in, with which FTS5 would call itself without end`(
    _ sql: String
  ) throws {
    let model = try Self.makeModel()
    guard SQLiteLibrary.hasTrigrams else { return }
    try open(model).save(model.insertion([("Note", [Row(1, ["text": "a hundred"])])]))
    do {
      let connection = try SQLiteConnection(
        path: folder.file().path,
        access: .write,
        busyTimeout: .seconds(5)
      )
      SQLiteLibrary.allowNoJournal(connection.handle)
      try connection.execute("PRAGMA writable_schema = ON; \(sql)")
    }
    let error = #expect(throws: PerennialError.self) { _ = try open(model) }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains("code of another program") == true, "\(error?.message ?? "")")
    #expect(try open(model, isReadOnly: true).rows("Note").count == 1)
  }
}
