// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Text made at run time is assigned as a predicate.
// expect: cannot assign value of type 'String' to type 'FetchPredicate'

import Perennial

func request(with text: String) -> FetchRequest<Commit> {
  var request = FetchRequest<Commit>()
  request.predicate = text
  return request
}
