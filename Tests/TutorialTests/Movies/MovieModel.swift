// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

// The model of the movies tutorial.

@Managed final class FamilyMember: ManagedObject {
  @Indexed var name: String
  var movies: ToMany<Movie>
}

@Managed final class Movie: ManagedObject {
  var title: String
  /// The attribute that the tutorial's second version adds.
  var popularity: Double?
  @Relationship(inverse: "movies") var familyMembers: ToMany<FamilyMember>
}
