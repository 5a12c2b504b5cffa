// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A managed class does not inherit from ManagedObject.
// expect: class 'Tag' does not inherit from ManagedObject; write 'class Tag: ManagedObject'

import Perennial

@Managed final class Tag {
  var name: String
}
