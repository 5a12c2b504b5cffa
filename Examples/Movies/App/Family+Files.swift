// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import MoviesKit
import Perennial

extension Family {
  /// What is written into a file.
  func file() throws -> MovieFile {
    MovieFile(
      family: try context.fetch(Self.byName).map(\.name),
      movies: try context.fetch(Self.byTitle).map { MovieRow($0) }
    )
  }

  /// Adds what a file holds, in one save.
  ///
  /// - Returns: What is new.
  func add(_ file: MovieFile) throws -> FileSummary {
    context.mergePolicy = .mergeByPropertyObjectTrump
    return try context.persist {
      let names = Array(Set(file.family + file.movies.flatMap(\.members))).sorted()
      let members = try context.upsert(
        FamilyMember.self,
        from: names,
        matching: \.name,
        \.self
      ) { _, _ in }
      let membersByName = Dictionary(uniqueKeysWithValues: zip(names, members))
      let movies = try context.upsert(
        Movie.self,
        from: file.movies,
        matching: \.title,
        \.title
      ) { movie, row in
        if let popularity = row.popularity { movie.popularity = popularity }
        movie.familyMembers.formUnion(row.members.compactMap { membersByName[$0] })
      }
      return FileSummary(
        members: names.count,
        newMembers: members.count { $0.isInserted },
        movies: Set(movies).count,
        newMovies: Set(movies).count { $0.isInserted }
      )
    }
  }
}
