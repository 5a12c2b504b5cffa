// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RandomTesting
import RowTesting
import Testing

@testable import PerennialJSON

@Suite("Round trips")
struct RoundTripTests {
  private let file = StoreFile(path: "/store.json")

  /// Saves a row, opens the store again, and gives what an attribute has there.
  private func reopened(_ name: String, _ value: PropertyValue) throws -> PropertyValue {
    let model = try TestModels.types()
    let files = ModelFiles()
    let store = try JSONStore(file, model: model, files: files)
    try store.save(model.insertion([("Thing", [Row(1, [name: .value(value)])])]))
    let bytes = files.bytes("/store.json")
    let again = try JSONStore(file, model: model, files: files)
    // What is the same gives the same bytes.
    try again.setMetadata(["x": .null])
    #expect(files.bytes("/store.json") == bytes)
    return try #require(try again.values("Thing", name).first)
  }

  @Test func `texts that are longer than a piece of the file are exact`() throws {
    let model = try TestModels.types()
    let files = ModelFiles()
    let texts = ["a", "b", "c", "d"].enumerated().map { number, letter in
      String(repeating: letter, count: 40_000 << (number * 2))
    }
    let rows = texts.enumerated().map { Row(Int64($0 + 1), ["aString": .value(.string($1))]) }
    try JSONStore(file, model: model, files: files).save(model.insertion([("Thing", rows)]))
    let again = try JSONStore(file, model: model, files: files)
    #expect(try again.values("Thing", "aString") == texts.map { .string($0) })
  }

  @Test(arguments: [Int64.min, -1, 0, 1, 9_007_199_254_740_993, .max])
  func `integers are exact`(value: Int64) throws {
    #expect(try reopened("anInt64", .integer(value)) == .integer(value))
  }

  @Test(arguments: [
    0, -0.0, 0.1, 1.0 / 3, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -1e22, 123_456.789,
    .infinity,
    -.infinity, .nan,
  ])
  func `doubles are exact to the bit`(value: Double) throws {
    guard case .double(let back) = try reopened("aDouble", .double(value)) else {
      Issue.record("no double")
      return
    }
    #expect(back.bitPattern == value.bitPattern || back.isNaN && value.isNaN)
  }

  @Test(arguments: [
    0, -0.0, 1e-9, 737_653_896.1234567, -1e12, 1e300, -63_113_904_000.5, .infinity,
  ])
  func `dates are exact to the bit`(seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    guard case .date(let back) = try reopened("aDate", .date(date)) else {
      Issue.record("no date")
      return
    }
    #expect(back.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
  }

  @Test(arguments: [
    "", "plain", "quote \" backslash \\ slash /", "\u{0}\u{1}\u{1F}\u{7F}", "line\nreturn\r\ttab",
    "\u{8}\u{C}\u{B}",
    "\u{2028}\u{2029}", "e\u{301} é", "😀👩‍👩‍👧", "\u{FFFF}\u{10FFFF}", "</script>", "null",
  ])
  func `text is exact`(text: String) throws {
    guard case .string(let back) = try reopened("aString", .string(text)) else {
      Issue.record("no text")
      return
    }
    #expect(Array(back.utf8) == Array(text.utf8))
  }

  @Test(arguments: [
    "0", "-1", "12.5", "99999999999999999999999999999999999999", "0.00000000000000000001",
    "-123456789012345678.901234567890123456", "1000000000000000000000000000000000000000",
  ])
  func `decimals are exact`(text: String) throws {
    let value = try #require(Decimal(string: text))
    let back = try reopened("aDecimal", .decimal(value))
    guard case .decimal(let decimal) = back else {
      Issue.record("no decimal")
      return
    }
    #expect(decimal == value)
  }

