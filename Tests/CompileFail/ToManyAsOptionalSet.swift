// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A to-many relationship is written as a set that may be missing.
// expect: a to-many relationship is written ToMany<Type>, or OrderedToMany<Type> for a list

import Perennial

@Managed final class Project: ManagedObject {
  var commits: Set<Commit>?
}
