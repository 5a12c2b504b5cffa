// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The same with a mark: the macro tells.
// expect: 'commits' is a to-many relationship; write 'ToMany<Commit>', or 'OrderedToMany<Commit>' for a list

import Perennial

@Managed final class Project: ManagedObject {
  @Relationship(deleteRule: .cascade) var commits: Set<Commit>?
}
