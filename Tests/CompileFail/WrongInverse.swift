// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The key path of an inverse names a property that its class lacks.
// expect: reference to member 'tags' cannot be resolved without a contextual type

import Perennial

@Managed final class Tag: ManagedObject {
  @Relationship(inverse: \Author.tags) var author: Author?
}
