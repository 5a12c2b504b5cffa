// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1D: inserting, changing, saving")
struct SavingTests {
  @Test(arguments: StoreKind.allCases)
  func `a saved object is read by another context`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    commit.sha = "abc"
    commit.message = "Fix é\(kind.nul)🙂"
    commit.date = Date(timeIntervalSinceReferenceDate: 1234.5)
    commit.kind = .merge
    commit.size = 2.5
    commit.place = Place(file: "a.swift", line: 7)
    try context.save()

    let reader = bench.context()
    let other = try #require(try reader.fetch(Commit.all).first)
    #expect(other.managedObjectContext === reader)
    #expect(other.sha == "abc")
    #expect(other.message == "Fix é\(kind.nul)🙂")
    #expect(other.date == Date(timeIntervalSinceReferenceDate: 1234.5))
    #expect(other.kind == .merge)
    #expect(other.size == 2.5)
    #expect(other.place == Place(file: "a.swift", line: 7))
    #expect(other.author == nil)
    #expect(other.url == "")
  }

  @Test(arguments: StoreKind.allCases)
  func `one object for a row and context`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    commit.sha = "abc"
    try context.save()
    #expect(try context.fetch(Commit.all).first === commit)
    let other = bench.context()
    let first = try #require(try other.fetch(Commit.all).first)
    #expect(try other.fetch(Commit.all).first === first)
    #expect(first !== commit)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.8 an ID taken before the save goes on resolving`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commits = (0..<3).map { number in
      let commit = Commit(context: context)
      commit.sha = "sha \(number)"
      return commit
    }
    let ids = commits.map(\.objectID)
    #expect(ids.allSatisfy { $0.isTemporaryID })
    try context.save()
    #expect(commits.allSatisfy { !$0.objectID.isTemporaryID })
    for (id, commit) in zip(ids, commits) {
      #expect(try context.object(Commit.self, with: id) === commit)
      #expect(try bench.context().object(Commit.self, with: id).sha == commit.sha)
      #expect(ManagedObjectID(uriRepresentation: id.uriRepresentation) == id)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a changed object writes what changed and keeps the rest`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    commit.sha = "abc"
    commit.message = "short"
    try context.save()
    #expect(!context.hasChanges)
    for length in [1, 10, 100, 10_000, 5, 0] {
      commit.message = String(repeating: "x", count: length)
      #expect(commit.hasChanges)
      #expect(commit.changedValues().keys.sorted() == ["message"])
      try context.save()
      let stored = try #require(try bench.context().fetch(Commit.all).first)
      #expect(stored.message.count == length)
      #expect(stored.sha == "abc")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `an equal value is no change`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    commit.sha = "abc"
    try context.save()
    commit.sha = "abc"
    commit.size = nil
    commit.author = nil
    #expect(!context.hasChanges)
    #expect(!commit.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 rollback restores changes, insertions and deletions`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let kept = Commit(context: context)
    kept.sha = "kept"
    let deleted = Commit(context: context)
    deleted.sha = "deleted"
    try context.save()
    kept.message = "changed"
    context.delete(deleted)
    let inserted = Commit(context: context)
    inserted.sha = "inserted"
    #expect(kept.committedValues()["message"] == .string(""))
    context.rollback()
    #expect(!context.hasChanges)
    #expect(kept.message == "")
    #expect(!deleted.isDeleted)
    #expect(inserted.managedObjectContext == nil)
    #expect(inserted.sha == "inserted")
    #expect(try context.count(for: Commit.all) == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `a required attribute without a value fails with 1570, several with 1560`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    #expect(code { try context.save() } == .missingMandatoryProperty)
    #expect(commit.isInserted)
    let author = Author(context: context)
    do {
      try context.save()
      Issue.record("the save should have failed")
    } catch {
      #expect(error.code == .multipleErrors)
      #expect(error.problems.map(\.property).sorted { $0 ?? "" < $1 ?? "" } == ["name", "sha"])
    }
    commit.sha = "abc"
    author.name = "Joe"
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `NaN and long decimals are validation errors`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    commit.sha = "abc"
    commit.size = .nan
    #expect(code { try context.save() } == .validation)
    commit.size = .infinity
    try context.save()
    let sum = EntityDescription("Sum", properties: [.attribute("value", .decimal, optional: true)])
    let sums = try Bench(kind, model: try ManagedObjectModel(sum), classes: [])
    let other = sums.context()
    let object = try other.insert(entityNamed: "Sum")
    try object.set(["value": Decimal(string: "1.234567890123456")])
    #expect(code { try other.save() } == .validation)
    try object.set(["value": Decimal(string: "1.23456789012345")])
    try other.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `a transient property is tracked but not stored`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    commit.sha = "abc"
    commit.scratch = 5
    try context.save()
    #expect(try bench.context().fetch(Commit.all).first?.scratch == 0)
    commit.scratch = 6
    #expect(context.hasChanges)
    try context.save()
    #expect(commit.scratch == 6)
  }

  @Test func `reading an object after its context is gone does not trap`() throws {
    let bench = try Bench(.inMemory)
    var context: ManagedObjectContext? = bench.context()
    let commit = try #require(context.map { Commit(context: $0) })
    commit.sha = "abc"
    try context?.save()
    var other: ManagedObjectContext? = bench.context()
    let loaded = try #require(try other?.fetch(Commit.all).first)
    let author = try #require(other.map { Author(context: $0) })
    loaded.author = author
    context = nil
    other = nil
    #expect(commit.sha == "abc")
    #expect(loaded.sha == "abc")
    #expect(loaded.author == nil)
    #expect(author.commits.count == 0)
    commit.message = "ignored"
    #expect(commit.message == "")
    #expect(commit.managedObjectContext == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `an object whose row is gone reads as empty`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let author = Author(context: context)
    author.name = "Joe"
    let commit = Commit(context: context)
    commit.sha = "abc"
    commit.author = author
    try context.save()
    let other = bench.context()
    let stale = try #require(try other.fetch(Commit.all).first)
    context.delete(author)
    try context.save()
    let gone = try #require(stale.author)
    #expect(gone.isFault)
    #expect(gone.name == "")
    #expect(other.lastFaultError?.code == .objectGone)
  }

  @Test(arguments: StoreKind.allCases)
  func `two contexts that change one row conflict with 133020`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let first = bench.context()
    let commit = Commit(context: first)
    commit.sha = "abc"
    commit.message = "Alice"
    try first.save()
    let second = bench.context()
    let other = try #require(try second.fetch(Commit.all).first)
    commit.message = "A"
    commit.url = "50"
    try first.save()
    other.message = "B"
    #expect(code { try second.save() } == .managedObjectMerge)
    #expect(other.message == "B")
    second.mergePolicy = .mergeByPropertyObjectTrump
    try second.save()
    #expect(other.message == "B")
    #expect(other.url == "50")
    let stored = try #require(try bench.context().fetch(Commit.all).first)
    #expect(stored.message == "B")
    #expect(stored.url == "50")
  }
}
