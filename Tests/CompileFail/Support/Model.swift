// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// The model that every case is compiled with, in either default isolation.

@Managed nonisolated final class Commit: ManagedObject {
  @Unique var sha: String
  var message: String
  var date: Date
  var author: Author?
}

@Managed nonisolated final class Author: ManagedObject {
  var name: String
  var commits: ToMany<Commit>
}
