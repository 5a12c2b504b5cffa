// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A to-one relationship is not optional, though a new object has no related one.
// expect: 'author' is empty in a new object; write 'Author?', and 'optional: false' to require it

import Perennial

@Managed final class Tag: ManagedObject {
  @Relationship(optional: false) var author: Author
}
