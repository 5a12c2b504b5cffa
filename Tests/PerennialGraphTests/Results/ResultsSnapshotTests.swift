// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialGraph

@Suite("Results: snapshots")
struct ResultsSnapshotTests {
  private let lists: SampleLists
  private let snapshot: ResultsSnapshot

  init() throws {
    lists = try SampleLists()
    snapshot = ResultsSnapshot(lists.list([("alpha", ["a", "b"]), ("émile", ["c"]), ("", ["d"])]))
  }

  @Test func `sections have names, titles, counts and IDs`() {
    #expect(snapshot.sections.map(\.name) == ["alpha", "émile", ""])
    #expect(snapshot.sections.map(\.indexTitle) == ["A", "É", nil])
    #expect(snapshot.sections.map(\.numberOfObjects) == [2, 1, 1])
    #expect(Array(snapshot.sections[0].objectIDs) == [lists.id("a"), lists.id("b")])
    #expect(Array(snapshot.sections[1].objectIDs) == [lists.id("c")])
  }

  @Test func `the flat IDs are those of all sections`() {
    #expect(snapshot.numberOfObjects == 4)
    #expect(Array(snapshot.objectIDs) == ["a", "b", "c", "d"].map(lists.id))
    #expect(snapshot.objectIDs[2] == lists.id("c"))
  }

  @Test(arguments: ["a", "b", "c", "d"])
  func `a place leads to an ID, and the ID back to the place`(_ name: String) throws {
    let path = try #require(snapshot.indexPath(for: lists.id(name)))
    #expect(snapshot[path] == lists.id(name))
  }

  @Test(arguments: [[], [0], [0, 2], [3, 0], [-1, 0], [0, -1], [0, 0, 0]] as [IndexPath])
  func `a place that does not exist has no ID`(_ path: IndexPath) {
    #expect(snapshot[path] == nil)
  }

  @Test func `an ID of another list, store or entity has no place`() {
    let id = lists.id("a")
    #expect(snapshot.indexPath(for: lists.id("other")) == nil)
    let foreign = ManagedObjectID(entityName: id.entityName, owner: UUID(), key: id.key)
    #expect(snapshot.indexPath(for: foreign) == nil)
    let unknown = ManagedObjectID(entityName: "Other", owner: id.owner, key: id.key)
    #expect(snapshot.indexPath(for: unknown) == nil)
  }

  @Test(arguments: [false, true])
  func `an unsaved object has its temporary ID, or the one that it will have`(
    isPermanent: Bool
  ) {
    var list = lists.list("a")
    let unsaved = ObjectReference(key: -1, entity: 0)
    let id =
      isPermanent
      ? lists.id("z") : ManagedObjectID(entityName: "Item", owner: UUID(), key: -1)
    list.references.append(unsaved)
    list.sections[0].range = 0..<2
    list.temporaryIDs[unsaved] = id
    let snapshot = ResultsSnapshot(list)
    #expect(snapshot[[0, 1]] == id)
    #expect(snapshot.indexPath(for: id) == [0, 1])
  }

  @Test func `snapshots are equal when IDs and section names are`() {
    func snapshot(_ sections: SampleLists.Sections) -> ResultsSnapshot {
      ResultsSnapshot(lists.list(sections))
    }
    let one = snapshot([("A", ["a", "b"]), ("B", ["c"])])
    #expect(one == snapshot([("A", ["a", "b"]), ("B", ["c"])]))
    #expect(one != snapshot([("A", ["a"]), ("B", ["b", "c"])]))
    #expect(one != snapshot([("A", ["a", "b"]), ("C", ["c"])]))
    #expect(one != snapshot([("A", ["b", "a"]), ("B", ["c"])]))
  }

  @Test func `snapshots of two stores are not equal`() throws {
    let other = try SampleLists()
    #expect(ResultsSnapshot(lists.list("a")) != ResultsSnapshot(other.list("a")))
    #expect(ResultsSnapshot(lists.list()) == ResultsSnapshot(other.list()))
  }

  #if !canImport(UIKit) && !canImport(AppKit)
  @Test func `index paths have sections and rows, as with UIKit`() {
    var path = IndexPath(row: 3, section: 2)
    #expect(path == [2, 3])
    #expect(path == IndexPath(item: 3, section: 2))
    #expect(path.section == 2)
    #expect(path.row == 3)
    #expect(path.item == 3)
    path.section = 5
    path.row = 6
    #expect(path == [5, 6])
  }
  #endif
}
