// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A persistent property has a value, but no type.
// expect: 'name' needs a type; write 'var name: Type'

import Perennial

@Managed final class Tag: ManagedObject {
  var name = "unnamed"
}
