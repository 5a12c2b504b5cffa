// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing

@testable import PerennialMacros

@Suite struct `The members of a managed class` {
  @Test func `are described property by property`() {
    let source = #"""
      @Managed
      final class Commit: ManagedObject {
        @Unique var sha: String
        @Attribute(renamedFrom: "msg") var message: String
        var kind: Kind = .normal
        @Indexed @Indexed(.fullText) var note: String?
        @Transient var scratch: Int = 0
        @Relationship(inverse: \Author.commits, optional: false) var author: Author?
        var reviewer: Author?
        @Relationship(deleteRule: .cascade, maximumCount: 5) var parents: ToMany<Commit>
        let constant = 5
        var isMerge: Bool { kind == .merge }
        static var shared: Int { 3 }
      }
      """#
    let expected = #"""
      nonisolated override class var slotCount: Int { 7 }
      nonisolated override class var toManyCount: Int { 1 }
      nonisolated override class var entityName: String { "Commit" }
      nonisolated override class var entity: EntityDescription {
        enum _EntityStorage {
          static let entity = EntityDescription(
            managing: Commit.self, named: "Commit", superclass: ManagedObject.self, isAbstract: false,
            renamedFrom: nil, uniqueness: [["sha"]], indexes: [["note"]], fullText: ["note"],
            properties: [
              .of("sha", String.self),
              .of("message", String.self, renamedFrom: "msg"),
              .of("kind", Kind.self, default: .normal),
              .of("note", (String?).self),
              .of("scratch", Int.self, default: 0, isTransient: true),
              .of("author", (Author?).self, inverse: "commits", isOptional: false),
              .of("reviewer", (Author?).self),
              .of("parents", ToMany<Commit>.self, deleteRule: .cascade, maximumCount: 5),
            ])
          static func checkInverses() {
            _ = \Author.commits
          }
        }
        return _EntityStorage.entity
      }
      nonisolated override class func propertyName(for keyPath: AnyKeyPath) -> String? {
        if keyPath == \Commit.sha { return "sha" }
        if keyPath == \Commit.message { return "message" }
        if keyPath == \Commit.kind { return "kind" }
        if keyPath == \Commit.note { return "note" }
        if keyPath == \Commit.scratch { return "scratch" }
        if keyPath == \Commit.author { return "author" }
        if keyPath == \Commit.reviewer { return "reviewer" }
        if keyPath == \Commit.parents { return "parents" }
        return super.propertyName(for: keyPath)
      }
      private static func `in a target with default MainActor isolation, write nonisolated before class`() {}
      private nonisolated static func _checkIsolation() {
        `in a target with default MainActor isolation, write nonisolated before class`()
      }
      nonisolated struct Snapshot: Codable, Sendable, Identifiable {
        var id: ManagedObjectID
        var sha: String
        var message: String
        var kind: Kind
        var note: String?
        var author: ManagedObjectID?
        var reviewer: Author._SnapshotValue?
      }
      nonisolated func snapshot() -> Snapshot {
        Snapshot(id: objectID, sha: _snapshotValue(sha), message: _snapshotValue(message), kind: _snapshotValue(kind), note: _snapshotValue(note), author: _snapshotValue(author), reviewer: _snapshotValue(reviewer))
      }
      """#
    #expect(Request.managedClass(source).memberExpansion() == Expansion(source: expected))
  }

  @Test func `of a subclass continue the numbers of its superclass`() {
    let source = """
      @Managed("Staff", unique: ["name", "badge"], ["phone"], isAbstract: true, renamedFrom: "Old")
      public class Employee: Person {
        public var badge: Int
        public var phone: String?
        public var reports: ToMany<Employee>
      }
      """
    let expected = #"""
      public nonisolated override class var slotCount: Int { Person.slotCount + 2 }
      public nonisolated override class var toManyCount: Int { Person.toManyCount + 1 }
      public nonisolated override class var entityName: String { "Staff" }
      public nonisolated override class var entity: EntityDescription {
        enum _EntityStorage {
          static let entity = EntityDescription(
            managing: Employee.self, named: "Staff", superclass: Person.self, isAbstract: true,
            renamedFrom: "Old", uniqueness: [["name", "badge"], ["phone"]], indexes: [],
            properties: [
              .of("badge", Int.self),
              .of("phone", (String?).self),
              .of("reports", ToMany<Employee>.self),
            ])
        }
        return _EntityStorage.entity
      }
      public nonisolated override class func propertyName(for keyPath: AnyKeyPath) -> String? {
        func name<_Root: Employee & ManagedEntity>(_ root: _Root.Type) -> String? {
          if keyPath == \_Root.badge { return "badge" }
          if keyPath == \_Root.phone { return "phone" }
          if keyPath == \_Root.reports { return "reports" }
          return nil
        }
        let type: ManagedObject.Type = self
        return (type as? any (Employee & ManagedEntity).Type).flatMap { name($0) } ?? super.propertyName(for: keyPath)
      }
      private static func `in a target with default MainActor isolation, write nonisolated before class`() {}
      private nonisolated static func _checkIsolation() {
        `in a target with default MainActor isolation, write nonisolated before class`()
      }
      """#
    #expect(Request.managedClass(source).memberExpansion() == Expansion(source: expected))
  }

  @Test func `of an empty class describe no properties`() {
    let source = Request.managedClass("@Managed class Empty: ManagedObject {}").memberExpansion()
      .source
    #expect(source.contains("override class var slotCount: Int { 0 }"))
    #expect(source.contains("properties: [])"))
    #expect(source.contains("{\n  super.propertyName(for: keyPath)\n}"))
  }

  @Test func `of an open class are open where subclasses override them`() {
    let source = """
      @Managed open class Person: ManagedObject {
        open var name: String
        override func validateValue(_ value: (any Sendable)?, forKey key: String) throws {}
      }
      """
    let text = Request.managedClass(source).memberExpansion().source
    let lines = text.split(separator: "\n").filter { $0.contains(" override ") }
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { $0.hasPrefix("open nonisolated override class ") })
    #expect(text.contains("public nonisolated struct Snapshot"))
    #expect(text.contains("public nonisolated func snapshot()"))
    let empty = Request.managedClass("@Managed open class Empty: ManagedObject {}")
    let table = "open nonisolated override class func propertyName("
    #expect(empty.memberExpansion().source.contains(table))
  }

  @Test func `leave out the snapshot when the class declares one`() {
    let source = "@Managed class A: ManagedObject { struct Snapshot {}; var name: String }"
    #expect(!Request.managedClass(source).memberExpansion().source.contains("snapshot"))
  }
}
