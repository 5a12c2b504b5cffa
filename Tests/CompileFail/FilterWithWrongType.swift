// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A typed filter compares a text with a number.
// expect: cannot convert value of type 'Int' to expected argument type 'String'

import Perennial

func filtered() -> FetchRequest<Commit> {
  Commit.filter { $0.message == 3 }
}
