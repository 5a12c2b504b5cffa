// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

@Suite struct `Names in the model` {
  private static let source = #"""
    @Managed(unique: ["hash", "self"], indexes: ["self", "owner"]) final class C: ManagedObject {
      @Unique @Indexed @Attribute(name: "hash") var hash_: String
      @Attribute(name: "self", renamedFrom: "me") var self_: String?
      @Indexed(.fullText) @Attribute(name: "description") var text: String
      @Relationship(name: "owner", inverse: "init") var owner_: C?
      @Relationship(name: "init") var init_: ToMany<C>
    }
    """#

  @Test func `stand in the description, in lists and in the table of key paths`() {
    let managed = Request.managedClass(Self.source)
    #expect(managed.diagnostics.isEmpty)
    let text = managed.memberExpansion().source
    #expect(text.contains(#".of("hash", String.self),"#))
    #expect(text.contains(#".of("self", (String?).self, renamedFrom: "me"),"#))
    #expect(text.contains(#".of("owner", (C?).self, inverse: "init"),"#))
    #expect(text.contains(#".of("init", ToMany<C>.self),"#))
    #expect(text.contains(#"uniqueness: [["hash"], ["hash", "self"]]"#))
    #expect(text.contains(#"indexes: [["hash"], ["self", "owner"]]"#))
    #expect(text.contains(#"fullText: ["description"]"#))
    #expect(text.contains(#"if keyPath == \C.hash_ { return "hash" }"#))
    #expect(text.contains("hash_: _snapshotValue(hash_)"))
  }

  @Test func `stand in the description of a composite type`() {
    let source = #"@Composite struct S { @Attribute(name: "hash") var hash_: Int }"#
    let text = CompositeExpansion(Request.text(source), type: "S").expansion(missing: nil).source
    #expect(text.contains(#".of("hash", Int.self),"#))
    #expect(text.contains(#"if keyPath == \S.hash_ { return "hash" }"#))
    #expect(text.contains("self.hash_ = elements.read()"))
  }

  @Test(arguments: [
    (
      "@Attribute(name: key) var a: Int", "key",
      "the name of 'a' in the model must be known here; write it as a plain string literal"
    ),
    (
      #"@Attribute(name: "a\(1)") var a: Int"#, #""a\(1)""#,
      "the name of 'a' in the model must be known here; write it as a plain string literal"
    ),
    (
      #"var a: Int; @Attribute(name: "a") var b: Int"#, #""a""#,
      "'a' is declared twice; rename one of them"
    ),
  ])
  func `are plain and different`(members: String, place: String, message: String) throws {
    let source = "@Managed class C: ManagedObject { \(members) }"
    let diagnostics = Request.managedClass(source).diagnostics
    let diagnostic = try #require(diagnostics.first)
    #expect(diagnostics.count == 1)
    #expect(diagnostic.message == message)
    #expect(Scanner(source).text(diagnostic.range) == place)
  }

  @Test func `a name of nil is that of the variable`() {
    let source = "@Managed class C: ManagedObject { @Attribute(name: nil) var a: Int }"
    let managed = Request.managedClass(source)
    #expect(managed.diagnostics.isEmpty)
    #expect(managed.memberExpansion().source.contains(#".of("a", Int.self)"#))
  }

  @Test func `a class may complete its description`() {
    let source = """
      @Managed class C: ManagedObject {
        var a: Int
        private static func completeEntity(_ entity: inout EntityDescription) {}
      }
      """
    let text = Request.managedClass(source).memberExpansion().source
    #expect(text.contains("static let marked = EntityDescription("))
    #expect(
      text.contains(
        """
            static let entity: EntityDescription = {
              var entity = marked
              C.completeEntity(&entity)
              return entity
            }()
        """
      )
    )
  }

  @Test func `a property called inout has a snapshot`() {
    let source = "@Managed class C: ManagedObject { var `inout`: Int; var `class`: Int }"
    let text = Request.managedClass(source).memberExpansion().source
    #expect(text.contains("`inout`: _snapshotValue(`inout`), class: _snapshotValue(`class`)"))
  }
}
