// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Testing

@testable import PerennialGraph

@Suite("Results: changes as the standard library writes differences")
struct ResultsCollectionDifferenceTests {
  @Test func `69 an update is a removal and an insertion of one ID that name each other`() throws {
    let lists = try SampleLists()
    let change = lists.change([("", ["a", "b", "c"])], [("", ["b", "c"])], changed: ["c"])
    let c = lists.id("c")
    #expect(
      change.difference.removals == [
        .remove(offset: 0, element: lists.id("a"), associatedWith: nil),
        .remove(offset: 2, element: c, associatedWith: 1),
      ]
    )
    #expect(change.difference.insertions == [.insert(offset: 1, element: c, associatedWith: 2)])
  }

  @Test func `69 a move is a removal and an insertion of one ID that name each other`() throws {
    let lists = try SampleLists()
    let change = lists.change([("", ["a", "b", "c"])], [("", ["c", "a", "b"])], changed: ["c"])
    let c = lists.id("c")
    #expect(change.difference.removals == [.remove(offset: 2, element: c, associatedWith: 0)])
    #expect(change.difference.insertions == [.insert(offset: 0, element: c, associatedWith: 2)])
  }
}
