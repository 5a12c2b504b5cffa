// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

@Managed final class Author: ManagedObject {
  var email: String
  var name: String
  var commits: ToMany<Commit>
}

@Managed final class Commit: ManagedObject {
  var date: Date
  var message: String
  @Unique var sha: String
  var url: String
  var author: Author?
}
