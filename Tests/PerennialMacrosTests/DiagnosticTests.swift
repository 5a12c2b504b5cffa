// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

/// A class with one mistake.
struct Mistake: Sendable {
  var source: String
  /// What the macro says.
  var message: String
  /// The text that the error points at.
  var place: String
  /// The class after the fix-it.
  var fixed: String?

  init(_ source: String, at place: String, _ message: String, fixed: String? = nil) {
    self.source = source
    self.message = message
    self.place = place
    self.fixed = fixed
  }

  /// A mistake in the body of a class.
  static func member(
    _ member: String,
    at place: String,
    _ message: String,
    fixed: String? = nil
  ) -> Mistake {
    func wrap(_ member: String) -> String { "@Managed class C: ManagedObject { \(member) }" }
    return Mistake(wrap(member), at: place, message, fixed: fixed.map(wrap))
  }
}

@Suite struct `The errors` {
  private static let ofClasses: [Mistake] = [
    Mistake(
      "@Managed struct S { var a: Int }",
      at: "struct",
      "'@Managed' is for classes and 'S' is not one; write 'final class S: ManagedObject'"
    ),
    Mistake(
      "@Managed class C {}",
      at: "C",
      "class 'C' does not inherit from ManagedObject; write 'class C: ManagedObject'",
      fixed: "@Managed class C: ManagedObject {}"
    ),
    Mistake(
      "@Managed class C: Codable {}",
      at: "C",
      "class 'C' does not inherit from ManagedObject; write 'class C: ManagedObject'",
      fixed: "@Managed class C: ManagedObject, Codable {}"
    ),
    Mistake(
      "@Managed class Snapshot: ManagedObject {}",
      at: "Snapshot",
      "'Snapshot' is the name of the copies that '@Managed' adds to classes; rename the class"
    ),
    Mistake(
      "@Managed class C<T>: ManagedObject {}",
      at: "<T>",
      "class 'C' is generic, but an entity has one fixed list of properties; "
        + "remove the generic parameters"
    ),
    Mistake(
      "@Managed @Managed(isAbstract: true) class C: ManagedObject {}",
      at: "@Managed(isAbstract: true)",
      "'@Managed' stands here twice; put all its arguments into one"
    ),
    Mistake(
      "@Managed @MainActor class C: ManagedObject {}",
      at: "@MainActor",
      "an object belongs to its context and not to an actor; remove '@MainActor'",
      fixed: "@Managed  class C: ManagedObject {}"
    ),
    Mistake(
      #"@Managed(unique: ["a", "b"]) class C: ManagedObject { var a: Int }"#,
      at: #"["a", "b"]"#,
      "'unique' names 'b', which is no property of this class; correct the name"
    ),
    Mistake(
      #"@Managed(indexes: ["m"]) class C: ManagedObject { var m: ToMany<C> }"#,
      at: #"["m"]"#,
      "'indexes' names 'm', which is a to-many relationship and has no column; remove it"
    ),
    Mistake(
      #"@Managed(unique: ["a"]) class C: ManagedObject { @Unique var a: Int }"#,
      at: #"["a"]"#,
      "the uniqueness of 'a' is declared twice; remove one"
    ),
  ]

