// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialGraph

@Suite("Results: replicas refuse what does not fit")
struct ResultsReplicaTests {
  private let lists: SampleLists
  private let change: ResultsChange

  init() throws {
    lists = try SampleLists()
    change = lists.change(
      [("A", ["a", "b", "c"]), ("B", ["d"])],
      [("A", ["c", "a", "b", "x"]), ("C", ["d"])],
      changed: ["a", "c", "d", "x"]
    )
  }

  private func expectRefusal(_ change: ResultsChange, of sections: SampleLists.Sections) {
    let start = ResultsReplica(ResultsSnapshot(lists.list(sections)))
    var replica = start
    let error = #expect(throws: PerennialError.self) { try replica.apply(change) }
    #expect(error?.code == .unfittingChange)
    #expect(replica == start)
  }

  private static let before: SampleLists.Sections = [("A", ["a", "b", "c"]), ("B", ["d"])]

  @Test func `a change of another list is refused, and nothing changes`() {
    expectRefusal(change, of: [])
    expectRefusal(change, of: [("A", ["a", "b", "c"])])
    expectRefusal(change, of: [("A", ["a", "b", "c"]), ("Z", ["d"])])
    expectRefusal(change, of: [("A", ["a", "b", "x"]), ("B", ["d"])])
    expectRefusal(change, of: [("A", ["c", "b", "a"]), ("B", ["d"])])
    expectRefusal(change, of: [("A", ["a", "b", "c"]), ("B", ["d", "e"])])
  }

  @Test(arguments: StoreKind.allCases)
  func `a list that is fetched again comes as a whole, and replaces the copy`(
    _ kind: StoreKind
  ) async throws {
    let stage = try ResultsStage(kind, "a b")
    let context = stage.bench.context()
    let controller = try context.results(Commit.sorted(by: \.message))
    var changes = controller.changes.makeAsyncIterator()
    var replica = ResultsReplica()
    for count in 2...4 {
      let change = try #require(await changes.next())
      #expect(change.isInitial)
      try replica.apply(change)
      #expect(replica.objectIDs.count == count && replica.matches(change.after))
      let other = stage.bench.context()
      stage.add("c\(count)", in: other)
      try other.save()
      try controller.performFetch()
    }
  }

  @Test func `a change applied twice is refused`() throws {
    var replica = ResultsReplica(change.before)
    try replica.apply(change)
    let after = replica
    #expect(throws: PerennialError.self) { try replica.apply(change) }
    #expect(throws: PerennialError.self) { try replica.apply(change.tableUpdates) }
    #expect(replica == after)
  }

  @Test(arguments: [[0, 9], [9, 0], [0, -1], [-1, 0], [0], [], [0, 1, 2]] as [IndexPath])
  func `a move to a place that does not exist is refused`(_ path: IndexPath) throws {
    var wrong = change
    let move = try #require(wrong.moves.first)
    wrong.moves[0] = .init(from: move.from, to: path)
    expectRefusal(wrong, of: Self.before)
  }

  @Test func `two rows for one place are refused`() {
    var wrong = change
    wrong.insertions.append(contentsOf: wrong.insertions)
    expectRefusal(wrong, of: Self.before)
  }

  @Test func `a row that leaves twice is refused`() {
    var wrong = lists.change([("", ["a", "b"])], [("", ["a"])])
    wrong.deletions.append(contentsOf: wrong.deletions)
    expectRefusal(wrong, of: [("", ["a", "b"])])
  }

  @Test func `a section that is deleted with rows in it is refused`() {
    var wrong = lists.change([("A", ["a"]), ("B", ["b"])], [("A", ["a"])])
    wrong.deletions = []
    expectRefusal(wrong, of: [("A", ["a"]), ("B", ["b"])])
  }

  @Test func `a table's row that is deleted and reloaded is refused`() throws {
    var updates = lists.change([("", ["a", "b"])], [("", ["a"])]).tableUpdates
    updates.reloadedRows = updates.deletedRows
    var replica = ResultsReplica(ResultsSnapshot(lists.list("a", "b")))
    let error = #expect(throws: PerennialError.self) { try replica.apply(updates) }
    #expect(error?.code == .unfittingChange)
  }

  @Test func `a table's row of a deleted section is refused`() throws {
    var updates = lists.change([("A", ["a"]), ("B", ["b"])], [("A", ["a"])]).tableUpdates
    updates.deletedRows = [[1, 0]]
    var replica = ResultsReplica(ResultsSnapshot(lists.list([("A", ["a"]), ("B", ["b"])])))
    #expect(throws: PerennialError.self) { try replica.apply(updates) }
  }
}
