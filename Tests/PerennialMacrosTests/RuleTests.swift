// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

@Suite struct `Rules and derived attributes` {
  @Test func `rules are passed on in the order of the description`() {
    let source = #"""
      @Managed class C: ManagedObject {
        @Attribute(pattern: "[a-z]+", maximumLength: 4) var a: String
        @Attribute(minimum: -1.5, maximum: 2, validation: ["SELF != 1", .init("SELF != 2", message: "no")])
        var b: Double?
        @Attribute(renamedFrom: "x", derived: "uppercase:(a)") var c: String
      }
      """#
    let text = Request.managedClass(source).memberExpansion().source
    #expect(text.contains(#".of("a", String.self, maximumLength: 4, pattern: "[a-z]+"),"#))
    #expect(
      text.contains(
        #".of("b", (Double?).self, minimum: -1.5, maximum: 2, "#
          + #"validation: ["SELF != 1", .init("SELF != 2", message: "no")]),"#
      )
    )
    #expect(text.contains(#".of("c", String.self, renamedFrom: "x", derived: "uppercase:(a)"),"#))
  }

  @Test func `a derived attribute has no setter`() {
    let member = #"@Attribute(derived: "a") var b: String"#
    let managed = Request.managedClass(
      "@Managed class C: ManagedObject { var a: String; \(member) }"
    )
    let expansion = managed.memberAttributeExpansion(of: Request.text(member))
    #expect(expansion.source == "@_ManagedProperty(1, isDerived: true)")
    let accessor = AccessorExpansion.expand(Request.text(expansion.source))
    #expect(accessor == Expansion(source: "{ get { _get(1) } }"))
  }

  @Test(arguments: [
    ("@Attribute(maximumLength: 3) var a: Int", "3", "maximumLength", "Int"),
    ("@Attribute(minimumLength: 3) var a: Date?", "3", "minimumLength", "Date"),
    (#"@Attribute(pattern: "x") var a: Double"#, #""x""#, "pattern", "Double"),
    (#"@Attribute(pattern: "x") var a: Data"#, #""x""#, "pattern", "Data"),
    ("@Attribute(minimum: 1) var a: String", "1", "minimum", "String"),
    ("@Attribute(maximum: 1) var a: Optional<Bool>", "1", "maximum", "Bool"),
  ])
  func `a rule that values of the type cannot meet is an error`(
    member: String,
    place: String,
    rule: String,
    type: String
  ) throws {
    let source = "@Managed class C: ManagedObject { \(member) }"
    let diagnostics = Request.managedClass(source).diagnostics
    let diagnostic = try #require(diagnostics.first)
    #expect(diagnostics.count == 1)
    #expect(
      diagnostic.message == "'a' is of type \(type), for which '\(rule)' has no meaning; remove it"
    )
    #expect(Scanner(source).text(diagnostic.range) == place)
  }

  @Test func `derived and transient is an error`() throws {
    let member = #"@Transient @Attribute(derived: "b") var a: Int"#
    let source = "@Managed class C: ManagedObject { \(member) }"
    let diagnostics = Request.managedClass(source).diagnostics
    #expect(
      diagnostics.map(\.message) == [
        "'a' is derived, which is stored, and transient, which is not; remove one of the marks"
      ]
    )
  }

  @Test(arguments: [
    "@Attribute(minimum: 1) var a: Money", "@Attribute(minimum: 1) var a: Int32?",
    "@Attribute(maximumLength: 9) var a: Data?", "@Attribute(maximum: x) var a: Decimal",
  ])
  func `sound rules and unknown types are left to the compiler`(member: String) {
    let source = "@Managed class C: ManagedObject { \(member) }"
    #expect(Request.managedClass(source).diagnostics.isEmpty)
  }
}
