// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// An object of the view context is given to a function that may run elsewhere.
// expect: sending 'commit' risks causing data races

import Perennial

@concurrent func rename(_ commit: Commit) async {
  commit.message = "renamed"
}

@MainActor func renameElsewhere(_ commit: Commit) async {
  await rename(commit)
}
