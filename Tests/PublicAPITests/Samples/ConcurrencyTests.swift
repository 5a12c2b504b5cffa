// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Saves ratings in an isolation of its own.
actor RatingUpdater {
  private let context: ManagedObjectContext

  init(_ container: PersistentContainer) {
    context = container.newBackgroundContext()
  }

  func setRating(_ rating: Double, for movie: ManagedObjectID) throws {
    try context.persist {
      try context.object(Movie.self, with: movie).popularity = rating
    }
  }
}

extension Commit {
  /// Requests are `Sendable`: one may be kept where everybody finds it.
  fileprivate static let lastBySha = Commit.sorted(by: \.sha, .reverse).limit(1)
}

/// The samples about isolation, over both stores.
@Suite("Concurrency samples")
struct ConcurrencyTests {
  @Test(arguments: StoreKind.allCases)
  func `an import in the background sends out identities`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    let container = store.container
    let log = (0..<10).map { LogEntry(sha: "sha\($0)", message: "Fix \($0)", date: .distantPast) }

    let ids = try await container.performBackgroundTask { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      let commits = try context.upsert(Commit.self, from: log, matching: \.sha, \.sha) {
        (commit, entry) in
        commit.message = entry.message
        commit.date = entry.date
      }
      try context.save()
      return commits.map(\.objectID)
    }

    #expect(ids.count == 10)
    let newest = try await container.performBackgroundTask { context in
      try context.first(Commit.sorted(by: \.sha, .reverse))?.snapshot()
    }
    #expect(newest?.sha == "sha9")
    #expect(newest?.author == nil)
    try await MainActor.run {
      let commit = try container.viewContext.object(Commit.self, with: ids[3])
      #expect(commit.message == "Fix 3")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a request that is kept is used on the main actor and in the background`(
    _ kind: StoreKind
  ) async throws {
    let store = try TourStore(kind)
    let container = store.container
    try await container.performBackgroundTask { context in
      for sha in ["a", "b"] { Commit(context: context).sha = sha }
      for commit in try context.fetch(Commit.all) { (commit.message, commit.date) = ("", .now) }
      try context.save()
      let shas = try context.fetch(Commit.lastBySha).map(\.sha)
      #expect(shas == ["b"])
    }
    let shas = try await MainActor.run {
      try container.viewContext.fetch(Commit.lastBySha).map(\.sha)
    }
    #expect(shas == ["b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a movie is saved now and rated later`(_ kind: StoreKind) async throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "MustC",
      entities: FamilyMember.self,
      Movie.self,
      store: kind.description(in: folder)
    )
    let updater = RatingUpdater(container)
    let id = try await Self.saveMovie(named: "Paddington & friends", in: container)
    try await updater.setRating(8.1, for: id)

    let rating = try await MainActor.run {
      try container.viewContext.first(Movie.filter("popularity > 8"))?.popularity
    }
    #expect(rating == 8.1)
  }

  @MainActor
  private static func saveMovie(
    named name: String,
    in container: PersistentContainer
  ) throws -> ManagedObjectID {
    let context = container.viewContext
    let movie = try context.persist {
      let member = FamilyMember(context: context)
      member.name = "Ida"
      let movie = Movie(context: context)
      movie.title = name
      member.movies.insert(movie)
      return movie
    }
    #expect(movie.familyMembers.map(\.name) == ["Ida"])
    return movie.objectID
  }

  @Test(arguments: StoreKind.allCases)
  func `a temporary identity finds the saved object in other contexts`(
    _ kind: StoreKind
  ) async throws {
    let store = try TourStore(kind)
    let writer = store.container.newBackgroundContext()
    let author = Author(context: writer)
    author.name = "Joe Groff"
    let id = author.objectID
    #expect(id.isTemporaryID)
    try writer.save()
    let reader = store.container.newBackgroundContext()
    #expect(try reader.object(Author.self, with: id).name == "Joe Groff")
    let url = author.objectID.uriRepresentation
    #expect(ManagedObjectID(uriRepresentation: url) == author.objectID)
  }

  @Test(arguments: StoreKind.allCases)
  func `the second of two changes of a row is a conflict`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let contexts = [store.container.newBackgroundContext(), store.container.newBackgroundContext()]
    let copies = try contexts.map { try #require(try $0.first(Commit.sorted(by: \.sha))) }
    copies[0].message = "Theirs"
    copies[1].url = URL(string: "https://example.com/1")
    try contexts[0].save()
    let error = try failure { try contexts[1].save() }
    #expect(error.code == .managedObjectMerge)
    #expect(error.objectID == copies[1].objectID)

    contexts[1].mergePolicy = .mergeByPropertyObjectTrump
    try contexts[1].save()
    #expect(copies[1].message == "Theirs")
    #expect(copies[1].url == URL(string: "https://example.com/1"))
  }
}
