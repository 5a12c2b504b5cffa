// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A class is made a composite attribute.
// expect: '@Composite' is for structs and 'Address' is not one; write 'struct Address'

import Perennial

@Composite final class Address {
  var city: String?
}
