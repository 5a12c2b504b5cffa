// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The same without a mark: only the types tell that it is a relationship.
// expect: a to-one relationship must be optional; write

import Perennial

@Managed final class Tag: ManagedObject {
  var author: Author
}
