// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

/// The models that stores of earlier versions of the program have.
///
/// Such a store is migrated when it is opened: what has been added since is empty. No version has taken anything away.
enum ModelHistory {
  /// The first version knew commits, and not who wrote them.
  static func version1() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Commit",
        uniqueness: [["sha"]],
        indexes: [["date"]],
        properties: [
          .attribute("sha", .string), .attribute("message", .string), .attribute("url", .string),
          .attribute("date", .date),
        ]
      ),
      EntityDescription(
        "DeletedCommit",
        uniqueness: [["sha"]],
        properties: [.attribute("sha", .string)]
      )
    )
  }
}
