// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

@Suite struct `The scanner` {
  @Test func `has a corpus of at least sixty declarations`() {
    #expect(CorpusEntry.all.count >= 60)
  }

  @Test(arguments: CorpusEntry.all)
  func `finds the persistent properties of a class`(entry: CorpusEntry) {
    let isClosing = entry.source == "}"
    let source = "class C: ManagedObject {\n  \(entry.source)\n  var last: Int\n}"
    let found = ClassDeclaration(source).persistent.map(Self.summary)
    #expect(found == entry.persistent + (isClosing ? [] : ["last: Int"]))
  }

  private static func summary(_ variable: VariableDeclaration) -> String {
    let value = variable.initialValue.map { " = \($0)" } ?? ""
    return "\(variable.spelling): \(variable.type ?? "")\(value)"
  }

  @Test func `reads the header of a class`() {
    let source = """
      /// A commit.
      @Managed(unique: ["a"]) @available(macOS 15, *)
      public final class `Commit`: Perennial.ManagedObject, Comparable /* { */ {
      """
    let declaration = ClassDeclaration(source)
    #expect(declaration.name == "Commit")
    #expect(declaration.access == "public ")
    #expect(declaration.inherited.map(\.name) == ["Perennial.ManagedObject", "Comparable"])
    #expect(declaration.isRoot)
    #expect(declaration.attributes.map(\.name) == ["Managed", "available"])
    #expect(!ClassDeclaration("class A: Base<Int, B>, P where T: Q {}").isRoot)
  }

  @Test func `reads attributes of a class that only some builds have`() {
    let source = """
      @Managed
      #if canImport(ObjectiveC)
      @objc(C)
      #else
      @available(macOS 15, *)
      #endif
      final class C: ManagedObject {}
      """
    let declaration = ClassDeclaration(source)
    #expect(declaration.keyword == "class")
    #expect(declaration.attributes.map(\.name) == ["Managed", "objc", "available"])
    #expect(declaration.attributes.map(\.isConditional) == [false, true, true])
    #expect(declaration.availability(in: Request.text(source)).isEmpty)
  }

  @Test(arguments: [
    ("ToMany<A>", true), ("OrderedToMany<A>", true), ("Perennial.ToMany<A>", true),
    ("Perennial::OrderedToMany<A>", true), ("ToManyThings<A>", false), ("ToMany", false),
    ("Set<ToMany<A>>", false), ("[ToMany<A>]", false), ("A?", false),
  ])
  func `tells to-many relationships by their type`(type: String, isToMany: Bool) throws {
    let variable = try #require(ClassDeclaration("class C { var a: \(type) }").variables.first)
    #expect(variable.isToMany == isToMany)
  }

  @Test func `reads the arguments of attributes`() {
    let attribute = Request.text(#"@Managed("A, (B", unique: ["a", "b"], ["c"], isAbstract: true)"#)
    let arguments = ManagedArguments(attribute)
    #expect(arguments.entityName == #""A, (B""#)
    #expect(arguments.unique.map(\.names) == [["a", "b"], ["c"]])
    #expect(arguments.indexes.isEmpty)
    #expect(arguments.isAbstract == "true")
    #expect(arguments.renamedFrom == nil)
    #expect(ManagedArguments(Request.text("@Managed(unique: names)")).unique.first?.names == nil)
  }

  @Test(arguments: [
    "{", "(", "[", "\"\\(", "@a(", "x { @a(", "a<", "=/", "/*", "[A<", ", b", "#if a\n", "var a: ",
    "`", "#\"", "\"\"\"", "func f() ", "->", "var x: Int;",
  ])
  func `comes to an end on repeated openings`(piece: String) {
    let body = String(repeating: piece, count: 2_000)
    for source in ["class C: M { \(body)", "class C: M { var x: Int = \(body)", "@Managed\(body)"] {
      #expect(ClassDeclaration(source).variables.count <= 2_001)
    }
  }
}
