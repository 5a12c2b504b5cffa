// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

/// Files that are not what a store has written: a typed error, and the file stays as it is.
@Suite("Damaged and foreign files")
struct DamageTests {
  private let model: ModelLayout
  private let file = StoreFile(path: "/store.json")

  init() throws { model = try TestModels.people() }

  /// A small store's bytes.
  private func whole() throws -> [UInt8] {
    let files = ModelFiles()
    let store = try JSONStore(file, model: model, files: files)
    var changes = model.insertion([
      ("Person", [Row(1, ["name": "Ann", "age": 40]), Row(2, ["boss": .reference("Person", 1)])])
    ])
    changes.links = [try model.link("Person", "friends", added: [(1, 2)])]
    try store.save(changes)
    return try #require(files.bytes("/store.json"))
  }

  /// The error of opening bytes; they must stay as they are.
  private func opening(_ bytes: [UInt8]) -> PerennialError? {
    let files = ModelFiles()
    files.put(bytes, at: "/store.json")
    let error = thrown { _ = try JSONStore(file, model: model, files: files) }
    #expect(files.bytes("/store.json") == bytes)
    #expect(files.names == ["/store.json"])
    return error
  }

  @Test func `every cut is found`() throws {
    let bytes = try whole()
    #expect(opening(bytes) == nil)
    for count in bytes.indices {
      let error = opening(Array(bytes[..<count]))
      #expect(error?.code == .persistentStoreOpen, "cut to \(count) bytes")
      #expect(error?.recovery.isEmpty == false)
    }
  }

