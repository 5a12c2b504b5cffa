// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

// The model of the movies tutorial: a many-to-many relationship whose inverse is named by a string.

@Managed final class FamilyMember: ManagedObject {
  var name: String
  var movies: ToMany<Movie>
}

@Managed final class Movie: ManagedObject {
  var title: String
  var popularity: Double?
  @Relationship(inverse: "movies") var familyMembers: ToMany<FamilyMember>
}
