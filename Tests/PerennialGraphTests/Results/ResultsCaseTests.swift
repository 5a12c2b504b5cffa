// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialGraph

/// `PERENNIAL_RESULTS_CASES=FILE swift test --filter ResultsCaseTests` runs another file.
@Suite("Results: the numbered scenarios of list changes")
struct ResultsCaseTests {
  @Test func `the fixture has every scenario of part 1`() throws {
    guard ProcessInfo.processInfo.environment["PERENNIAL_RESULTS_CASES"] == nil else { return }
    let numbers: Set = [
      1, 2, 8, 9, 11, 12, 13, 15, 16, 17, 18, 19, 20, 22, 23, 25, 27, 28, 29, 30, 31, 32, 36, 37,
      38,
      39, 40, 43, 44, 45,
    ]
    #expect(try Set(ResultsCase.all().map(\.id)) == numbers)
  }

  @Test(arguments: try ResultsCase.all())
  func `the events are those of the scenario, in its order`(_ scenario: ResultsCase) throws {
    let sample = try Sample(scenario)
    #expect(sample.change.events.map(sample.event) == scenario.events)
    #expect(sample.change.isEmpty == scenario.events.isEmpty)
  }

  @Test(arguments: try ResultsCase.all())
  func `the events turn the old list into the new one`(_ scenario: ResultsCase) throws {
    let change = try Sample(scenario).change
    var replica = ResultsReplica(change.before)
    try replica.apply(change)
    #expect(replica.matches(change.after))
  }

  @Test(arguments: try ResultsCase.all())
  func `the updates for a table turn the old list into the new one`(_ scenario: ResultsCase) throws
  {
    let change = try Sample(scenario).change
    var replica = ResultsReplica(change.before)
    try replica.apply(change.tableUpdates)
    #expect(replica.matches(change.after))
    #expect(change.tableUpdates.isEmpty == scenario.events.isEmpty)
  }

  @Test(arguments: try ResultsCase.all())
  func `the difference turns the old IDs into the new ones`(_ scenario: ResultsCase) throws {
    let change = try Sample(scenario).change
    let ids = Array(change.before.objectIDs).applying(change.difference)
    #expect(ids == Array(change.after.objectIDs))
  }
}

extension ResultsCaseTests {
  /// A scenario's change, and the names of its objects.
  private struct Sample {
    let change: ResultsChange
    private let names: [ManagedObjectID: String]

    init(_ scenario: ResultsCase) throws {
      let lists = try SampleLists()
      change = lists.change(
        scenario.old.map { ($0.name, $0.objects) },
        scenario.new.map { ($0.name, $0.objects) },
        changed: scenario.changed
      )
      let objects = Set((scenario.old + scenario.new).flatMap(\.objects))
      names = Dictionary(uniqueKeysWithValues: objects.map { (lists.id($0), $0) })
    }

    func event(_ event: ResultsChange.Event) -> ResultsCase.Event {
      switch event {
      case .sectionDelete(let place, let name):
        .section(kind: "section-delete", place: place, name: name)
      case .sectionInsert(let place, let name):
        .section(kind: "section-insert", place: place, name: name)
      case .delete(let id, let path): row("delete", id, path, nil)
      case .insert(let id, let path): row("insert", id, nil, path)
      case .move(let id, let from, let to): row("move", id, from, to)
      case .update(let id, let from, let to): row("update", id, from, to)
      }
    }

    private func row(
      _ kind: String,
      _ id: ManagedObjectID,
      _ old: IndexPath?,
      _ new: IndexPath?
    ) -> ResultsCase.Event {
      .row(kind: kind, object: names[id] ?? "", old: old.map(Array.init), new: new.map(Array.init))
    }
  }
}
