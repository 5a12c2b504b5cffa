// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

@Suite struct `Composite structs` {
  private func expansion(_ source: String) -> Expansion {
    CompositeExpansion(Request.text(source), type: "Address").expansion(missing: nil)
  }

  @Test func `get their elements, a reader and a writer`() {
    let source = """
      @Composite public struct Address {
        public var city: String?
        @Attribute(maximumLength: 5) public var zip: String = ""
        public var kind: Kind = .home
        var spot: Spot?
        static let shared = 1
        var line: String { "" }
      }
      """
    let expected = #"""
      extension Address: nonisolated CompositeAttribute {
        public nonisolated static var _elements: [PropertyDescription] {
          [
            .of("city", (String?).self),
            .of("zip", String.self, default: "", maximumLength: 5),
            .of("kind", Kind.self, default: .home),
            .of("spot", (Spot?).self),
          ]
        }
        public nonisolated static var _slotCount: Int { 2 + _ElementReader.slots(of: Kind.self) + _ElementReader.slots(of: (Spot?).self) }
        public nonisolated static func _elementName(for keyPath: AnyKeyPath) -> String? {
          if keyPath == \Address.city { return "city" }
          if keyPath == \Address.zip { return "zip" }
          if keyPath == \Address.kind { return "kind" }
          if keyPath == \Address.spot { return "spot" }
          return nil
        }
        public nonisolated init(_reading elements: inout _ElementReader) {
          self.city = elements.read()
          self.zip = elements.read(default: "")
          self.kind = elements.read(default: .home)
          self.spot = elements.read()
        }
        public nonisolated func _write(to elements: inout _ElementWriter) {
          elements.write(self.city)
          elements.write(self.zip)
          elements.write(self.kind)
          elements.write(self.spot)
        }
      }
      """#
    #expect(expansion(source) == Expansion(source: expected))
  }

  @Test func `keep the empty lines of a default value`() {
    let literal = "\"\"\"\n  a\n\n  b\n  \"\"\""
    let text = expansion("struct Address {\n  var a: String = \(literal)\n}").source
    let indented = "\"\"\"\n    a\n\n    b\n    \"\"\""
    #expect(text.contains("default: \(indented)),"))
    #expect(text.contains("self.a = elements.read(default: \(indented))"))
  }

  @Test func `keep their availability, and the spaces in their names`() {
    let source = "@Composite @available(macOS 26, *) struct `home address` { var city: String }"
    let composite = CompositeExpansion(Request.text(source), type: "`home address` ")
    let text = composite.expansion(missing: nil).source
    #expect(text.hasPrefix("@available(macOS 26, *) extension `home address`: nonisolated "))
    #expect(text.contains(#"if keyPath == \`home address`.city"#))
  }

  @Test func `that conform already get nothing`() {
    let composite = CompositeExpansion(Request.text("struct A { var a: Int }"), type: "A")
    #expect(composite.expansion(missing: "") == Expansion())
  }

  @Test(arguments: [
    ("class A { var a: Int }", "'@Composite' is for structs and 'A' is not one; write 'struct A'"),
    ("struct A {}", "struct 'A' has no elements; declare a 'var' with a type"),
    (
      "struct A<B> { var a: Int }",
      "struct 'A' is generic, but a composite attribute has one fixed list of elements; remove the generic parameters"
    ),
    (
      "struct A { let a: Int }",
      "'a' is an element of a composite attribute, which is read from a store; write 'var', or make it computed or static"
    ),
    ("struct A { var a = 1 }", "'a' needs a type; write 'var a: Type'"),
    (
      "struct A { var a: ToMany<B> }",
      "'a' is a relationship, which only a '@Managed' class can have; move it there"
    ),
    (
      "struct A { @Unique var a: Int }",
      "'@Unique' is for the properties of a '@Managed' class and 'a' is an element of a composite attribute; remove it"
    ),
    (
      "struct A { @Attribute(derived: \"b\") var a: Int }",
      "'a' is an element of a composite attribute and cannot be derived; derive a property of the '@Managed' class"
    ),
  ])
  func `that cannot be stored are errors`(_ source: String, _ message: String) {
    let expansion = expansion(source)
    #expect(expansion.source.isEmpty)
    #expect(expansion.diagnostics.map(\.message) == [message])
  }

  @Test func `move the slots of subclasses, and only of them`() {
    let body = "ManagedObject { var a: Int; var b: Address?; var c: C? }"
    let open = Request.managedClass("@Managed class A: \(body)").memberExpansion().source
    #expect(
      open.contains(
        "slotCount: Int { 1 + _ElementReader.slots(of: (Address?).self) + _ElementReader.slots(of: (C?).self) }"
      )
    )
    let closed = Request.managedClass("@Managed final class A: \(body)").memberExpansion().source
    #expect(closed.contains("slotCount: Int { 3 }"))
  }

  @Test func `do not hinder a class that checks single values`() {
    let source = """
      @Managed final class A: ManagedObject {
        var a: Int
        override func validateValue(_ value: (any Sendable)?, forKey key: String) throws {}
      }
      """
    let text = Request.managedClass(source).memberExpansion().source
    #expect(text.contains("nonisolated override class var validatesEachValue: Bool { true }"))
    let other = "@Managed final class A: ManagedObject { var a: Int }"
    #expect(!Request.managedClass(other).memberExpansion().source.contains("validatesEachValue"))
  }
}
