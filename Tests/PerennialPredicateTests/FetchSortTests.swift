// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Sorting")
struct FetchSortTests {
  private static let values: [PropertyValue] = [
    .null, .double(-.infinity), .integer(-1), .boolean(false), .double(0.5), .boolean(true),
    .decimal(2), .integer(9_007_199_254_740_993), .double(.infinity),
    .date(Date(timeIntervalSinceReferenceDate: 1)), .string(""), .string("B"), .string("a"),
    .string("É"), .string("é"), .data(Data([1])), .data(Data([1, 0])),
  ]

  @Test
  func `values are ordered, nil first`() {
    let sort = FetchSort("key")
    #expect(Self.values.shuffled().sorted { sort.order($0, $1) < 0 } == Self.values)
    #expect(
      Self.values.shuffled().sorted { sort.reversed.order($0, $1) < 0 } == Self.values.reversed()
    )
  }

  @Test(arguments: FetchSort.Comparison.allCases)
  func `every order is total`(_ comparison: FetchSort.Comparison) {
    let sort = FetchSort("key", comparison: comparison)
    let values = Self.values + [.double(.nan), .uuid(UUID())]
    for a in values {
      for b in values {
        #expect(sort.order(a, b).signum() == -sort.order(b, a).signum())
        for c in values where sort.order(a, b) <= 0 && sort.order(b, c) <= 0 {
          #expect(sort.order(a, c) <= 0)
        }
      }
    }
  }

  @Test(
    arguments: [
      (.binary, ["B", "a", "a10", "a2", "É"]), (.caseInsensitive, ["a", "a10", "a2", "B", "É"]),
      (.localizedStandard, ["a", "a2", "a10", "B", "É"]),
    ] as [(FetchSort.Comparison, [String])]
  )
  func `strings are ordered as the comparison says`(
    _ comparison: FetchSort.Comparison,
    _ expected: [String]
  ) {
    let sort = FetchSort("key", comparison: comparison)
    let sorted = expected.map { PropertyValue.string($0) }.shuffled()
      .sorted { sort.order($0, $1) < 0 }
    #expect(sorted == expected.map { PropertyValue.string($0) })
  }

  @Test
  func `a key path has steps`() {
    #expect(FetchSort("author.name").steps == ["author", "name"])
  }
}
