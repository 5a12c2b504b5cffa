// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RandomTesting
import RowTesting
import Testing

@testable import PerennialJSON

/// Safe because bytes are used within the calls that lend them.
@Suite("The text of a store")
struct FormatTests {
  private let file = StoreFile(path: "/store.json")

  /// The text of a store of a model after some saves.
  private func text(_ model: ModelLayout, _ changes: ChangeSet...) throws -> String {
    let files = ModelFiles()
    let store = try JSONStore(file, model: model, files: files)
    for change in changes { try store.save(change) }
    return String(decoding: try #require(files.bytes("/store.json")), as: UTF8.self)
  }

  @Test func `one object a line, by entity and key, with what has a value`() throws {
    let model = try TestModels.people()
    var changes = model.insertion([
      ("Person", [Row(1, ["name": "Ann", "age": 40]), Row(3, ["name": "B \"b\""])]),
      ("Employee", [Row(2, ["name": "Cy", "boss": .reference("Person", 1), "salary": "12.50"])]),
      ("Club", [Row(1, ["title": "Chess", "chair": .reference("Employee", 2)])]),
    ])
    changes.links = [
      try model.link("Person", "friends", added: [(3, 1), (1, 2)]),
      try model.link("Club", "members", added: [(1, 3), (1, 1)]),
    ]
    changes.orders = [
      .init(relationship: try model.relationship("Club", "members"), owner: 1, members: [3, 1]),
      .init(relationship: try model.relationship("Person", "reports"), owner: 1, members: [2]),
    ]
    let text = try text(model, changes)
    let lines = text.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex(of: "\"entities\":{"))
    #expect(
      Array(lines[(start + 1)...].dropLast(2)) == [
        " \"Club\":[",
        " {\"_key\":1,\"_version\":1,\"title\":\"Chess\",\"chair\":2,\"members\":[3,1]}",
        "]",
        ",\"Employee\":[",
        " {\"_key\":2,\"_version\":1,\"name\":\"Cy\",\"boss\":1,\"salary\":\"12.50\"}",
        "]",
        ",\"Person\":[",
        " {\"_key\":1,\"_version\":1,\"name\":\"Ann\",\"age\":40,\"reports\":[2],\"friends\":[2,3]}",
        ",{\"_key\":3,\"_version\":1,\"name\":\"B \\\"b\\\"\"}",
        "]",
        "},",
      ]
    )
    #expect(text.hasPrefix("{\n\"format\":\"Perennial JSON store\",\n\"formatVersion\":1,\n"))
    #expect(text.contains("\"nextKeys\":{\n \"Club\":2\n,\"Person\":4\n}"))
    #expect(text.hasSuffix("\"\n}\n"))
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
  }

  @Test func `an object that changes changes its line and the checksum's`() throws {
    let model = try TestModels.people()
    let people = (Int64(1)...20).map { Row($0, ["name": .value(.string("p\($0)"))]) }
    let before = model.insertion([("Person", people)])
    var after = ChangeSet()
    after.updates = [model.update("Person", ["age"], [Row(7, version: 2, ["age": 1])])]
    let files = ModelFiles()
    let store = try JSONStore(file, model: model, files: files)
    try store.save(before)
    func lines() throws -> [Substring] {
      let bytes = try #require(files.bytes("/store.json"))
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
    let old = try lines()
    try store.save(after)
    let new = try lines()
    let changed = zip(old, new).filter { $0 != $1 }.map(\.1)
    #expect(old.count == new.count && changed.count == 2)
    #expect(changed.first?.hasPrefix(",{\"_key\":7,\"_version\":2,") == true)
    #expect(changed.last?.hasPrefix("\"checksum\":") == true)
  }

  @Test func `the checksum is CRC-64/XZ`() {
    var checksum = CRC64()
    Array("123456789".utf8).withUnsafeBytes { checksum.update($0) }
    #expect(checksum.value == 0x995D_C9BB_DF19_39FA)
    // The same, whatever the pieces.
    let bytes = (0..<1000).map { UInt8($0 * 7 & 255) }
    var whole = CRC64()
    bytes.withUnsafeBytes { whole.update($0) }
    var pieces = CRC64()
    for size in stride(from: 0, to: 1000, by: 100) {
      Array(bytes[size..<size + 37]).withUnsafeBytes { pieces.update($0) }
      Array(bytes[size + 37..<size + 100]).withUnsafeBytes { pieces.update($0) }
    }
    #expect(pieces.value == whole.value)
  }

  @Test(arguments: [
    (0.0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"),
    (-0.25, "2000-12-31T23:59:59.75Z"), (-1, "2000-12-31T23:59:59Z"),
    (737_653_896.123, "2024-05-17T15:51:36.123Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
    (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
    (-26_438_400, "2000-03-01T00:00:00Z"), (-26_438_400.125, "2000-02-29T23:59:59.875Z"),
  ])
  func `dates are ISO 8601 in UTC`(seconds: Double, text: String) {
    #expect(ISODate.text(seconds).map { String(decoding: $0, as: UTF8.self) } == text)
    #expect(Array(text.utf8).withUnsafeBytes { ISODate.seconds($0) } == seconds)
  }

  @Test(arguments: [
    -0.0, .nan, .infinity, 1e300, -63_113_904_001, 252_423_993_600, 1e-9,
    -Double.leastNonzeroMagnitude,
  ])
  func `dates that have no such text are numbers`(seconds: Double) {
    #expect(ISODate.text(seconds) == nil)
  }

  @Test(arguments: [
    "2001-01-01T00:00:00", "2001-02-29T00:00:00Z", "2001-13-01T00:00:00Z", "2001-01-00T00:00:00Z",
    "2001-01-01T24:00:00Z", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00.50Z",
    "2001-01-01 00:00:00Z", "0000-01-01T00:00:00Z", "2001-01-01T00:00:00+00:00", "today", "",
    "2001-01-01T00:00:0xZ",
  ])
  func `what is no such date is refused`(text: String) {
    #expect(Array(text.utf8).withUnsafeBytes { ISODate.seconds($0) } == nil)
  }

  @Test(arguments: PropertyRuns.seeds(usually: 4))
  func `any date comes back to the last bit`(seed: UInt64) {
    var random = SplitMix(seed)
    for _ in 0..<5_000 {
      let magnitude = Double(1 << Int(random.next() % 38))
      let unit = Double(random.next() >> 11) / Double(1 << 53)
      let seconds = (unit * 2 - 1) * magnitude
      guard let text = ISODate.text(seconds) else { continue }
      let back = text.withUnsafeBytes { ISODate.seconds($0) }
      #expect(back?.bitPattern == seconds.bitPattern, "seed \(seed): \(seconds)")
    }
  }

  @Test(arguments: PropertyRuns.seeds(usually: 4))
  func `any Double comes back to the last bit`(seed: UInt64) {
    var random = SplitMix(seed)
    for round in 0..<5_000 {
      let pattern = random.next()
      let value =
        round % 2 == 0
        ? Double(bitPattern: pattern) : Double(Int64(bitPattern: pattern) % 1_000_000_000) / 1000
      guard value.isFinite else { continue }
      let text = Array(value.description.utf8)
      text.withUnsafeBytes { text in
        #expect(JSONNumber.isValid(text))
        #expect(JSONNumber.double(text)?.bitPattern == value.bitPattern, "seed \(seed): \(value)")
      }
    }
  }

  @Test func `base 64 is that of Foundation, and nothing else is read`() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8($0 * 37 & 255) }
      let text = Array(Data(bytes).base64EncodedString().utf8)
      #expect(Base64.encodedCount(count) == text.count)
      var own = [UInt8](repeating: 0, count: text.count)
      bytes.withUnsafeBytes { bytes in
        own.withUnsafeMutableBufferPointer { target in
          if let base = target.baseAddress { Base64.encode(bytes, to: base) }
        }
      }
      #expect(own == text)
      #expect(text.withUnsafeBytes { Base64.decode($0) } == bytes)
    }
    for wrong in ["A", "AA=", "A===", "AB==", "AAB=", "AA=A", "AA*=", "====", "AAAA===="] {
      #expect(Array(wrong.utf8).withUnsafeBytes { Base64.decode($0) } == nil, "\(wrong)")
    }
  }
}

/// Random numbers of a seed.
struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
