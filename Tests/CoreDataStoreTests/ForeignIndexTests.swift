// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelCache
import Testing

@testable import PerennialSQLite

@Suite("Indexes that somebody else has added")
struct ForeignIndexTests {
  @Test func `a save that a unique index refuses says so, and stays pending`() throws {
    let copy = try StoreFolder(.named("coredataplus-sample2-v2"))
    do { try copy.connect().execute("CREATE UNIQUE INDEX MINE ON ZPAGE (ZBOOK, ZNUMBER)") }
    let model = try ManagedObjectModel(cachedIn: copy.store)
    let container = try PersistentContainer(name: "Books", model: model, store: .sqlite(copy.store))
    let context = container.newBackgroundContext()
    let book = try #require(
      try context.first(FetchRequest<ManagedObject>(entityName: "Book"))
    )
    let pages = try (1...2).map { _ in
      let page = try context.insert(entityNamed: "Page")
      try page.setValue(9_001, forKey: "number")
      try page.setValue(Data([1]), forKey: "content")
      try page.setObject(book, forKey: "book")
      return page
    }
    let error = try #require(throws: PerennialError.self) { try context.save() }
    #expect(error.code == .managedObjectConstraintMerge)
    #expect(error.conflicts.isEmpty && error.underlying is SQLiteFailure)
    #expect(error.message.hasPrefix("Two rows of one save have the same values"))
    #expect(pages.filter(\.isInserted).count == 2)
    try pages[1].setValue(9_002, forKey: "number")
    try context.save()
    #expect(!context.hasChanges)
  }
}
