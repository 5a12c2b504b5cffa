// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Testing

@testable import PerennialPredicate

@Suite("The word that was probably meant")
struct EditDistanceTests {
  @Test(
    arguments: [
      ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("ab", "b", 1), ("b", "ab", 1),
      ("abc", "abc", 0),
      ("kitten", "sitting", 3), ("mesage", "message", 1), ("ca", "ac", 1), ("flaw", "lawn", 2),
      ("abcd", "acbd", 1), ("xyz", "abc", 3),
    ]
  )
  func `letters are inserted, removed, replaced, or swapped with their neighbour`(
    _ first: String,
    _ second: String,
    _ distance: Int
  ) {
    #expect(Slips.count(from: Array(first.utf8), to: Array(second.utf8)) == distance)
    #expect(Slips.count(from: Array(second.utf8), to: Array(first.utf8)) == distance)
  }

  @Test(
    arguments: [
      ("mesage", "message"), ("MESSAGE", "message"), ("nmae", "name"), ("sa", "sha"), ("q", nil),
      ("sah", "sha"), ("authors", "author"), ("nothing", nil),
    ] as [(String, String?)]
  )
  func `the nearest candidate is suggested if it is near enough`(_ word: String, _ meant: String?) {
    #expect(
      EditDistance.suggestion(for: word, among: ["message", "name", "sha", "author"]) == meant
    )
  }
}
