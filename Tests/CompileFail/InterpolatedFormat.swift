// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Text made at run time is spliced into a format string.
// expect: cannot convert value of type 'String' to expected argument type 'StaticString'

import Perennial

func spliced(_ word: String) -> FetchRequest<Commit> {
  Commit.all.filter(format: "message CONTAINS[c] '\(word)'")
}
