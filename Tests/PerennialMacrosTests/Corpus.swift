// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Members, and what the scanner must find in them.
///
/// Safe because the members are texts for the scanner; none of them is compiled.
struct CorpusEntry: Sendable {
  /// The member's text.
  var source: String
  /// `name: type = value` of each persistent property, or nothing.
  var persistent: [String]

  init(_ source: String, _ persistent: String...) {
    self.source = source
    self.persistent = persistent
  }

  /// Declarations of every kind that can stand in a class.
  static let all = variables + values + skipped

  private static let variables: [CorpusEntry] = [
    .init("var a: Int", "a: Int"), .init("var a: Int;", "a: Int"),
    .init("var a:Int", "a: Int"), .init("var a : Int", "a: Int"),
    .init("var a:\n  Int", "a: Int"), .init("var a: Int // note", "a: Int"),
    .init("var a: Int /* } */", "a: Int"), .init("var /* : */ a: Int", "a: Int"),
    .init("/// Doc { [ (\n  var a: Int", "a: Int"), .init("/* /* { */ ( */ var a: Int", "a: Int"),
    .init("@Unique var a: Int", "a: Int"), .init("@Unique @Indexed var a: Int", "a: Int"),
    .init("@Unique\n  // why\n  @Indexed\n  public var a: Int", "a: Int"),
    .init("@Perennial.Unique var a: Int", "a: Int"),
    .init("@Perennial::Unique var a: Int", "a: Int"),
    .init("@Attribute(renamedFrom: \"x)\") var a: Int", "a: Int"),
    .init("public private(set) var a: Int", "a: Int"),
    .init("nonisolated(unsafe) final var a: Int", "a: Int"),
    .init("var `class`: Int", "`class`: Int"), .init("var `in`: Int", "`in`: Int"),
    .init("var größe: Int", "größe: Int"), .init("var 日本: Größe", "日本: Größe"),
    .init("var a: String?", "a: String?"), .init("var a: String!", "a: String!"),
    .init("var a: [String: [Int]]?", "a: [String: [Int]]?"),
    .init("var a: Dictionary<String, Set<Int>>", "a: Dictionary<String, Set<Int>>"),
    .init("var a: (Int, String)", "a: (Int, String)"),
    .init("var a: (Int) -> String", "a: (Int) -> String"),
    .init("var a: @Sendable (Int) throws -> Void", "a: @Sendable (Int) throws -> Void"),
    .init("var a: any P & Q", "a: any P & Q"), .init("var a: P &\n  Q", "a: P &\n  Q"),
    .init("var a: Outer.Inner", "a: Outer.Inner"), .init("var a: Swift::Int", "a: Swift::Int"),
    .init("var a: ToMany<Commit>", "a: ToMany<Commit>"),
    .init("var a: ToMany < B >", "a: ToMany < B >"),
    .init("var a: Int\n  var b: Int", "a: Int", "b: Int"),
    .init("var a: Int; var b: Int", "a: Int", "b: Int"),
  ]

