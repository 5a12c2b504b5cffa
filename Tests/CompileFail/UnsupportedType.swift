// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A type that no store can keep is the type of an attribute.
// expect: this type cannot be an attribute

import Perennial

final class Colour {}

@Managed final class Tag: ManagedObject {
  var colour: Colour?
}
