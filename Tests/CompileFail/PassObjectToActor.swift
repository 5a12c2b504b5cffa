// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// An object of the view context is passed to an actor.
// expect: sending 'commit' risks causing data races

import Perennial

actor Rater {
  func rate(_ commit: Commit) {
    commit.message = "rated"
  }
}

@MainActor func rate(_ commit: Commit, with rater: Rater) async {
  await rater.rate(commit)
}
