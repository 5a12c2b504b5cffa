// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialGraph

@Suite("Results: changes in the form that a table view accepts")
struct ResultsTableUpdatesTests {
  private let lists: SampleLists

  init() throws { lists = try SampleLists() }

  @Test func `36 a move into a new section is a deletion`() {
    let updates = lists.change(
      [("A", ["a1", "a2"])],
      [("A", ["a1"]), ("B", ["a2"])],
      changed: ["a2"]
    ).tableUpdates
    #expect(updates.insertedSections == [1])
    #expect(updates.deletedRows == [[0, 1]])
    #expect(updates.insertedRows.isEmpty && updates.movedRows.isEmpty)
  }

  @Test func `36 a move out of a section that goes is an insertion`() {
    let updates = lists.change(
      [("A", ["a1"]), ("B", ["b1"])],
      [("A", ["a1", "b1"])],
      changed: ["b1"]
    ).tableUpdates
    #expect(updates.deletedSections == [1])
    #expect(updates.insertedRows == [[0, 1]])
    #expect(updates.deletedRows.isEmpty && updates.movedRows.isEmpty)
  }

  @Test func `37 a section that is renamed is two section updates and no more`() {
    let updates = lists.change([("A", ["x"])], [("B", ["x"])], changed: ["x"]).tableUpdates
    #expect(updates.deletedSections == [0])
    #expect(updates.insertedSections == [0])
    #expect(updates.deletedRows.isEmpty && updates.insertedRows.isEmpty)
    #expect(updates.movedRows.isEmpty && updates.reloadedRows.isEmpty)
    #expect(updates.reconfiguredRows.isEmpty)
    #expect(!updates.isEmpty)
  }

  @Test func `38 rows of a section that is renamed are not named`() {
    let updates = lists.change(
      [("A", ["a1", "a2"]), ("C", ["c1"])],
      [("C", ["c1"]), ("D", ["a1", "a2"])],
      changed: ["a1", "a2"]
    ).tableUpdates
    #expect(updates.deletedSections == [0])
    #expect(updates.insertedSections == [1])
    #expect(updates.deletedRows.isEmpty && updates.insertedRows.isEmpty)
    #expect(updates.movedRows.isEmpty)
  }

  @Test func `70 deletions and reloads are old places, insertions new ones, moves both`() {
    let updates = lists.change(
      [("", ["a", "b", "c", "d", "e"])],
      [("", ["x", "e", "b", "c"])],
      changed: ["e", "c"]
    ).tableUpdates
    #expect(updates.deletedRows == [[0, 3], [0, 0]])
    #expect(updates.insertedRows == [[0, 0]])
    #expect(updates.reloadedRows == [[0, 2]])
    #expect(updates.movedRows == [.init(from: [0, 4], to: [0, 1])])
    #expect(updates.reconfiguredRows == [[0, 1]])
  }

  @Test func `72 a row that goes is not reloaded too`() {
    let updates = lists.change([("", ["a", "b"])], [("", ["a"])], changed: ["b"]).tableUpdates
    #expect(updates.deletedRows == [[0, 1]])
    #expect(updates.reloadedRows.isEmpty)
  }

  @Test func `a move between sections that shift, from and to equal paths, is no move`() throws {
    let change = lists.change(
      [("B", ["b"]), ("C", ["c", "d"])],
      [("A", ["a"]), ("B", ["c", "b"]), ("C", ["d"])],
      changed: ["c", "a"]
    )
    #expect(change.moves == [.init(from: [1, 0], to: [1, 0])])
    let updates = change.tableUpdates
    #expect(updates.movedRows.isEmpty)
    #expect(updates.deletedRows == [[1, 0]])
    #expect(updates.insertedRows == [[1, 0]])
    var replica = ResultsReplica(change.before)
    try replica.apply(updates)
    #expect(replica.matches(change.after))
  }
}
