// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// A list of movies in an isolation of its own, kept up to date by merging.
actor MovieShelf {
  private let container: PersistentContainer
  private var context: ManagedObjectContext?
  private var movies: [Movie] = []

  init(_ container: PersistentContainer) { self.container = container }

  /// Loads the movies into a context that belongs to this actor.
  func load() throws {
    let context = container.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    self.context = context
    movies = try context.fetch(Movie.sorted(by: \.title))
  }

  /// The titles as they are in memory: nothing is fetched, nothing is drained.
  var titles: [String] { movies.filter { !$0.isDeleted }.map(\.title) }

  func rename(_ title: String, to new: String, saving: Bool = true) throws {
    movies.first { $0.title == title }?.title = new
    if saving { try context?.save() }
  }

  func rate(_ rating: Double, _ title: String) throws {
    movies.first { $0.title == title }?.popularity = rating
    try context?.save()
  }

  func rating(of title: String) -> Double? { movies.first { $0.title == title }?.popularity }

  func delete(_ title: String) throws {
    for movie in movies where movie.title == title { context?.delete(movie) }
    try context?.save()
  }

  func save() throws { try context?.save() }
}

/// A movie in a context that the actor's initialiser has made.
actor MovieFollower {
  private let context: ManagedObjectContext
  private var movie: Movie?

  init(_ container: PersistentContainer) { context = container.newBackgroundContext() }

  func follow(_ title: String) throws {
    context.mergeAutomatically()
    movie = try context.first(Movie.filter("title == \(title)"))
  }

  var title: String? { movie?.title }
}

/// Waits until something holds, giving way to others.
private func eventually(
  _ condition: () async throws -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) async rethrows {
  let end = ContinuousClock.now + .seconds(600)
  while try await !condition() {
    guard ContinuousClock.now < end else {
      Issue.record("it has not happened within 30 s", sourceLocation: sourceLocation)
      return
    }
    await Task.yield()
  }
}

/// Merging between isolations, with what a user can write: nothing unsafe.
@Suite("SEMANTICS 1D.1, 1D.11: merging between actors")
struct ActorMergingTests {
  private static func container(_ kind: StoreKind, _ folder: TemporaryFolder) async throws
    -> PersistentContainer
  {
    let container = try PersistentContainer(
      name: "MustC",
      entities: FamilyMember.self,
      Movie.self,
      store: kind.description(in: folder)
    )
    try await container.performBackgroundTask { context in
      for title in ["Alien", "Brazil", "Casablanca"] { Movie(context: context).title = title }
      try context.save()
    }
    return container
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a save in one actor is merged in another, which nobody asks to`(
    _ kind: StoreKind
  ) async throws {
    let folder = try TemporaryFolder()
    let container = try await Self.container(kind, folder)
    let (here, there) = (MovieShelf(container), MovieShelf(container))
    try await here.load()
    try await there.load()
    try await there.rename("Brazil", to: "Brazil 1985")
    await eventually { await here.titles == ["Alien", "Brazil 1985", "Casablanca"] }
    try await here.delete("Alien")
    await eventually { await there.titles == ["Brazil 1985", "Casablanca"] }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 an actor's pending edit stays on top of what another actor saves`(
    _ kind: StoreKind
  ) async throws {
    let folder = try TemporaryFolder()
    let container = try await Self.container(kind, folder)
    let (here, there) = (MovieShelf(container), MovieShelf(container))
    try await here.load()
    try await there.load()
    try await here.rename("Alien", to: "Alien 1979", saving: false)
    try await there.rate(8.5, "Alien")
    await eventually { await here.rating(of: "Alien 1979") == 8.5 }
    try await here.save()
    await eventually { await there.titles.contains("Alien 1979") }
    #expect(await there.rating(of: "Alien 1979") == 8.5)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a context made by an initialiser learns its actor later`(
    _ kind: StoreKind
  ) async throws {
    let folder = try TemporaryFolder()
    let container = try await Self.container(kind, folder)
    let (follower, shelf) = (MovieFollower(container), MovieShelf(container))
    try await follower.follow("Brazil")
    try await shelf.load()
    try await shelf.rename("Brazil", to: "Brazil 1985")
    await eventually { await follower.title == "Brazil 1985" }
  }

  @Test(arguments: StoreKind.allCases)
  @MainActor
  func `1D.11 the view context shows what a background task saves`(_ kind: StoreKind) async throws {
    let folder = try TemporaryFolder()
    let container = try await Self.container(kind, folder)
    #expect(container.viewContext.automaticallyMergesChangesFromParent)
    let movies = try container.viewContext.fetch(Movie.sorted(by: \.title))
    #expect(movies.map(\.title) == ["Alien", "Brazil", "Casablanca"])
    let id = movies[1].objectID
    try await container.performBackgroundTask { context in
      try context.object(Movie.self, with: id).title = "Brazil 1985"
      try context.save()
    }
    await eventually { movies[1].title == "Brazil 1985" }
    #expect(!container.viewContext.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.1 an actor and its context are freed, with mail on the way`(
    _ kind: StoreKind
  ) async throws {
    let folder = try TemporaryFolder()
    let container = try await Self.container(kind, folder)
    weak var gone: MovieShelf?
    do {
      let shelf = MovieShelf(container)
      try await shelf.load()
      gone = shelf
      for number in 0..<50 {
        try await container.performBackgroundTask { context in
          Movie(context: context).title = "Sequel \(number)"
          try context.save()
        }
      }
    }
    await eventually { gone == nil }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.1 contexts outlive their container`(_ kind: StoreKind) async throws {
    let folder = try TemporaryFolder()
    let contexts: [ManagedObjectContext]
    do {
      let container = try await Self.container(kind, folder)
      contexts = [
        container.newBackgroundContext(isolation: nil),
        container.newBackgroundContext(isolation: nil),
      ]
      for context in contexts { context.automaticallyMergesChangesFromParent = true }
    }
    let movie = try #require(try contexts[0].first(Movie.sorted(by: \.title)))
    let twin = try contexts[1].object(Movie.self, with: movie.objectID)
    movie.title = "Aliens"
    try contexts[0].save()
    try contexts[1].processPendingChanges()
    #expect(twin.title == "Aliens")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a stream of saves lets a context merge by hand`(_ kind: StoreKind) async throws {
    let folder = try TemporaryFolder()
    let container = try await Self.container(kind, folder)
    let context = container.newBackgroundContext()
    let movie = try #require(try context.first(Movie.sorted(by: \.title)))
    let id = movie.objectID
    var saves = container.saves.makeAsyncIterator()
    for (number, author) in ["importer", "user"].enumerated() {
      try await container.performBackgroundTask { context in
        context.transactionAuthor = author
        try context.object(Movie.self, with: id).title = "Title \(number)"
        try context.save()
      }
    }
    let first = try #require(await saves.next())
    #expect(first.author == "importer")
    #expect(first.objects == ObjectChanges(updated: [id]))
    context.mergeChanges(fromContextDidSave: first)
    #expect(movie.title == "Title 0")
    let second = try #require(await saves.next())
    #expect(second.number == first.number + 1)
    context.mergeChanges(fromContextDidSave: second)
    #expect(movie.title == "Title 1")
  }
}
