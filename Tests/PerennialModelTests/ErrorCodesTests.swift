// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PerennialModel

/// Holds `PerennialError.Code` against the article ErrorCodes.
@Suite("Error codes")
struct ErrorCodesTests {
  /// A code by name, read from the source: static members cannot be listed at run time.
  private struct Entry: Hashable {
    var name: String
    var number: Int
  }

  private static func text(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func declared() throws -> [Entry] {
    try text("Sources/PerennialModel/Errors/PerennialError+Code.swift")
      .matches(of: /static let (\w+) = Code\(rawValue: ([\d_]+)\)/)
      .map { Entry(name: String($0.1), number: Int($0.2.filter(\.isNumber)) ?? 0) }
  }

  /// The sections of the page: heading to text.
  private static func sections() throws -> [(entry: Entry, text: Substring)] {
    try text("Sources/Perennial/Perennial.docc/Articles/ErrorCodes.md").split(separator: "\n## ")
      .dropFirst().compactMap {
        guard let heading = $0.prefixMatch(of: /(\w+) \((\d+)\)\n/) else { return nil }
        return (Entry(name: String(heading.1), number: Int(heading.2) ?? 0), $0)
      }
  }

  @Test func `names and numbers appear once`() throws {
    let codes = try Self.declared()
    #expect(codes.count > 20)
    #expect(Set(codes.map(\.name)).count == codes.count)
    #expect(Set(codes.map(\.number)).count == codes.count)
  }

  @Test func `every code has one section, in the order of the numbers`() throws {
    let sections = try Self.sections().map(\.entry)
    #expect(sections == (try Self.declared()).sorted { $0.number < $1.number })
  }

  @Test func `every section has the family of the code`() throws {
    for (entry, text) in try Self.sections() {
      let family = PerennialError.Code(rawValue: entry.number).family
      #expect(text.contains("Family: `\(family)`."), "\(entry.name)")
    }
  }

  @Test
  func `every section has a cause, an example and a cure, in this order, once, and not empty`()
    throws
  {
    for (entry, text) in try Self.sections() {
      let parts = text.matches(of: /^- (\w+):[ \n]+([^\n]+)/.anchorsMatchLineEndings())
      #expect(parts.map { String($0.1) } == ["Cause", "Example", "Cure"], "\(entry.name)")
      #expect(parts.allSatisfy { $0.2.contains { $0.isLetter } }, "\(entry.name)")
    }
  }

  @Test func `only a code that is never thrown has no example`() throws {
    for (entry, text) in try Self.sections() where text.contains("- Example: none.") {
      #expect(text.contains("Perennial does not throw it"), "\(entry.name)")
    }
  }
}
