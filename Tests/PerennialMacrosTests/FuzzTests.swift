// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import RandomTesting
import Testing

@testable import PerennialMacros

@Suite struct `The plug-in` {
  private static let messages: [[UInt8]] = CorpusEntry.all.flatMap { entry -> [[UInt8]] in
    let parent = "@Managed(unique: [\"a\"]) final class C: ManagedObject { \(entry.source)\n}"
    let attribute = "@Managed(unique: [\"a\"])"
    return [
      Request.message("Managed", "member", attribute: attribute, declaration: parent),
      Request.message("Managed", "extension", attribute: attribute, declaration: parent),
      Request.message(
        "Managed",
        "memberAttribute",
        attribute: attribute,
        declaration: entry.source,
        parent: parent
      ),
      Request.message("Marker", "peer", attribute: "@Unique", declaration: entry.source),
      Request.message(
        "ManagedProperty",
        "accessor",
        attribute: "@_ManagedProperty(3)",
        declaration: entry.source
      ),
    ].map { Array($0.text.utf8) }
  }

  private static let formats = [
    #"#FetchPredicate(A.self, "name CONTAINS[c] \(q) AND ANY films.year > 2000")"#,
    ##"#FetchPredicate(A.self, #"a\#u{3D}= \#(key: x) OR "x" IN {1, 'b'}"#)"##,
    "#FetchPredicate(A.self, \"\"\"\n    a == 1 \\\n      AND b.@avg.c > 2\n    \"\"\")",
  ]

  @Test(arguments: [UInt64(7), 8])
  func `answers whatever format it is asked about`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<2_000 {
      var bytes = Array(try #require(Self.formats.randomElement(using: &generator)).utf8)
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        Self.mutate(&bytes, using: &generator)
      }
      let source = String(decoding: bytes, as: UTF8.self)
      let expansion = FormatExpansion.expand(Request.text(source))
      #expect(!expansion.source.isEmpty, "seed \(seed), round \(round): \(source)")
      for diagnostic in expansion.diagnostics {
        #expect(
          0...source.utf8.count ~= diagnostic.range.upperBound,
          "seed \(seed), round \(round)"
        )
      }
    }
  }

  @Test func `answers every request of the corpus`() {
    for message in Self.messages {
      #expect(Request.isWellFormed(Request.answer(message)))
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `answers once whatever bytes are changed`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var server = PluginServer()
    for round in 0..<1_000 {
      var message = try #require(Self.messages.randomElement(using: &generator))
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        Self.mutate(&message, using: &generator)
      }
      let answer = JSONReader.read(server.answer(message))
      #expect(Request.isWellFormed(answer), "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: [UInt64(5), 6])
  func `answers whatever source it is asked about`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<1_000 {
      let entry = try #require(CorpusEntry.all.randomElement(using: &generator))
      var bytes = Array("@Managed class C: ManagedObject { \(entry.source)\nvar z: Int }".utf8)
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        Self.mutate(&bytes, using: &generator)
      }
      let source = String(decoding: bytes, as: UTF8.self)
      let message = Request.message("Managed", "member", attribute: source, declaration: source)
      let answer = Request.answer(Array(message.text.utf8))
      #expect(Request.isWellFormed(answer), "seed \(seed), round \(round): \(source)")
    }
  }

  private static func mutate(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let position = Int.random(in: 0..<bytes.count, using: &generator)
    let special = Array("{}()[]<>\"\\/`#@=,:;.*?!\n ".utf8) + [0, 0x80, 0xC3, 0xFF]
    let byte = special.randomElement(using: &generator) ?? 0
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: bytes[position] = byte
    case 1: bytes.insert(byte, at: position)
    case 2: bytes.remove(at: position)
    default:
      let end = min(position + Int.random(in: 0..<40, using: &generator), bytes.count)
      let piece = Array(bytes[position..<end])
      bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &generator))
    }
  }
}