  private static let values: [CorpusEntry] = [
    .init("var a: Int = 0", "a: Int = 0"), .init("var a: Int=0", "a: Int = 0"),
    .init("var a: Int = 0 // zero", "a: Int = 0"), .init("var a: Int =\n    0", "a: Int = 0"),
    .init("var a: Int = 1 +\n    2\n  var b: Int", "a: Int = 1 +\n    2", "b: Int"),
    .init("var a: Int = 1\n    + 2\n  var b: Int", "a: Int = 1\n    + 2", "b: Int"),
    .init("var a: B = B()\n    .with(1)", "a: B = B()\n    .with(1)"),
    .init("var a: B = c ? d : e", "a: B = c ? d : e"),
    .init("var a: B = .normal", "a: B = .normal"),
    .init("var a: B = c!\n  var b: Int", "a: B = c!", "b: Int"),
    .init("var a: B = c as? D\n  var b: Int", "a: B = c as? D", "b: Int"),
    .init("var a: [Int] = [1, 2]", "a: [Int] = [1, 2]"),
    .init("var a: D = Dictionary<String, Int>()", "a: D = Dictionary<String, Int>()"),
    .init("var a: Bool = 1 < 2", "a: Bool = 1 < 2"),
    .init("var a: Int = 1<<20\n  var b: Int = 8>>1", "a: Int = 1<<20", "b: Int = 8>>1"),
    .init("var a: Bool = c<5\n  var b: Bool = d>5", "a: Bool = c<5", "b: Bool = d>5"),
    .init("var a: Int = { let b = 1; return b }()", "a: Int = { let b = 1; return b }()"),
    .init("var a: Int = make { $0 + 1 }", "a: Int = make { $0 + 1 }"),
    .init(#"var a: String = "}""#, #"a: String = "}""#),
    .init(#"var a: String = "\(b("}"))""#, #"a: String = "\(b("}"))""#),
    .init(#"var a: String = "\"{""#, #"a: String = "\"{""#),
    .init(##"var a: String = #"\(x " {"#"##, ##"a: String = #"\(x " {"#"##),
    .init(##"var a: String = #"\#(b("}"))"#"##, ##"a: String = #"\#(b("}"))"#"##),
    .init("var a: String = \"\"\"\n  { \" }\n  \"\"\"", "a: String = \"\"\"\n  { \" }\n  \"\"\""),
    .init("var a: R = /[{]\\/x/\n  var b: Int", "a: R = /[{]\\/x/", "b: Int"),
    .init("var a: R = #/ { / \" /#\n  var b: Int", "a: R = #/ { / \" /#", "b: Int"),
    .init("var a: Int = 6 / 2 / 1\n  var b: Int", "a: Int = 6 / 2 / 1", "b: Int"),
    .init("var a: Int = { return (1) / (2) / 3 }()", "a: Int = { return (1) / (2) / 3 }()"),
    .init("var a: Int = b!/max(c, d/2)\n  var b: Int", "a: Int = b!/max(c, d/2)", "b: Int"),
    .init(##"var a: String = #"""#"##, ##"a: String = #"""#"##),
    .init("var a: String = #\"\"\"\n  \"\n  \"\"\"#", "a: String = #\"\"\"\n  \"\n  \"\"\"#"),
    .init("var a: Int { didSet { x } }", "a: Int"),
    .init("var a: Int = 0 { willSet { x } }", "a: Int = 0"),
  ]

  private static let skipped: [CorpusEntry] = [
    .init("let a: Int = 0"), .init("let a = b"), .init("static var a: Int = 0"),
    .init("class var a: Int { 0 }"), .init("static let a = 0"), .init("var a: Int { 1 }"),
    .init("var a: Int { get { 1 } set { b = [1] } }"), .init("var a: Int\n  { 1 }"),
    .init("var a: some P { get throws { 1 } }"), .init("func f() {}"),
    .init("func f(_ a: Int = { 1 }()) -> [Int] { var a: Int = 0; return [a] }"),
    .init("func f<T: P>(_ t: T) async throws -> T where T: Q { var a: Int }"),
    .init("static func == (a: C, b: C) -> Bool { true }"),
    .init("static func / (a: C, b: C) -> C { a }"),
    .init("static prefix func - (a: C) -> C { a }"),
    .init("override func willSave() { super.willSave() }"),
    .init("required init(context: X) { var a: Int; self.a = a }"),
    .init("convenience init?() { return nil }"),
    .init("deinit { }"), .init("subscript(a: Int) -> Int { get { 1 } set { } }"),
    .init("class subscript(a: Int) -> Int { 1 }"), .init("struct A { var a: Int }"),
    .init("enum A: String { case a, b = \"}\"; var c: Int { 1 } }"),
    .init("class A { var a: Int }"),
    .init("final class A<T> where T: P { var a: T }"), .init("actor A { var a: Int }"),
    .init("typealias A = Dictionary<String, Int>"), .init("typealias F =\n    (Int) -> Void"),
    .init("#warning(\"var a: Int\")"), .init("#make { var a: Int }"), .init("// var a: Int"),
    .init("/* var a: Int */"), .init("@objc func f() {}"),
    .init("@available(*, deprecated) func f() { }"),
    .init(#"func f() -> R { return /\(\d+/ }"#), .init(#"var a: R { return /[{]/ }"#),
    .init(#"func f() { for a in /[(]/.all { if /{/ == try /\(/ { } else { throw /[/ } } }"#),
    .init(#"func f() { g { a in /[{(]/ }; switch a { case /\[/: b } }"#),
    .init("func f() { R {\n    a\n    /[{(]/\n  } }"),
    .init("func f() { return\n    b / (c) / d }"),
    .init("func f() { a = [b]?[0]!/g(c, d/2); e = (h)?/g(c, d/2) }"),
    .init("func f() { a\n    /= (b / c) }"), .init("func f() { var a = b\n    / (c) / d }"),
    .init(";"), .init("}"), .init(""),
  ]
}
