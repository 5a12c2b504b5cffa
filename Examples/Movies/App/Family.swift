// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import MoviesKit
import Perennial

/// The family and its movies, in one context.
struct Family {
  /// A movie as it was saved.
  struct SavedMovie: Sendable {
    var id: ManagedObjectID
    var row: MovieRow
    /// Whether it was a favourite of the member before.
    var isKnown: Bool
  }

  let context: ManagedObjectContext

  /// All movies, by title; capitals do not matter.
  static var byTitle: FetchRequest<Movie> {
    Movie.all
      .sorted(by: FetchSort("title", comparison: .caseInsensitive))
      .sorted(by: \.title)
      .prefetching(\.familyMembers)
  }

  /// The whole family, by name; capitals do not matter.
  static var byName: FetchRequest<FamilyMember> {
    FamilyMember.all
      .sorted(by: FetchSort("name", comparison: .caseInsensitive))
      .sorted(by: \.name)
  }

  /// Adds a member, and saves.
  ///
  /// - Throws: ``CommandFailure`` when there is one of that name.
  func addMember(named name: String) throws {
    try context.persist {
      guard try member(named: name) == nil else {
        throw CommandFailure(
          "'\(name.escapedForTerminal)' is in the family already",
          advice: "Give another name, or see 'movies family list'."
        )
      }
      FamilyMember(context: context).name = name
    }
  }

  /// Adds a favourite of a member, and saves; a movie of that title is taken if there is one.
  ///
  /// - Throws: ``CommandFailure`` when there is no such member.
  func addMovie(titled title: String, for name: String) throws -> SavedMovie {
    context.mergePolicy = .mergeByPropertyObjectTrump
    let (movie, isKnown) = try context.persist {
      guard let member = try member(named: name) else { throw try noMember(named: name) }
      let known = try context.first(Movie.all.filter(format: "title == %@", title))
      let movie = known ?? Movie(context: context)
      if known == nil { movie.title = title }
      let isKnown = member.movies.contains(movie)
      if !isKnown { member.movies.insert(movie) }
      return (movie, isKnown)
    }
    return SavedMovie(id: movie.objectID, row: MovieRow(movie), isKnown: isKnown)
  }

  private func member(named name: String) throws -> FamilyMember? {
    try context.first(FamilyMember.all.filter(format: "name == %@", name))
  }

  private func noMember(named name: String) throws -> CommandFailure {
    let names = try context.fetch(Self.byName).map(\.name)
    let shown = name.escapedForTerminal
    let close = Suggestion.closest(to: name, in: names)
    return CommandFailure(
      "there is no '\(shown)' in the family",
      advice: close.map { "Did you mean '\($0.escapedForTerminal)'?" }
        ?? "Add the member first: movies family add '\(shown)'"
    )
  }
}

extension MovieRow {
  /// The row of a movie, for use outside its context.
  init(_ movie: Movie) {
    self.init(
      title: movie.title,
      popularity: movie.popularity,
      members: movie.familyMembers.map(\.name).sorted()
    )
  }
}
