// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A typed condition names a property that the entity lacks.
// expect: has no dynamic member 'mesage'

import Perennial

func fixes() -> FetchRequest<Commit> {
  Commit.filter { $0.mesage == "Fix" }
}
