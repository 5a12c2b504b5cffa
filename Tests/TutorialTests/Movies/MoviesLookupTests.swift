// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

/// The end of the movies tutorial: what the network says arrives in the list.
@Suite("The movies tutorial: looking up popularities")
@MainActor
struct MoviesLookupTests {
  /// The movies of the most popular first; those that nobody has looked up come last.
  private func makeScreen(_ app: MoviesApp) throws -> ListScreen<Movie> {
    let controller = FetchedResultsController(
      fetchRequest: Movie.sorted(by: \.popularity, .reverse).sorted(by: \.title),
      managedObjectContext: app.context
    )
    return try ListScreen(controller) { movie in
      "\(movie.title) \(movie.popularity.map { "\($0)" } ?? "…")"
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a movie without a popularity shows dots`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida")
    let screen = try makeScreen(app)
    let movie = try app.saveMovie(withName: "Up", for: app.member("Ida"))
    #expect(movie.popularity == nil)
    #expect(screen.texts == ["Up …"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a popularity that is saved in the background moves the movie by itself`(
    _ kind: StoreKind
  ) async throws {
    let app = try MoviesApp(kind, family: "Ida")
    let ida = try app.member("Ida")
    let server = MovieServer(popularities: ["Up": 8.25, "Brave": 6.5])
    let updater = PopularityUpdater(app.container)
    let ids = try ["Brave", "Cars", "Up"].map { try app.saveMovie(withName: $0, for: ida).objectID }
    let screen = try makeScreen(app)
    #expect(screen.texts == ["Brave …", "Cars …", "Up …"])

    try await screen.changed { Task { try await updater.update(ids[2], from: server) } }
    #expect(screen.takeReports() == ["begin", "move Up 8.25 0.2 0.0", "end"])
    #expect(screen.texts == ["Up 8.25", "Brave …", "Cars …"])

    try await screen.changed { Task { try await updater.update(ids[0], from: server) } }
    #expect(screen.takeReports() == ["begin", "update Brave 6.5 0.1 0.1", "end"])
    #expect(screen.texts == ["Up 8.25", "Brave 6.5", "Cars …"])

    // The server does not know this one: nothing changes.
    try await updater.update(ids[1], from: server)
    #expect(try app.context.object(Movie.self, with: ids[1]).popularity == nil)
    #expect(!app.context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `the object on the screen has the value that was saved in the background`(
    _ kind: StoreKind
  ) async throws {
    let app = try MoviesApp(kind, family: "Ida")
    let movie = try app.saveMovie(withName: "Up", for: app.member("Ida"))
    let screen = try makeScreen(app)
    let (id, container) = (movie.objectID, app.container)
    try await screen.changed {
      Task {
        try await container.performBackgroundTask { context in
          try context.persist { try context.object(Movie.self, with: id).popularity = 9 }
        }
      }
    }
    #expect(movie.popularity == 9)
    #expect(screen.texts == ["Up 9.0"])
  }
}
