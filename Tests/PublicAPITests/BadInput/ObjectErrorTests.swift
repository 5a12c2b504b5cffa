// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Objects, identities and contexts used where they do not belong, over both stores.
@Suite("Bad objects")
struct ObjectErrorTests {
  @Test(arguments: StoreKind.allCases)
  func `an object of another context is refused by the next save`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let (here, there) = (
      store.container.newBackgroundContext(), store.container.newBackgroundContext()
    )
    (here.name, there.name) = ("here", "there")
    let commit = try #require(try here.first(Commit.filter("sha == 'sha0'")))
    let author = try #require(try there.first(Author.filter("name == 'Joe Groff'")))
    commit.author = author
    #expect(commit.author?.name == "Ada")
    let error = try failure { try here.save() }
    #expect(error.code == .foreignObject)
    #expect(error.message.contains("there"))
    #expect(error.message.contains("here"))

    commit.author = try here.object(Author.self, with: author.objectID)
    try here.save()
    #expect(commit.author?.name == "Joe Groff")

    here.delete(author)
    #expect(try failure { _ = try here.fetch(Commit.all) }.code == .foreignObject)
    #expect(try here.count(for: Author.all) == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `a deleted object is refused by the next save`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()
    let author = try #require(try context.first(Author.filter("name == 'Ada'")))
    let commit = try #require(try context.first(Commit.filter("sha == 'sha2'")))
    context.delete(author)
    commit.author = author
    let error = try failure { try context.save() }
    #expect(error.code == .objectGone)
    #expect(error.property == "author")
    try context.save()
    #expect(try context.count(for: Author.all) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func
    `an object whose deletion is saved is refused as deleted, and one of before a reset as without a context`(
      _ kind: StoreKind
    ) async throws
  {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()
    let author = try #require(try context.first(Author.filter("name == 'Ada'")))
    let commit = try #require(try context.first(Commit.filter("sha == 'sha2'")))
    context.delete(author)
    try context.save()
    commit.author = author
    let gone = try failure { try context.save() }
    #expect(gone.code == .objectGone)
    #expect(gone.entity == "Author")
    #expect(gone.recovery == "fetch or insert another")

    let former = Author(context: context)
    context.reset()
    let read = try #require(try context.first(Commit.filter("sha == 'sha2'")))
    read.author = former
    let foreign = try failure { try context.save() }
    #expect(foreign.code == .foreignObject)
    #expect(foreign.message.contains("whose context was reset or is gone"))
    #expect(foreign.recovery == "insert a new one")
  }

  @Test(arguments: StoreKind.allCases)
  func `an identity without a row is an error, and a fault without one reads as empty`(
    _ kind: StoreKind
  ) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let reader = store.container.newBackgroundContext()
    let commit = try #require(try reader.first(Commit.filter("sha == 'sha0'")))
    let author = try #require(commit.author)
    #expect(author.isFault)
    let id = author.objectID

    let writer = store.container.newBackgroundContext()
    writer.delete(try writer.object(Author.self, with: id))
    try writer.save()

    #expect(author.name.isEmpty)
    #expect(reader.lastFaultError?.code == .objectGone)
    #expect(try failure { _ = try reader.existingObject(with: id) }.code == .objectGone)
    author.name = "Nobody"
    #expect(author.name.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `an identity of another store is not found`(_ kind: StoreKind) async throws {
    let (first, second) = (try TourStore(kind), try TourStore(kind))
    try await first.addCommits()
    try await second.addCommits()
    let context = first.container.newBackgroundContext()
    let id = try #require(try context.first(Commit.all)).objectID
    let other = second.container.newBackgroundContext()
    #expect(try failure { _ = try other.existingObject(with: id) }.code == .objectGone)
    #expect(other.registeredObject(for: id) == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `wrong entities are named`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Animals",
      entities: Puppy.self,
      Department.self,
      Member.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    let abstract = try failure { _ = try context.insert(entityNamed: "Animal") }
    #expect(abstract.code == .invalidModel)
    #expect(abstract.message == "'Animal' is abstract and has no objects of its own.")

    let unknown = try failure { _ = try context.insert(entityNamed: "Pupy") }
    #expect(unknown.code == .unknownName)
    #expect(unknown.message == "The model has no entity 'Pupy'.")
    #expect(unknown.recovery == "did you mean 'Puppy'?")

    let request = FetchRequest<Department>(entityName: "Member")
    #expect(try failure { _ = try context.fetch(request) }.code == .typeMismatch)

    let dog = Dog(context: context)
    dog.name = "Rex"
    try context.save()
    let id = dog.objectID
    #expect(try failure { _ = try context.object(Member.self, with: id) }.code == .typeMismatch)
    #expect(try failure { _ = try context.object(Puppy.self, with: id) }.code == .typeMismatch)
    #expect(try context.object(Animal.self, with: id) === dog)
  }

  @Test(arguments: StoreKind.allCases)
  func `an object whose context is gone is readable and frozen`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let (commit, author) = try Self.orphans(of: store.container)

    #expect(commit.managedObjectContext == nil)
    #expect(commit.sha == "sha0")
    #expect(commit.author == nil)
    commit.message = "Changed"
    #expect(commit.message == "Begin")
    #expect(!commit.hasChanges)
    #expect(!commit.isFault)
    #expect(author.name.isEmpty)
    #expect(author.commits.isEmpty)
    author.commits.insert(commit)
    #expect(author.commits.count == 0)
    let other = store.container.newBackgroundContext()
    other.delete(commit)
    #expect(try other.count(for: Commit.all) == 3)
  }

  /// A commit and its author, a fault, whose context is gone.
  private static func orphans(of container: PersistentContainer) throws -> (Commit, Author) {
    let context = container.newBackgroundContext()
    let commit = try context.object(
      Commit.self,
      with: try #require(try context.first(Commit.filter("sha == 'sha0'"))).objectID
    )
    return (commit, try #require(commit.author))
  }

  @Test func `a class that is not in the container ends the program with a sentence`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let container = try PersistentContainer.inMemory(Ticket.self)
      _ = Album(context: container.newBackgroundContext())
    }
    expect("The class Album belongs to no entity", result)
  }

  @Test func `1L.1 wrong uses are told where they happen, before there is a store, too`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("PERENNIAL_CONCURRENCY_DEBUG", "1", 1)
      let stores = try PersistentStoreCoordinator(entities: Commit.self, Author.self)
      let container = PersistentContainer(name: "Project", coordinator: stores)
      let here = container.newBackgroundContext()
      let there = container.newBackgroundContext()
      Commit(context: here).author = Author(context: there)
      withExtendedLifetime((here, there)) {}
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Perennial: concurrency: "), "\(text.prefix(300))")
  }

  /// What a trap says; without the compiler's checks it says nothing.
  private func expect(_ words: String, _ result: ExitTest.Result?) {
    #if DEBUG
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(words), "\(text.prefix(300))")
    #endif
  }

  @Test func `a place beyond the end of a list stops the program`() async {
    let member = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let container = try PersistentContainer.inMemory(Ticket.self)
      let tickets = try container.newBackgroundContext().fetch(Ticket.all, batchSize: 2)
      _ = tickets[0]
    }
    expect("There is no object 0.", member)
    let id = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let container = try PersistentContainer.inMemory(Ticket.self)
      let tickets = try container.newBackgroundContext().fetch(Ticket.all, batchSize: 2)
      _ = tickets.objectID(at: 0)
    }
    expect("There is no object 0.", id)
  }
}
