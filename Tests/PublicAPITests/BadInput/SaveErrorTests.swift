// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Values and stores that a save or an opening refuses.
@Suite("Bad values and stores")
struct SaveErrorTests {
  private static let patterns: [(String, PerennialError.Pattern)] = [
    ("validation", PerennialError.validation), ("conflict", PerennialError.conflict),
    ("store", PerennialError.store), ("model", PerennialError.model),
    ("storeIncompatible", PerennialError.storeIncompatible), ("format", PerennialError.format),
  ]

  /// The families that an error belongs to.
  private static func families(of error: PerennialError) -> [String] {
    patterns.filter { $0.1 ~= error }.map(\.0)
  }

  @Test(arguments: StoreKind.allCases)
  func `every missing value is listed, and nothing is saved`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    let commit = Commit(context: context)
    commit.sha = "2f77f2fc"
    let error = try failure { try context.save() }
    #expect(error.code == .multipleErrors)
    #expect(error.problems.map(\.property) == ["message", "date"])
    #expect(error.problems.allSatisfy { $0.code == .missingMandatoryProperty })
    #expect(Self.families(of: error) == ["validation"])
    #expect(commit.isInserted)
    #expect(try store.container.newBackgroundContext().count(for: Commit.all) == 0)

    commit.message = "Fix"
    let single = try failure { try context.save() }
    #expect(single.message == "'Commit.date' has no value, but the model requires one.")
    #expect(
      single.recovery == "set 'date' before save(), make it optional, or give it a default"
    )
    commit.date = .now
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `a NaN is refused`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Movies",
      entities: Movie.self,
      FamilyMember.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    let movie = Movie(context: context)
    movie.title = "Zero by zero"
    movie.popularity = .nan
    let error = try failure { try context.save() }
    #expect(error.code == .validation)
    #expect(error.property == "popularity")
    movie.popularity = nil
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `a taken unique value is a conflict, and its text does not show the value`(
    _ kind: StoreKind
  ) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()
    let commit = Commit(context: context)
    (commit.sha, commit.message, commit.date) = ("sha1", "Private words", .now)
    let error = try failure { try context.persist { commit.url = URL(string: "a:b") } }
    #expect(error.code == .managedObjectConstraintMerge)
    #expect(Self.families(of: error) == ["conflict"])
    #expect(error.message == "Two objects of 'Commit' have the same 'sha', which is unique.")
    #expect(!error.description.contains("sha1"))
    #expect(!context.hasChanges)
    #expect(commit.managedObjectContext == nil)
  }

  @Test func `a model that is not valid says where`() throws {
    let error = try failure {
      _ = try ManagedObjectModel(
        EntityDescription(
          "Commit",
          uniqueness: [["shaa"]],
          properties: [
            .attribute("sha", .string), .toOne("author", "Autor"),
          ]
        ),
        EntityDescription("Author", properties: [])
      )
    }
    #expect(error.code == .invalidModel)
    #expect(Self.families(of: error) == ["model"])
    #expect(error.description.contains("'shaa'"))
    #expect(error.description.contains("'Autor'"))
  }

  @Test func `a class whose relationship leads out of the container is named`() throws {
    let error = try failure { _ = try PersistentContainer.inMemory(Commit.self) }
    #expect(error.code == .invalidModel)
    #expect(error.message.contains("'Commit.author'"))
    #expect(error.message.contains("'Author'"))
  }

  @Test func `a file that is no store is left as it is`() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "Notes.sqlite")
    let text = Data(String(repeating: "These are notes. ", count: 100).utf8)
    try text.write(to: file)
    let error = try failure {
      _ = try PersistentContainer(
        name: "Notes",
        entities: QuickStart.Commit.self,
        store: .sqlite(file)
      )
    }
    #expect(error.code == .persistentStoreOpen)
    #expect(Self.families(of: error) == ["store"])
    #expect(error.message == "'Notes.sqlite' is not a SQLite database.")
    #expect(try Data(contentsOf: file) == text)
  }

  @Test func `a store of another model is refused by name`() throws {
    let folder = try TemporaryFolder()
    var store = StoreKind.sqlite.description(in: folder)
    store.shouldMigrateStoreAutomatically = false
    _ = try PersistentContainer(name: "A", entities: QuickStart.Commit.self, store: store)
    let error = try failure {
      _ = try PersistentContainer(name: "A", entities: Commit.self, Author.self, store: store)
    }
    #expect(error.code == .incompatibleVersionHash)
    #expect(Self.families(of: error) == ["storeIncompatible"])
    #expect(error.message.contains("Commit.author: relationship added"))
    _ = try PersistentContainer(name: "A", entities: QuickStart.Commit.self, store: store)
  }

  @Test(arguments: StoreKind.allCases)
  func `a store that is only read refuses a save`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    var store = kind.description(in: folder)
    _ = try PersistentContainer(name: "A", entities: QuickStart.Commit.self, store: store)
    store.isReadOnly = true
    let container = try PersistentContainer(
      name: "A",
      entities: QuickStart.Commit.self,
      store: store
    )
    let context = container.newBackgroundContext()
    let commit = QuickStart.Commit(context: context)
    (commit.sha, commit.message, commit.date) = ("a", "b", .now)
    let error = try failure { try context.save() }
    #expect(error.code == .persistentStoreSave)
    #expect(error.recovery == "open it without 'isReadOnly'")
    #expect(commit.isInserted)
    let coordinator = container.persistentStoreCoordinator
    let opened = try #require(coordinator.persistentStores.first)
    var metadata = try coordinator.metadata(for: opened)
    metadata["note"] = .string("of somebody who only reads")
    let noting = try failure { try coordinator.setMetadata(metadata, for: opened) }
    #expect(noting.code == .persistentStoreSave)
    #expect(try coordinator.metadata(for: opened)["note"] == nil)
  }

  @Test(arguments: ["", "a/b", "/"])
  func `a name that is no file name is refused`(_ name: String) throws {
    let error = try failure {
      _ = try PersistentContainer(name: name, entities: QuickStart.Commit.self)
    }
    #expect(error.code == .persistentStoreOpen)
  }
}
