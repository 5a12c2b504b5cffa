// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

@Suite struct `A default that passes` {
  private func expansion(_ member: String) -> Expansion {
    Request.managedClass("@Managed class C: ManagedObject { \(member) }").memberExpansion()
  }

  @Test(arguments: [
    "var a: UUID = UUID()", "var a: UUID? = UUID()", "var a: UUID = .init()",
    "var a: Date = Date()", "var a: Date = .now", "var a: Optional<Date> = .now",
    "var a: Date = Date.now", "var a: Foundation.Date = .init()",
    "var a: UUID = Foundation.UUID( )", "@Transient var a: Date = Date.init()",
  ])
  func `compiles with a warning`(member: String) throws {
    let expansion = expansion(member)
    #expect(expansion.source.contains("default: "))
    let diagnostic = try #require(expansion.diagnostics.first)
    #expect(expansion.diagnostics.count == 1)
    #expect(
      diagnostic.message == "a default is one value for all objects; set it in 'awakeFromInsert()'"
    )
    #expect(diagnostic.json["severity"]?.string == "warning")
    let value = Scanner(diagnostic.source.source).text(diagnostic.range)
    #expect(member.hasSuffix("= " + value))
    let fixIt = try #require(diagnostic.fixIts.first)
    #expect(Scanner(diagnostic.source.source).text(fixIt.range) == " = " + value)
    #expect(fixIt.newText.isEmpty)
  }

  @Test(arguments: [
    "var a: Date = Date(timeIntervalSince1970: 0)", "var a: Date = .distantPast",
    "var a: Kind = .now", "var a: Kind = .init()", "var a: UUID? = nil", "var a: Date",
    "let a = UUID()", "var a: UUID { UUID() }",
  ])
  func `is not a value that stays`(member: String) {
    #expect(expansion(member).diagnostics.isEmpty)
  }
}