  @Test func `every flipped bit is found`() throws {
    let whole = try whole()
    let hashes = model.versionHashes
    let text = String(decoding: whole, as: UTF8.self)
    let schema = try #require(text.firstRange(of: "\"schema\":"))
    let rest = try #require(text.firstRange(of: "\"nextKeys\":"))
    let start = text.utf8.distance(from: text.startIndex, to: schema.lowerBound)
    let end = text.utf8.distance(from: text.startIndex, to: rest.lowerBound)
    for index in whole.indices {
      // The model is most of the text: one bit of each of its bytes.
      let bits = (start..<end).contains(index) ? [index % 8] : Array(0..<8)
      for bit in bits {
        var bytes = whole
        bytes[index] ^= 1 << UInt8(bit)
        let files = ModelFiles()
        files.put(bytes, at: file.path)
        let loader = FileLoader(files: files, file: file, model: model, hashes: hashes)
        let error = thrown { _ = try loader.load(.opening) }
        #expect(error?.code == .persistentStoreOpen, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test(arguments: [
    ("", "is empty"), ("   ", "is empty"), ("hello", "is no JSON file"),
    ("SQLite format 3\0 and more", "is a SQLite file"), ("[]", "of another program"),
    ("{}", "of another program"), ("{\"format\":\"FileMaker\"}", "of another program"),
    ("{\"format\":\"Perennial JSON store\"}", "its end is missing"),
    ("\u{FEFF}{}", "is no JSON file"),
  ])
  func `what is no store is named`(text: String, message: String) {
    let error = opening(Array(text.utf8))
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
    #expect(error?.message.contains("'store.json'") == true)
    #expect(error?.recovery.isEmpty == false)
  }

  @Test(arguments: ["[", "{\"a\":", "{\"format\":"])
  func `100,000-deep nesting is refused without running out of stack`(opening text: String) throws {
    let deep = String(repeating: text, count: 100_000)
    #expect(opening(Array(deep.utf8))?.code == .persistentStoreOpen)
    // Inside a store, too, wherever something may be nested.
    let whole = String(decoding: try whole(), as: UTF8.self)
    for place in ["\"metadata\":", "\"Person\":[\n {\"_key\":1,\"_version\":1,\"name\":"] {
      let edited = try edit(whole, place, place + deep)
      #expect(opening(Array(edited.utf8))?.code == .persistentStoreOpen)
    }
  }

  /// A text with a place replaced, as if by hand.
  private func edit(_ text: String, _ old: String, _ new: String) throws -> String {
    let place = try #require(text.range(of: old), "'\(old)' is not in the text")
    let edited = text.replacingCharacters(in: place, with: new)
    let checksum = try #require(edited.range(of: "\"checksum\":", options: .backwards))
    return edited[..<checksum.upperBound] + "null\n}\n"
  }

  @Test func `a file that was edited by hand has null for its checksum`() throws {
    let files = ModelFiles()
    let text = try edit(
      String(decoding: try whole(), as: UTF8.self),
      "{\"_key\":1,\"_version\":1,\"name\":\"Ann\",\"age\":40",
      "{ \"_key\" : 1, \"_version\":1 ,\n  \"age\": 41, \"name\":\"A\\u00e4\\uD83D\\ude00\\/\""
    )
    files.put(Array(text.utf8), at: "/store.json")
    let store = try JSONStore(file, model: model, files: files)
    #expect(try store.values("Person", "name").first == .string("Aä😀/"))
    #expect(try store.values("Person", "age").first == .integer(41))
    try store.setMetadata(["edited": .boolean(true)])
    let saved = String(decoding: try #require(files.bytes("/store.json")), as: UTF8.self)
    #expect(!saved.contains("\"checksum\":null"))
    #expect(
      try JSONStore(file, model: model, files: files).metadata() == ["edited": .boolean(true)]
    )
  }

  @Test(arguments: [
    ("\"formatVersion\":1", "\"formatVersion\":2", "has version 2 of the format"),
    ("\"formatVersion\":1", "\"formatVersion\":\"1\"", "a whole number is missing"),
    ("\"store\":\"", "\"store\":\"x", "identifier is no UUID"),
    ("\"Person\":[", "\"Persona\":[", "no entity 'Persona'"),
    ("\"_key\":2", "\"_key\":1", "do not rise"),
    ("\"_key\":2", "\"_key\":0", "do not rise"),
    ("\"_key\":2", "\"_key\":140737488355328", "do not rise"),
    ("\"_key\":2", "\"key\":2", "does not begin with its '_key'"),
    ("\"_version\":1", "\"_version\":0", "has no '_version'"),
    ("\"_version\":1", "\"_version\":4294967296", "has no '_version'"),
    ("\"_version\":1", "\"_version\":2147483648", "has no '_version'"),
    ("\"_version\":1", "\"_version\":2147483647", "has no '_version'"),
    ("\"_version\":1", "\"_version\":1073741825", "has no '_version'"),
    ("\"boss\":1", "\"boss\":9", "'boss' of 'Person' 2 names 'Person' 9, which is not there"),
    ("\"boss\":1", "\"boss\":-1", "is no key"),
    ("\"boss\":1", "\"boss\":\"1\"", "a whole number is missing"),
    ("\"friends\":[2]", "\"friends\":[2,7]", "names 'Person' 7, which is not there"),
    ("\"reports\":[2]", "\"reports\":[2,9]", "'reports' of 'Person' 1 names 'Person' 9"),
    ("\"friends\":[2]", "\"friends\":2", "'[' is missing"),
    ("\"friends\":[2]", "\"friends\":[2],\"friends\":[2]", "'friends' is there twice"),
    ("\"age\":40", "\"age\":40000", "'age' is beyond the numbers of its type"),
    ("\"age\":40", "\"age\":99999999999999999999", "more than 64 bits"),
    ("\"age\":40", "\"age\":40.0", "a whole number is missing"),
    ("\"age\":40", "\"age\":040", "a whole number is missing"),
    ("\"age\":40", "\"age\":true", "a whole number is missing"),
    ("\"age\":40", "\"age\":40,\"age\":41", "'age' is there twice"),
    ("\"age\":40", "\"size\":40", "no stored property 'size'"),
    ("\"age\":40", "\"age\":40,", "a text is missing"),
    ("\"Ann\"", "7", "a text is missing"),
    ("\"Ann\"", "\"A\u{1}\"", "control character"),
    ("\"Ann\"", "\"\\x\"", "unknown escape"),
    ("\"Ann\"", "\"\\uD83D\"", "half a character"),
    ("\"Ann\"", "\"\\u12\"", "four digits"),
    ("\"metadata\":{\n}", "\"metadata\":{\"a\":{\"colour\":\"red\"}}", "value of the metadata"),
    ("\"metadata\":{\n}", "\"metadata\":{\"a\":{\"uuid\":\"red\"}}", "value of the metadata"),
    ("\"nextKeys\"", "\"nextkeys\"", "'nextKeys' is missing"),
    ("\"Person\":3", "\"Person\":0", "the next key of 'Person' is no key"),
    ("\"Person\":3", "\"Person\":9223372036854775807", "the next key of 'Person' is no key"),
    ("\n\"entities\":", "\n\"more\":1,\"entities\":", "'entities' is missing"),
    ("},\n\"checksum\":", "},\"checksum\":\"\",\"more\":1,\n\"checksum\":", "'}' is missing"),
  ])
  func `what is wrong in a file is named`(old: String, new: String, message: String) throws {
    let text = try edit(String(decoding: try whole(), as: UTF8.self), old, new)
    let error = opening(Array(text.utf8))
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
  }

  @Test func `a later version of the format is named, whatever its end is`() throws {
    let text = String(decoding: try whole(), as: UTF8.self)
    let later = text.replacing("\"formatVersion\":1", with: "\"formatVersion\":2")
    for text in [later, later.replacing("\"checksum\"", with: "\"sum\"")] {
      let error = opening(Array(text.utf8))
      #expect(error?.message.contains("has version 2 of the format") == true)
      #expect(error?.recovery.contains("the program that wrote it") == true)
    }
  }

  @Test func `bytes that are not UTF-8 are refused`() throws {
    let text = try edit(String(decoding: try whole(), as: UTF8.self), "\"Ann\"", "\"A#n\"")
    let bytes = Array(text.utf8).map { $0 == UInt8(ascii: "#") ? 0xFF : $0 }
    #expect(opening(bytes)?.message.contains("not UTF-8") == true)
  }

  @Test func `an entity whose keys are used up gets no more objects`() throws {
    let files = ModelFiles()
    let text = try edit(
      String(decoding: try whole(), as: UTF8.self),
      "\"Person\":3",
      "\"Person\":140737488355326"
    )
    files.put(Array(text.utf8), at: "/store.json")
    let store = try JSONStore(file, model: model, files: files)
    let root = model.index("Person")
    #expect(thrown { _ = try store.reserveKeys(root: root, count: 3) }?.entity == "Person")
    #expect(try store.reserveKeys(root: root, count: 2) == 140_737_488_355_326)
    try store.save(model.insertion([("Person", [Row(140_737_488_355_327, ["name": "last"])])]))
    for store in [store, try JSONStore(file, model: model, files: files)] {
      let error = thrown { _ = try store.reserveKeys(root: root, count: 1) }
      #expect(error?.message.contains("no keys left for objects of 'Person'") == true)
    }
  }

  @Test func `a store of another version of the model is refused by name`() throws {
    let files = ModelFiles()
    let bytes = try whole()
    files.put(bytes, at: "/store.json")
    let other = try TestModels.types()
    let error = thrown { _ = try JSONStore(file, model: other, files: files) }
    #expect(error?.code == .incompatibleVersionHash)
    #expect(error?.message.contains("'Club', 'Employee', 'Person', 'Thing' differ") == true)
    #expect(files.bytes("/store.json") == bytes)
  }

  @Test func `what others damage is found by the next request, and not written over`() throws {
    let files = ModelFiles()
    files.put(try whole(), at: "/store.json")
    let store = try JSONStore(file, model: model, files: files)
    files.put(Array("{".utf8), at: "/store.json")
    #expect(thrown { _ = try store.rows("Person") }?.code == .persistentStoreOpen)
    let change = model.insertion([("Person", [Row(9, ["name": "z"])])])
    #expect(thrown { try store.save(change) }?.code == .persistentStoreOpen)
    #expect(files.bytes("/store.json") == Array("{".utf8))
    // Another store in the same place.
    let other = ModelFiles()
    _ = try JSONStore(file, model: model, files: other)
    files.put(other.bytes("/store.json"), at: "/store.json")
    #expect(thrown { try store.save(change) }?.message.contains("Another store") == true)
  }
}
