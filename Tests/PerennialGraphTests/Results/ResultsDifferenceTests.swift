// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialGraph

@Suite("Results: differences that the scenarios do not show")
struct ResultsDifferenceTests {
  private let lists: SampleLists

  init() throws { lists = try SampleLists() }

  private func pairs(_ changes: [ResultsChange.RowChange]) -> [[IndexPath]] {
    changes.map { [$0.from, $0.to] }
  }

  private func expectWhole(_ change: ResultsChange) throws {
    var (replica, table) = (ResultsReplica(change.before), ResultsReplica(change.before))
    try replica.apply(change)
    try table.apply(change.tableUpdates)
    #expect(replica.matches(change.after))
    #expect(table.matches(change.after))
  }

  @Test func `when three rows are turned round, the middle one stays`() throws {
    let change = lists.change(
      [("", ["a", "b", "c"])],
      [("", ["c", "b", "a"])],
      changed: ["a", "b", "c"]
    )
    #expect(pairs(change.moves) == [[[0, 0], [0, 2]], [[0, 2], [0, 0]]])
    #expect(pairs(change.updates) == [[[0, 1], [0, 1]]])
    try expectWhole(change)
  }

  @Test func `a row that keeps its place stays, and for it one moves that did not change`() throws {
    // 'u' did not change; that 'f' moves from row 1 to row 1 cannot be told.
    let change = lists.change(
      [("", ["u", "f", "x"])],
      [("", ["x", "f", "u"])],
      changed: ["f", "x"]
    )
    #expect(pairs(change.moves) == [[[0, 0], [0, 2]], [[0, 2], [0, 0]]])
    #expect(pairs(change.updates) == [[[0, 1], [0, 1]]])
    try expectWhole(change)
  }

  @Test func `objects that move without having changed are moves, and no updates`() throws {
    let change = lists.change([("", ["a", "b", "c", "d"])], [("", ["d", "a", "b", "x"])])
    #expect(pairs(change.moves) == [[[0, 3], [0, 0]]])
    #expect(change.deletions == [[0, 2]])
    #expect(change.insertions == [[0, 3]])
    #expect(change.updates.isEmpty)
    try expectWhole(change)
  }

  @Test func `of sections that change places the one with most rows stays`() throws {
    let change = lists.change(
      [("A", ["a"]), ("B", ["b", "c", "d"]), ("C", ["e"])],
      [("C", ["e"]), ("B", ["b", "c", "d"]), ("A", ["a"])]
    )
    #expect(change.deletedSections == [0, 2])
    #expect(change.insertedSections == [0, 2])
    #expect(pairs(change.moves) == [[[0, 0], [2, 0]], [[2, 0], [0, 0]]])
    try expectWhole(change)
  }

  @Test func `a list that gets sections loses its nameless one`() throws {
    let change = lists.change([("", ["a", "b"])], [("A", ["a"]), ("B", ["b"])])
    #expect(change.deletedSections == [0])
    #expect(change.insertedSections == [0, 1])
    #expect(pairs(change.moves) == [[[0, 0], [0, 0]], [[0, 1], [1, 0]]])
    try expectWhole(change)
  }

  @Test func `no list at all becomes one of many sections, and the other way round`() throws {
    let sections: SampleLists.Sections = (0..<100).map { ("section \($0)", ["object \($0)"]) }
    let coming = lists.change([], sections)
    #expect(coming.insertedSections == IndexSet(0..<100))
    #expect(coming.insertions.count == 100)
    try expectWhole(coming)
    let going = lists.change(sections, [])
    #expect(going.deletedSections == IndexSet(0..<100))
    #expect(going.deletions.first == [99, 0])
    try expectWhole(going)
  }

  @Test func `changed objects that are in neither list are not reported`() throws {
    let change = lists.change([("", ["a"])], [("", ["a"])], changed: ["x", "y"])
    #expect(change.isEmpty)
    #expect(change.events.isEmpty)
    #expect(change.tableUpdates.isEmpty)
  }

  @Test func `the first report of a list brings all its sections and rows`() throws {
    let change = ResultsChange.initial(lists.list([("A", ["a", "b"]), ("B", ["c"])]))
    #expect(change.isInitial)
    #expect(change.before.sections.isEmpty)
    #expect(change.insertedSections == [0, 1])
    #expect(change.insertions == [[0, 0], [0, 1], [1, 0]])
    var replica = ResultsReplica()
    try replica.apply(change)
    #expect(replica.matches(change.after))
  }
}
