// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

/// The app of the movies tutorial without its views.
@MainActor
final class MoviesApp {
  let container: PersistentContainer
  private let folder: TemporaryFolder

  init(_ kind: StoreKind, family: String...) throws {
    folder = try TemporaryFolder()
    container = try PersistentContainer(
      name: "FamilyMovies",
      entities: FamilyMember.self,
      Movie.self,
      store: kind.description(in: folder)
    )
    try context.persist { for name in family { FamilyMember(context: context).name = name } }
  }

  var context: ManagedObjectContext { container.viewContext }

  /// The tutorial's `saveFamilyMember(withName:)`.
  func saveFamilyMember(withName name: String) throws {
    try context.persist {
      let member = FamilyMember(context: context)
      member.name = name
    }
  }

  /// The tutorial's `saveMovie(withName:)`, in the list of a member.
  @discardableResult
  func saveMovie(withName title: String, for member: FamilyMember) throws -> Movie {
    try context.persist {
      let movie = Movie(context: context)
      movie.title = title
      member.movies.insert(movie)
      return movie
    }
  }

  func member(_ name: String) throws -> FamilyMember {
    try #require(try context.first(FamilyMember.filter("name == \(name)")))
  }

  /// The names of all members, sorted.
  func names(_ predicate: FetchPredicate? = nil) throws -> [String] {
    var request = FetchRequest<FamilyMember>(entityName: "FamilyMember")
    request.predicate = predicate
    request.sortDescriptors = [FetchSort("name", ascending: true)]
    return try context.fetch(request).map(\.name)
  }

  /// The tutorial's controller: the family by name.
  func makeFamilyController() -> FetchedResultsController<FamilyMember> {
    var request = FetchRequest<FamilyMember>(entityName: "FamilyMember")
    request.sortDescriptors = [FetchSort("name", ascending: true)]
    request.fetchBatchSize = 20
    return FetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: nil,
      cacheName: nil
    )
  }
}

/// The server that knows how popular movies are.
struct MovieServer: Sendable {
  let popularities: [String: Double]

  func popularity(ofMovieWithTitle title: String) async throws -> Double? { popularities[title] }
}

/// Saves what the server says, away from the main actor.
actor PopularityUpdater {
  private let context: ManagedObjectContext

  init(_ container: PersistentContainer) { context = container.newBackgroundContext() }

  func update(_ id: ManagedObjectID, from server: MovieServer) async throws {
    let title = try context.object(Movie.self, with: id).title
    guard let popularity = try await server.popularity(ofMovieWithTitle: title) else { return }
    try context.persist { try context.object(Movie.self, with: id).popularity = popularity }
  }
}
