// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The key path of a sort names a property that the entity lacks.
// expect: value of type 'Commit' has no member 'dat'

import Perennial

func sorted() -> FetchRequest<Commit> {
  Commit.sorted(by: \.dat)
}
