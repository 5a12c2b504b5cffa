// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

@Suite struct `The snapshot of a managed class` {
  /// The expansion of a class with one property.
  private func expansion(_ access: String, _ member: String) -> String {
    Request.managedClass("@Managed \(access)class C: ManagedObject { \(member) }")
      .memberExpansion().source
  }

  @Test(arguments: [
    ("", "var a: Int", "  var a: Int"), ("", "public var a: Int", "  var a: Int"),
    ("", "package var a: Int", "  var a: Int"),
    ("public ", "public var a: Int", "  public var a: Int"),
    ("public ", "package var a: Int", "  package var a: Int"),
    ("public ", "internal var a: Int", "  var a: Int"), ("public ", "var a: Int", "  var a: Int"),
    ("open ", "open var a: Int", "  public var a: Int"),
    ("package ", "public var a: Int", "  package var a: Int"),
    ("package ", "var a: Int", "  var a: Int"),
    ("public ", "public private(set) var a: Int", "  public var a: Int"),
    ("", "private(set) var a: Int", "  var a: Int"),
    ("public ", "private var a: Int", "  private var a: Int"),
    ("", "fileprivate var a: Int", "  fileprivate var a: Int"),
  ])
  func `shows a property to those who see it in the class`(
    access: String,
    member: String,
    expected: String
  ) {
    let lines = expansion(access, member).split(separator: "\n").map(String.init)
    #expect(lines.contains(expected))
  }

  @Test func `fills itself when a member is private`() {
    let text = expansion("public ", "private var `in`: Int; public var b: C?")
    let expected = """
      public nonisolated struct Snapshot: Codable, Sendable, Identifiable {
        public var id: ManagedObjectID
        private var `in`: Int
        public var b: C._SnapshotValue?
        fileprivate init(_ object: C) {
          self.id = object.objectID
          self.`in` = object._snapshotValue(object.`in`)
          self.b = object._snapshotValue(object.b)
        }
      }
      public nonisolated func snapshot() -> Snapshot {
        Snapshot(self)
      }
      """
    #expect(text.hasSuffix(expected))
  }

  @Test(arguments: [
    ("Author?", "Author._SnapshotValue?"), ("Author!", "Author._SnapshotValue?"),
    ("Optional<Author>", "Author._SnapshotValue?"),
    ("Swift.Optional<App.Author>", "App.Author._SnapshotValue?"),
    ("Swift::Optional<Author>", "Author._SnapshotValue?"),
    ("App::Author?", "App::Author._SnapshotValue?"), ("`Type`?", "`Type`._SnapshotValue?"),
    ("Optional<String>", "Optional<String>"), ("String?", "String?"), ("[Author]?", "[Author]?"),
    ("OptionalThing<A>", "OptionalThing<A>"), ("Author", "Author"),
  ])
  func `lets the compiler tell classes from values behind every optional`(
    type: String,
    expected: String
  ) {
    #expect(expansion("", "var a: \(type)").contains("\n  var a: \(expected)\n"))
  }
}