  private static let ofProperties: [Mistake] = [
    .member("var a = 0", at: "a", "'a' needs a type; write 'var a: Type'", fixed: "var a: Int = 0"),
    .member(
      "var a = -1.5",
      at: "a",
      "'a' needs a type; write 'var a: Type'",
      fixed: "var a: Double = -1.5"
    ),
    .member(
      "var a = 0xFF",
      at: "a",
      "'a' needs a type; write 'var a: Type'",
      fixed: "var a: Int = 0xFF"
    ),
    .member(
      "var a = \"\"",
      at: "a",
      "'a' needs a type; write 'var a: Type'",
      fixed: "var a: String = \"\""
    ),
    .member(
      "var a = true",
      at: "a",
      "'a' needs a type; write 'var a: Type'",
      fixed: "var a: Bool = true"
    ),
    .member(
      "var a = UUID()",
      at: "a",
      "'a' needs a type; write 'var a: Type'",
      fixed: "var a: UUID"
    ),
    .member(
      "var a = Date.now /* when */",
      at: "a",
      "'a' needs a type; write 'var a: Type'",
      fixed: "var a: Date /* when */"
    ),
    .member("var a = f()", at: "a", "'a' needs a type; write 'var a: Type'"),
    .member(
      "var (a, b): (Int, Int)",
      at: "(a, b)",
      "a pattern cannot be persistent; declare one 'var' for each value"
    ),
    .member(
      "var a: Int, b: Int",
      at: "a",
      "several properties in one 'var' cannot be persistent; declare one 'var' for each"
    ),
    .member(
      "var a: Int { didSet {} }",
      at: "{ didSet {} }",
      "'a' is persistent and cannot have observers; move the code into a method that sets it"
    ),
    .member(
      "lazy var a: Int = 1",
      at: "lazy",
      "'a' is persistent and cannot be lazy, since it is read from the store when needed; "
        + "remove 'lazy'",
      fixed: " var a: Int = 1"
    ),
    .member(
      "weak var a: C?",
      at: "weak",
      "'a' is persistent and relationships keep nothing alive; remove 'weak'",
      fixed: " var a: C?"
    ),
    .member(
      "override var a: Int",
      at: "override",
      "'a' overrides a property, but each property belongs to one entity; "
        + "remove it here, or rename it"
    ),
    .member(
      "#if DEBUG\nvar a: Int\n#endif",
      at: "a",
      "'a' is inside '#if', so the model would differ from build to build; move it out of the '#if'"
    ),
    .member(
      "#if DEBUG\n@Indexed\n#endif\nvar a: Int",
      at: "@Indexed",
      "'@Indexed' is inside '#if', so the model would differ from build to build; "
        + "move it out of the '#if'"
    ),
    .member(
      "@Attribute(renamedFrom: \"b\") @Attribute(external: true) var a: Data",
      at: "@Attribute(external: true)",
      "'@Attribute' stands here twice; put all its arguments into one"
    ),
    .member(
      "@Relationship(inverse: \"b\") @Relationship(deleteRule: .cascade) var a: ToMany<C>",
      at: "@Relationship(deleteRule: .cascade)",
      "'@Relationship' stands here twice; put all its arguments into one"
    ),
    .member(
      "var description: String",
      at: "description",
      "'description' is a name that every managed object has already; rename the property, "
        + "for example 'itemDescription'"
    ),
    .member("var a: Int; var a: Int", at: "a", "'a' is declared twice; rename one of them"),
    .member(
      "var a: URL",
      at: "URL",
      "'a' has no value in a new object, because 'URL' has no zero; write 'URL?' or give it a default",
      fixed: "var a: URL?"
    ),
    .member(
      "@Relationship var a: C",
      at: "C",
      "'a' is empty in a new object; write 'C?', and 'optional: false' to require it",
      fixed: "@Relationship var a: C?"
    ),
    .member(
      "@Relationship var a: [C]",
      at: "[C]",
      "'a' is a to-many relationship; write 'ToMany<C>', or 'OrderedToMany<C>' for a list",
      fixed: "@Relationship var a: ToMany<C>"
    ),
    .member(
      "@Relationship(maximumCount: 3) var a: Set<C>?",
      at: "Set<C>?",
      "'a' is a to-many relationship; write 'ToMany<C>', or 'OrderedToMany<C>' for a list",
      fixed: "@Relationship(maximumCount: 3) var a: ToMany<C>"
    ),
    .member(
      "var a: ToMany<C>?",
      at: "ToMany<C>?",
      "'a' is a to-many relationship, which can be empty but never nil; remove the '?'"
    ),
    .member(
      "var a: ToMany<C> = []",
      at: "[]",
      "'a' is a relationship and begins empty; remove the default value",
      fixed: "var a: ToMany<C>"
    ),
    .member(
      "@Relationship(maximumCount: 3) var a: C?",
      at: "3",
      "'a' is not a to-many relationship; remove the counts"
    ),
    .member(
      "@Transient var a: ToMany<C>",
      at: "@Transient",
      "'a' is a relationship and cannot be transient; remove one of the marks"
    ),
    .member(
      "@Unique @Relationship var a: C?",
      at: "@Unique",
      "'a' is marked as an attribute and as a relationship; remove one of the marks"
    ),
    .member(
      #"@Relationship(inverse: \.b) var a: C?"#,
      at: #"\.b"#,
      #"the inverse '\.b' does not name its class; write it as '\Author.commits'"#
    ),
    .member(
      #"@Relationship(inverse: \B.c.d) var a: C?"#,
      at: #"\B.c.d"#,
      #"the inverse '\B.c.d' is not one relationship; write it as '\Author.commits'"#
    ),
    .member(
      #"@Relationship(inverse: \C.a) var a: ToMany<C>"#,
      at: #"\C.a"#,
      #"'a' is its own inverse, which a key path cannot say; write 'inverse: "a"'"#,
      fixed: #"@Relationship(inverse: "a") var a: ToMany<C>"#
    ),
  ]

