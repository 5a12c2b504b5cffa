// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialModelCache
@testable import PerennialModelFiles
@testable import PerennialSQLite

@Suite("Archived models that are damaged")
struct ArchiveDamageTests {
  private func archive(_ name: String) throws -> Data {
    let copy = try StoreFolder(.named(name))
    return try Inflater.inflate(CachedModel(of: copy.store).content, limit: 1 << 20)
  }

  private func read(_ data: Data) throws -> ModelDocument {
    try CompiledModelReader(named: "Damaged").document(data)
  }

  @Test(arguments: ["coredataplus-sample2-v2", "bnr-books"])
  func `whatever bytes are wrong, there is a model or an error`(_ name: String) throws {
    let archive = try archive(name)
    var state: UInt64 = 20_261_122
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var refused = 0
    for _ in 0..<400 {
      var damaged = archive
      for _ in 0...random(4) { damaged[random(damaged.count)] = UInt8(random(256)) }
      if random(8) == 0 { damaged = damaged.prefix(random(damaged.count)) }
      do {
        _ = try read(damaged)
      } catch let error as PerennialError {
        #expect(error.code == .invalidModel)
        #expect(!error.message.isEmpty && !error.recovery.isEmpty)
        refused += 1
      }
    }
    #expect(refused > 10)
  }

  @Test(arguments: [0, 7, 39, 40, 500])
  func `an archive that was cut off is an error`(_ byteCount: Int) throws {
    let archive = try archive("bnr-books")
    let error = #expect(throws: PerennialError.self) { _ = try read(archive.prefix(byteCount)) }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.contains("'Damaged'") == true)
  }

  @Test func `an archive of something else, or of no entities, is an error`() throws {
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["$objects": ["$null", "text"], "$top": ["root": 1]],
      format: .binary,
      options: 0
    )
    let plain = try PropertyListSerialization.data(
      fromPropertyList: ["a": 1],
      format: .binary,
      options: 0
    )
    for data in [list, plain] {
      let error = #expect(throws: PerennialError.self) { _ = try read(data) }
      #expect(error?.message.contains("archive") == true, "\(error?.message ?? "")")
    }
  }

  /// A property list by hand: objects, each as its bytes.
  private func propertyList(_ objects: [[UInt8]], top: UInt8 = 0) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
      bytes += object
    }
    let table = bytes.count
    bytes += offsets
    bytes += [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [objects.count, Int(top), table] {
      bytes += (0..<8).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) }
    }
    return Data(bytes)
  }

  @Test func `every kind of value is read`() throws {
    let list = try BinaryPropertyList(
      propertyList([
        [0xA7, 1, 2, 3, 4, 5, 6, 7], [0x09], [0x10, 0xFF],
        [0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE],
        [0x22, 0x3F, 0xC0, 0, 0], [0x62, 0, 0xE9, 0x26, 0x03], [0x80, 5], [0x42, 7, 8],
      ])
    )
    guard case .array(let members) = list.nodes[list.top] else {
      Issue.record("no array")
      return
    }
    #expect(members == [1, 2, 3, 4, 5, 6, 7])
    let values = list.nodes[1...7].map { node in
      switch node {
      case .boolean(let value): "boolean \(value)"
      case .integer(let value): "integer \(value)"
      case .real(let value): "real \(value)"
      case .string(let value): "string \(value)"
      case .identifier(let value): "identifier \(value)"
      case .data(let value): "data \(Array(value))"
      default: "\(node)"
      }
    }
    #expect(
      values == [
        "boolean true", "integer 255", "integer -2", "real 1.5", "string é☃", "identifier 5",
        "data [7, 8]",
      ]
    )
  }

  @Test(
    arguments: [
      ([[0xA1, 9]], "named that is not there"), ([[0xAF, 0x10, 200, 0]], "ends outside"),
      ([[0x70]], "unknown kind"), ([[0xC1, 0]], "unknown kind"),
      ([[0xAF, 0x22, 0]], "size of an object is damaged"),
      ([[0x17, 0]], "too early"), ([[0x21, 0]], "damaged"),
    ] as [([[UInt8]], String)]
  )
  func `an object that cannot be is an error`(_ objects: [[UInt8]], _ reason: String) {
    do throws(BinaryPropertyList.Failure) {
      _ = try BinaryPropertyList(propertyList(objects))
      Issue.record("it was read")
    } catch {
      #expect(error.reason.contains(reason), "\(error.reason)")
    }
  }

  @Test func `objects that overlap to be more than the file are an error`() throws {
    // 200 objects at the same place, each a list of 240 members.
    var bytes = Array("bplist00".utf8) + [0xAF, 0x10, 240]
    bytes += [UInt8](repeating: 0, count: 240)
    let table = bytes.count
    bytes += [UInt8](repeating: 8, count: 200) + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [200, 0, table] {
      bytes += (0..<8).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) }
    }
    let error = #expect(throws: BinaryPropertyList.Failure.self) {
      _ = try BinaryPropertyList(Data(bytes))
    }
    #expect(error?.reason == "its objects overlap")
  }

  // MARK: Compression

  @Test(
    arguments: [
      ("x''", "not compressed"), ("x'00112233'", "not compressed"), ("'text'", "not compressed"),
      ("x'0102'", "not compressed"),
    ]
  )
  func `a cache that is not compressed is an error`(_ content: String, _ reason: String) throws {
    let copy = try StoreFolder(.named("bnr-books"))
    try copy.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = \(content)")
    let before = try copy.contents()
    let error = #expect(throws: PerennialError.self) {
      _ = try ManagedObjectModel(cachedIn: copy.store)
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.contains("'Z_MODELCACHE.Z_CONTENT' is \(reason)") == true)
    #expect(try copy.contents() == before)
  }

  @Test(arguments: ["UPDATE Z_MODELCACHE SET Z_CONTENT = NULL", "DELETE FROM Z_MODELCACHE"])
  func `a cache without content is an error`(_ sql: String) throws {
    let copy = try StoreFolder(.named("bnr-books"))
    try copy.execute(sql)
    let error = #expect(throws: PerennialError.self) {
      _ = try ManagedObjectModel(cachedIn: copy.store)
    }
    #expect(error?.code == .persistentStoreOpen)
  }

  @Test func `what grows without bound is stopped`() throws {
    // A zero, and then runs of 258 bytes that repeat it: 13 bits each (RFC 1951, 3.2.6).
    var bits: [Bool] = [true, true, false]
    func put(_ code: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(code >> bit & 1 == 1) }
    }
    put(0b0011_0000, 8)
    for _ in 0..<20_000 {
      put(0b1100_0101, 8)
      put(0, 5)
    }
    put(0, 7)
    var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (index, bit) in bits.enumerated() where bit { bytes[index / 8] |= 1 << (index % 8) }
    let whole = try Inflater.inflate(Data(bytes), limit: 6_000_000)
    #expect(whole == Data(repeating: 0, count: 1 + 258 * 20_000))
    #expect(throws: Inflater.Failure.tooLarge) {
      _ = try Inflater.inflate(Data(bytes), limit: 1_000_000)
    }
  }
}
