// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// The model that every case is compiled with.

@Managed final class Commit: ManagedObject {
  @Unique var sha: String
  var message: String
  var date: Date
  var author: Author?
}

@Managed final class Author: ManagedObject {
  var name: String
  var commits: ToMany<Commit>
}
