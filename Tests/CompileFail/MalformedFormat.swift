// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A format has a mistake; the compiler points at it.
// expect: MalformedFormat.swift:10:55: error: unknown operator "CONTAIN", did you mean CONTAINS?

import Perennial

func fixes(of word: String) -> FetchPredicate {
  #FetchPredicate(Commit.self, "sha != '' AND message CONTAIN[c] \(word)")
}