  @Test(arguments: ofClasses + ofProperties)
  func `say what is wrong, where, and how to repair it`(mistake: Mistake) throws {
    let expansion = Request.managedClass(mistake.source).memberExpansion()
    #expect(expansion.source.isEmpty)
    let diagnostic = try #require(expansion.diagnostics.first)
    #expect(expansion.diagnostics.count == 1)
    #expect(diagnostic.message == mistake.message)
    #expect(Scanner(mistake.source).text(diagnostic.range) == mistake.place)
    #expect(diagnostic.json["position"]?["offset"]?.integer == 100 + diagnostic.range.lowerBound)
    #expect(diagnostic.fixIts.first.map { Self.apply($0, to: mistake.source) } == mistake.fixed)
  }

  private static func apply(_ fixIt: Diagnostic.FixIt, to source: String) -> String {
    var bytes = Array(source.utf8)
    bytes.replaceSubrange(fixIt.range, with: Array(fixIt.newText.utf8))
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    "private(set) var a: Int", "var a: URL?", "var a: URL = x", "@Relationship var a: C? = nil",
    #"@Relationship(inverse: \D.a) var a: D?"#,
    "@Relationship(optional: false) var a: Optional<C>", "@Indexed var a: C?", "let b = 0, c = 1",
    "static var a = 0, b = 1", "#if DEBUG\nfunc f() {}\nlet a = 1\n#endif",
    "var a: Int { willSetLater() }", "@Unknown var a: Int",
    "#if A\n@objc\n#else\n@nonobjc\n#endif\nfunc f() {}\nvar a: Int",
    "#if A\n#if B\n@objc\n#endif\n#endif\nfunc f() {}\nvar a: Int",
  ])
  func `do not meet sound classes`(member: String) {
    let managed = Request.managedClass("@Managed class C: ManagedObject { \(member) }")
    #expect(managed.diagnostics.isEmpty)
  }

  @Test func `of a list in a subclass do not concern inherited names`() {
    let source = #"@Managed(unique: ["inherited"]) class C: Base {}"#
    #expect(Request.managedClass(source).diagnostics.isEmpty)
  }

  @Test(arguments: [
    ("0xFF", "Int"), ("-0b1_0", "Int"), ("0o17", "Int"), ("1_000", "Int"), ("1e5", "Double"),
    ("0x1p3", "Double"), ("0x1.8p0", "Double"), ("0xFFFF_FFFF_FFFF_FFFF", ""), ("0x", ""),
    ("0xFF + b", ""), ("1 + b", ""),
  ])
  func `guess the type of a number by its form, or none`(value: String, type: String) {
    #expect((LiteralType.guess(value) ?? "") == type)
  }
}
