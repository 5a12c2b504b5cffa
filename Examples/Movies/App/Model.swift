// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Somebody in the family.
@Managed final class FamilyMember: ManagedObject {
  @Unique @Indexed var name: String
  /// The favourites; the inverse is `familyMembers`.
  var movies: ToMany<Movie>
}

/// A movie that somebody in the family likes.
///
/// The constraint settles two programs that add one movie at the same time.
@Managed final class Movie: ManagedObject {
  @Unique @Indexed var title: String
  /// Nil until it was looked up.
  var popularity: Double?
  @Relationship(inverse: \FamilyMember.movies) var familyMembers: ToMany<FamilyMember>
}
