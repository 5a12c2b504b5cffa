// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

@Suite struct `The other roles` {
  private let employee = Request.managedClass(
    "@Managed class E: Person { var a: Int; var m: ToMany<E>; var b: Int; let c = 1; var d: Int { 2 } }"
  )
  private let commit = Request.managedClass(
    "@Managed class C: ManagedObject { var a: Int; var m: P.OrderedToMany<C>; var `in`: Int }"
  )

  @Test(arguments: [
    ("\n  var a: Int", "@_ManagedProperty(0)"), ("var `in`: Int", "@_ManagedProperty(1)"),
    ("var m: P.OrderedToMany<C>", "@_ManagedProperty(0)"), ("let a = 1", ""),
    ("func a() {}", ""), ("static var a: Int", ""), ("var a: Int { 1 }", ""),
    ("@_ManagedProperty(0) var a: Int", ""), ("", ""),
    ("#if A\n@objc\n#endif\nvar a: Int", "@_ManagedProperty(0)"),
  ])
  func `member attributes number slots`(member: String, expected: String) {
    let expansion = commit.memberAttributeExpansion(of: Request.text(member))
    #expect(expansion == Expansion(source: expected))
  }

  @Test(arguments: [
    ("var a: Int", "@_ManagedProperty(Person.slotCount + 0)"),
    ("var b: Int", "@_ManagedProperty(Person.slotCount + 1)"),
    ("var m: ToMany<E>", "@_ManagedProperty(Person.toManyCount + 0)"),
  ])
  func `member attributes of a subclass add the superclass's slots`(
    member: String,
    expected: String
  ) {
    let expansion = employee.memberAttributeExpansion(of: Request.text(member))
    #expect(expansion.source == expected)
  }

  @Test func `a class with an error keeps the accessors of its sound properties`() {
    let broken = Request.managedClass("@Managed class C: ManagedObject { var a = 0; var b: Int }")
    let untyped = broken.memberAttributeExpansion(of: Request.text("var a = 0"))
    let typed = broken.memberAttributeExpansion(of: Request.text("var b: Int"))
    #expect(untyped == Expansion())
    #expect(typed == Expansion(source: "@_ManagedProperty(1)"))
  }

  @Test func `a property that is not among those of the class is an error`() throws {
    let member = Request.text("var unknown: Int")
    let diagnostic = try #require(commit.memberAttributeExpansion(of: member).diagnostics.first)
    #expect(Scanner(member.source).text(diagnostic.range) == "unknown")
    #expect(
      diagnostic.message == "PerennialMacros does not find 'unknown' among the properties of the "
        + "class; move functions and computed properties into an extension"
    )
  }

  @Test(arguments: ["3", "Person.slotCount + 3"])
  func `accessors read and write the slot`(slot: String) {
    let expansion = AccessorExpansion.expand(Request.text("@_ManagedProperty(\(slot))"))
    #expect(expansion.source == "{ get { _get(\(slot)) } set { _set(\(slot), newValue) } }")
  }

  @Test func `an accessor without a slot is an error`() {
    #expect(AccessorExpansion.expand(Request.text("@_ManagedProperty")).diagnostics.count == 1)
  }

  @Test func `the extension adds the missing conformance`() {
    let missing = "struct Placeholder: ManagedEntity {}"
    let added = Expansion(source: "extension Outer.C: ManagedEntity {}")
    #expect(commit.extensionExpansion(of: "Outer.C", missing: missing) == added)
    #expect(commit.extensionExpansion(of: "Outer.C", missing: nil) == added)
    #expect(commit.extensionExpansion(of: "C", missing: "") == Expansion())
    #expect(employee.extensionExpansion(of: "E", missing: nil) == Expansion())
    let named = Request.managedClass("@Managed class C: ManagedObject, ManagedEntity {}")
    #expect(named.extensionExpansion(of: "C", missing: missing) == Expansion())
  }

  @Test func `the extension has the availability of the class, and its name with spaces`() {
    let availability = "@available(macOS 26, iOS 26, *) @available(*, deprecated)"
    let gated = Request.managedClass("@Managed \(availability)\nclass `a b`: ManagedObject {}")
    let expected = Expansion(source: "\(availability) extension `a b`: ManagedEntity {}")
    for type in [" `a b` ", nil] {
      #expect(gated.extensionExpansion(of: type, missing: nil) == expected)
    }
  }

  @Test func `a marker is refused on anything but a stored variable`() {
    let attribute = Request.text("@Unique ")
    #expect(MarkerExpansion.expand(attribute, on: Request.text("var a: Int")) == Expansion())
    for declaration in ["func f() {}", "let a = 1", "var a: Int { 1 }", "static var a: Int = 1"] {
      let expansion = MarkerExpansion.expand(attribute, on: Request.text(declaration))
      #expect(
        expansion.diagnostics.map(\.message) == [
          "'@Unique' is for the persistent properties of a '@Managed' class; remove it"
        ]
      )
    }
  }

  @Test(arguments: [
    (#"\Author.commits"#, Inverse.keyPath(#"\Author.commits"#, property: "commits")),
    (#"\App.Author.commits"#, .keyPath(#"\App.Author.commits"#, property: "commits")),
    (#"\Author.`in`"#, .keyPath(#"\Author.`in`"#, property: "in")), (#"\.commits"#, .rootless),
    (#"\iPhone.owner"#, .keyPath(#"\iPhone.owner"#, property: "owner")),
    (#"\作者.书"#, .keyPath(#"\作者.书"#, property: "书")),
    (#"\Author.URLs"#, .keyPath(#"\Author.URLs"#, property: "URLs")),
    (#"\myapp.Author.commits"#, .keyPath(#"\myapp.Author.commits"#, property: "commits")),
    (#"\App::Author.commits"#, .keyPath(#"\App::Author.commits"#, property: "commits")),
    (#"\Author."#, .tooLong),
    (#"\Author.commits.count"#, .tooLong), (#"\Author.commits[0]"#, .tooLong),
    (#"\Author"#, .tooLong), (#"\"#, .rootless), (#""commits""#, .expression(#""commits""#)),
  ])
  func `an inverse is a key path or a string`(text: String, expected: Inverse) {
    #expect(Inverse(text) == expected)
  }
}
