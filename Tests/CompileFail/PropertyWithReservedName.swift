// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A persistent property has a name that every managed object has already.
// expect: 'objectID' is a name that every managed object has already

import Perennial

@Managed final class Tag: ManagedObject {
  var objectID: String
}
