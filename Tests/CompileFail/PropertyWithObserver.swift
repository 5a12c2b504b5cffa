// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A persistent property has an observer.
// expect: 'name' is persistent and cannot have observers

import Perennial

@Managed final class Tag: ManagedObject {
  var name: String {
    didSet { print(name) }
  }
}
