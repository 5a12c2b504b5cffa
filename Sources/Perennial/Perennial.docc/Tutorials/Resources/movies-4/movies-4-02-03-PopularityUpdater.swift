import Perennial

/// Saves what the server says, away from the main actor.
actor PopularityUpdater {
  private let context: ManagedObjectContext
  private let server = MovieServer()

  init(_ container: PersistentContainer) {
    context = container.newBackgroundContext()
  }

  /// Looks a movie up; one that the server does not know has the popularity 0.
  func update(_ id: ManagedObjectID) async throws {
    let title = try context.object(Movie.self, with: id).title
    let popularity = try await server.popularity(of: title)
    try context.persist {
      let movie = try context.object(Movie.self, with: id)
      movie.popularity = popularity ?? 0
    }
  }
}
