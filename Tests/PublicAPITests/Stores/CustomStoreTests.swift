// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Stores that a program brings along.
@Suite("Samples: a store of one's own")
struct CustomStoreTests {
  @Test func `1I.6 a store keeps rows, and the library does the rest`() throws {
    let container = try PersistentContainer(
      name: "Shop",
      entities: Book.self,
      Writer.self,
      Shelf.self,
      Reader.self,
      store: .custom { NotebookStore() }
    )
    let context = container.newBackgroundContext()
    let writer = Writer(context: context)
    writer.name = "Ada"
    for (number, title) in ["Go", "Fix it"].enumerated() {
      let book = Book(context: context)
      book.title = title
      book.pages = number
      book.writer = writer
    }
    try context.save()

    let reader = container.newBackgroundContext()
    let found = try reader.fetch(Book.filter("writer.name == 'Ada'").sorted(by: \.title))
    #expect(found.map(\.title) == ["Fix it", "Go"])
    #expect(try reader.count(for: Book.filter("title CONTAINS[c] 'FIX'")) == 1)
  }

  /// A store that tells nothing but an error.
  private struct Closed: PersistentStore {
    let capabilities: StoreCapabilities = []
    let error: any Error

    func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? { throw error }
    func write(_ metadata: PersistentStoreMetadata) throws {}
    func fetch(_ request: StoreRequest) throws -> [StoreRow] { [] }
    func rows(of table: String, keys: [Int64]) throws -> [StoreRow] { [] }
    func members(
      of relationship: StoreRelationship,
      owners: [Int64]
    ) throws -> [Int64: [Int64]] { [:] }
    func reserveKeys(_ count: Int, of table: String) throws -> Int64 { 1 }
    func save(_ changes: StoreChanges) throws -> [StoreConflict] { [] }
  }

  private struct Broken: Error {}

  @Test(
    arguments: [
      (StoreProblem(.unreadable, "It is torn.", recovery: "mend it"), 134_080),
      (StoreProblem(.unwritable, "It is full.", recovery: "empty it"), 134_030),
      (StoreProblem(.locked, "It is in use.", recovery: "wait"), 134_090),
      (StoreProblem(.incompatible, "It is another.", recovery: "look"), 134_100),
      (Broken(), 134_080),
    ] as [(any Error, Int)]
  )
  func `what a store throws at opening, the program is told`(
    _ problem: any Error,
    _ code: Int
  ) throws {
    let error = try #require(throws: PerennialError.self) {
      _ = try PersistentContainer(
        name: "Closed",
        entities: Book.self,
        Writer.self,
        Shelf.self,
        Reader.self,
        store: .custom { Closed(error: problem) }
      )
    }
    #expect(error.code.rawValue == code)
    #expect(!error.recovery.isEmpty)
    if let problem = problem as? StoreProblem { #expect(error.message == problem.message) }
  }

  @Test func `a predicate becomes a condition that can be translated`() throws {
    let predicate: FetchPredicate = "age > 3 AND (name == 'Ada' OR NOT team.name IN {'Red', nil})"
    let expected = StoreCondition.and([
      .comparison(["age"], .greater, .integer(3), []),
      .or([
        .comparison(["name"], .equal, .string("Ada"), []),
        .not(.membership(["team", "name"], [.string("Red"), .null])),
      ]),
    ])
    #expect(try predicate.condition == expected)
    let other: FetchPredicate = "ANY tags.name == 'old'"
    #expect(try other.condition == .other("ANY tags.name == \"old\""))
  }
}
