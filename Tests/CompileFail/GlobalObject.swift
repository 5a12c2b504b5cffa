// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// An object is kept in a global variable that any thread may change.
// expect: global shared mutable state

import Perennial

var selectedCommit: Commit?
