// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A struct is declared as an entity.
// expect: '@Managed' is for classes and 'Tag' is not one; write 'final class Tag: ManagedObject'

import Perennial

@Managed struct Tag {
  var name: String
}
