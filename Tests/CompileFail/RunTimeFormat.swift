// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Text made at run time is given as a format.
// expect: cannot convert value of type 'String' to expected argument type 'StaticString'

import Perennial

func made(at text: String) -> FetchPredicate {
  FetchPredicate(format: text)
}
