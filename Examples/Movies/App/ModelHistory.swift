// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

/// The models that stores of earlier versions of the program have.
///
/// Such a store is migrated when it is opened: what has been added since is empty. No version has taken anything away.
enum ModelHistory {
  /// The first version did not know how popular movies are.
  static func version1() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "FamilyMember",
        uniqueness: [["name"]],
        indexes: [["name"]],
        properties: [
          .attribute("name", .string), .toMany("movies", "Movie", inverse: "familyMembers"),
        ]
      ),
      EntityDescription(
        "Movie",
        uniqueness: [["title"]],
        indexes: [["title"]],
        properties: [
          .attribute("title", .string),
          .toMany("familyMembers", "FamilyMember", inverse: "movies"),
        ]
      )
    )
  }
}
