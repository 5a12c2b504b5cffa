// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// The model of the README's tour.

@Managed final class Commit: ManagedObject {
  @Unique var sha: String
  var message: String
  var url: URL?
  @Indexed var date: Date
  var author: Author?
}

@Managed final class Author: ManagedObject {
  @Indexed var name: String
  var email: String = ""
  @Relationship(deleteRule: .cascade) var commits: ToMany<Commit>
}

/// One entry of a log, as an import reads it.
struct LogEntry: Sendable {
  var sha: String
  var message: String
  var date: Date
}
