// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The model's rules look at standard types.
// expect: rules hold for attributes of standard types; check this one in 'validateValue(_:forKey:)'

import Perennial

enum State: String, Codable {
  case open
  case closed
}

@Managed final class Tag: ManagedObject {
  @Attribute(validation: ["SELF != 'closed'"]) var state: State = .open
}
