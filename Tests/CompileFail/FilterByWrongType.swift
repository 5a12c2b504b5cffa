// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A typed condition compares text with a number.
// expect: cannot convert value of type 'Int' to expected argument type 'PredicateValue<String>'

import Perennial

func fixes() -> FetchRequest<Commit> {
  Commit.filter { $0.message == 5 }
}
