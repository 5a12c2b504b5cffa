// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A format has a key that the objects of a to-many relationship lack.
// expect: error: value of type 'Commit' has no member 'massage'

import Perennial

func authors(of word: String) -> FetchPredicate {
  #FetchPredicate(Author.self, "name != '' AND ANY commits.massage CONTAINS[c] \(word)")
}
