// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A format has a key that the class lacks.
// expect: error: value of type 'Commit' has no member 'massage'

import Perennial

func fixes(of word: String) -> FetchPredicate {
  #FetchPredicate(Commit.self, "massage CONTAINS[c] \(word)")
}
