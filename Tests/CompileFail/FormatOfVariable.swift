// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The macro is given a predicate that is made at run time.
// expect: error: only a string literal can be checked at compile time

import Perennial

func checked(_ predicate: FetchPredicate) -> FetchPredicate {
  #FetchPredicate(Commit.self, predicate)
}