  @Test func `all other types are exact`() throws {
    let uuid = UUID()
    let url = try #require(URL(string: "https://example.com/a%20b?q=%22#f"))
    let data = Data((0...255).map { UInt8($0) })
    #expect(try reopened("aUUID", .uuid(uuid)) == .uuid(uuid))
    #expect(try reopened("aURL", .url(url)) == .url(url))
    #expect(try reopened("aBlob", .data(data)) == .data(data))
    #expect(try reopened("aBlob", .data(Data())) == .data(Data()))
    #expect(try reopened("aJSON", .data(Data([123, 125]))) == .data(Data([123, 125])))
    #expect(try reopened("aBool", .boolean(false)) == .boolean(false))
    #expect(try reopened("aBool", .boolean(true)) == .boolean(true))
    #expect(try reopened("anInt16", .integer(-32_768)) == .integer(-32_768))
    #expect(try reopened("aFloat", .double(0.1)) == .double(0.1))
    #expect(try reopened("place.city", .string("Köln")) == .string("Köln"))
    #expect(try reopened("place.zip", .integer(50_667)) == .integer(50_667))
    #expect(try reopened("aString", .null) == .null)
  }

  @Test(arguments: [
    ("aURL", "\"http://[\"", "a URL is missing"), ("aUUID", "\"1234\"", "a UUID is missing"),
    ("aUUID", "\"AAAAAAAAAAAAAAAAAAAAAA==\"", "a UUID is missing"),
    ("aBlob", "\"AAA\"", "no base 64"), ("aBool", "1", "'true' or 'false'"),
    ("aDecimal", "\"twelve\"", "a decimal number"), ("aDouble", "\"12\"", "a number"),
    ("aDouble", "1e999", "greater than a Double"), ("aDate", "\"2001-02-29T00:00:00Z\"", "date"),
    ("anInt16", "32768", "beyond the numbers"), ("note", "\"x\"", "no stored property"),
    ("aFile", "{\"file\":\"../../secret\",\"checksum\":\"\"}", "'Thing.aFile' is missing"),
    ("aFile", "{\"name\":\"\"}", "'file' is missing"), ("aBlob", "{\"file\":\"\"}", "a text"),
  ])
  func `a value that is edited into none of its type is named`(
    name: String,
    text: String,
    message: String
  ) throws {
    let model = try TestModels.types()
    let files = ModelFiles()
    let store = try JSONStore(file, model: model, files: files)
    try store.save(model.insertion([("Thing", [Row(1, ["aString": "text"])])]))
    let edited = String(decoding: try #require(files.bytes("/store.json")), as: UTF8.self)
      .replacing("\"aString\":\"text\"", with: "\"\(name)\":\(text)")
      .replacing(/"checksum":"[0-9a-f]+"\n}\n$/, with: "\"checksum\":null\n}\n")
    files.put(Array(edited.utf8), at: "/store.json")
    let error = thrown { _ = try JSONStore(file, model: model, files: files) }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
  }

  @Test func `transient attributes have their defaults after opening`() throws {
    #expect(try reopened("note", .string("of the moment")) == .string("kept in memory"))
  }

  /// Safe because the bytes are copied within the call.
  @Test func `bytes that are none of their type are written as what can be read`() throws {
    let model = try TestModels.types()
    let layout = model.entities[0]
    let values: [(name: String, bytes: [UInt8])] = [
      ("aString", [0x61, 0xFF, 0x62]), ("aUUID", [1, 2, 3]),
    ]
    var builder = PageBuilder()
    builder.begin(key: 1, version: 1, entity: 0, slotCount: layout.slots.count)
    for (slot, property) in layout.slots.enumerated() {
      guard let bytes = values.first(where: { $0.name == property.name })?.bytes else { continue }
      bytes.withUnsafeBytes { builder.put(slot, bytes: $0) }
    }
    builder.end()
    var changes = ChangeSet()
    changes.insertions = [.init(entity: 0, pages: [builder.seal()])]
    let files = ModelFiles()
    try JSONStore(file, model: model, files: files).save(changes)
    let bytes = try #require(files.bytes("/store.json"))
    let text = try #require(String(bytes: bytes, encoding: .utf8))
    #expect(text.contains("\"aString\":\"a\u{FFFD}b\""))
    #expect(text.contains("\"aUUID\":\"AQID\""))
  }

