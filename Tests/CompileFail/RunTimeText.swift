// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Text made at run time, an interpolated variable, is used as a predicate.
// expect: no exact matches in call to static method 'filter'

import Perennial

func filtered(by word: String) -> FetchRequest<Commit> {
  let text = "message CONTAINS[c] \(word)"
  return Commit.filter(text)
}
