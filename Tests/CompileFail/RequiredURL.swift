// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A required attribute of a type without a zero has no default.
// expect: 'link' has no value in a new object, because 'URL' has no zero; write 'URL?' or give it a default

import Foundation
import Perennial

@Managed final class Tag: ManagedObject {
  var link: URL
}