  @Test func `relationships, subentities and orders come back`() throws {
    let model = try TestModels.people()
    let files = ModelFiles()
    let store = try JSONStore(file, model: model, files: files)
    var changes = model.insertion([
      (
        "Person",
        [
          Row(1, ["name": "a"]), Row(2, ["name": "b", "boss": .reference("Employee", 5)]),
          Row(4, ["name": "c", "boss": .reference("Employee", 5)]),
        ]
      ),
      ("Employee", [Row(3, ["name": "d", "boss": .reference("Employee", 5)]), Row(5)]),
      ("Club", [Row(1, ["chair": .reference("Employee", 3)]), Row(2)]),
    ])
    changes.links = [
      try model.link("Person", "friends", added: [(4, 1), (1, 2), (3, 3)]),
      try model.link("Club", "members", added: [(1, 1), (1, 4), (1, 5), (2, 4)]),
    ]
    changes.orders = [
      .init(relationship: try model.relationship("Club", "members"), owner: 1, members: [5, 1, 4]),
      .init(
        relationship: try model.relationship("Person", "reports"),
        owner: 5,
        members: [4, 2, 3]
      ),
    ]
    try store.save(changes)
    let again = try JSONStore(file, model: model, files: files)
    #expect(again.identifier == store.identifier)
    #expect(try again.rows("Person").map(\.key) == [1, 2, 3, 4, 5])
    #expect(try again.rows("Employee").map(\.key) == [3, 5])
    for (owner, friends) in [(1, [2, 4]), (2, [1]), (3, [3]), (4, [1])] as [(Int64, [Int64])] {
      #expect(try again.members("Person", "friends", of: owner) == friends)
    }
    #expect(try again.members("Club", "members", of: 1) == [5, 1, 4])
    #expect(try again.members("Club", "members", of: 2) == [4])
    #expect(try again.members("Person", "clubs", of: 4) == [1, 2])
    #expect(try again.members("Person", "reports", of: 5) == [4, 2, 3])
    let boss = try #require(try again.rows("Person").first { $0.key == 2 })
    let slot = try #require(model.entities[boss.entity].slotsByName["boss"])
    #expect(
      PackedRow.reference(boss.pointer, slot)
        == ObjectReference(key: 5, entity: model.index("Employee"))
    )
    #expect(try again.reserveKeys(root: model.index("Person"), count: 1) == 6)
    let bytes = files.bytes("/store.json")
    try again.setMetadata(["x": .null])
    let withoutKeys = { (bytes: [UInt8]?) in
      String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").filter {
        $0.contains("_key")
      }
    }
    #expect(withoutKeys(files.bytes("/store.json")) == withoutKeys(bytes))
  }

  @Test func `a name of an object that is gone comes back as it was`() throws {
    let files = ModelFiles()
    let model = try TestModels.people()
    let store = try JSONStore(file, model: model, files: files)
    let employee = Row(1, ["boss": .reference("Person", 9)])
    try store.save(model.insertion([("Person", [employee])]))
    let row = try #require(try JSONStore(file, model: model, files: files).rows("Person").first)
    let slot = try #require(model.entities[row.entity].slotsByName["boss"])
    #expect(PackedRow.reference(row.pointer, slot).key == 9)
  }

  @Test func `metadata of all types come back, and go with null`() throws {
    let files = ModelFiles()
    let model = try TestModels.people()
    let store = try JSONStore(file, model: model, files: files)
    let metadata: [String: PropertyValue] = [
      "a": .string("ä\"\n"), "b": .integer(.min), "c": .boolean(true), "d": .double(-0.5),
      "e": .date(Date(timeIntervalSinceReferenceDate: 1.25)), "f": .data(Data([0, 255])),
      "g": .uuid(store.identifier), "h": .decimal(Decimal(125) / 10),
      "i": .url(URL(fileURLWithPath: "/tmp")), "with space": .string(""),
    ]
    try store.setMetadata(metadata)
    #expect(try store.metadata() == metadata)
    try store.setMetadata(["j": .decimal(.nan)])
    let reopened = try JSONStore(file, model: model, files: files)
    guard case .decimal(let none) = try reopened.metadata()["j"] else {
      Issue.record("no decimal")
      return
    }
    #expect(none.isNaN)
    try store.setMetadata(["j": .null])
    let again = try JSONStore(file, model: model, files: files)
    #expect(try again.metadata() == metadata)
    try again.setMetadata(["a": .null, "b": .integer(1)])
    #expect(try store.metadata()["a"] == nil)
    #expect(try store.metadata()["b"] == .integer(1))
  }
}
