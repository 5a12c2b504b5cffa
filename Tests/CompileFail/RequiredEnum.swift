// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A required enum has no default.
// expect: make the property optional or give it a default

import Perennial

enum State: String {
  case open
  case closed
}

@Managed final class Tag: ManagedObject {
  var state: State
}
