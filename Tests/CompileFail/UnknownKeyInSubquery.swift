// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A condition on the objects of a subquery has a key that they lack.
// expect: error: value of type 'Author' has no member 'nam'

import Perennial

func authors() -> FetchPredicate {
  #FetchPredicate(Author.self, "SUBQUERY(commits, $c, $c.author.nam == 'a').@count > 2")
}
