// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// A format of several lines has a mistake behind an escape; the compiler points at its line.
// expect: MalformedFormatOfSeveralLines.swift:14:23: error: unexpected "=="

import Perennial

func fixes(of word: String) -> FetchPredicate {
  #FetchPredicate(
    Commit.self,
    #"""
    message == \#(word) \#
      OR sha \#u{3D}= == 'a'
    """#
  )
}
