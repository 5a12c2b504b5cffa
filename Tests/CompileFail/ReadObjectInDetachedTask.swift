// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// An object of the view context is read by a detached task.
// expect: passing closure as a 'sending' parameter risks causing data races

import Perennial

@MainActor func printLater(_ commit: Commit) {
  Task.detached {
    print(commit.message)
  }
}
