// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

@Suite("SEMANTICS 1H.4: pairs of a relationship that is its own inverse")
struct PairHistoryTests {
  @Test(arguments: StoreKind.havingHistory, [false, true])
  func `1H.4 what was done to a symmetric pair is undone when one of its objects has gone`(
    _ kind: StoreKind,
    _ fromSecond: Bool
  ) throws {
    let bench = try Bench(kind, history: HistoryOptions(isOn: true, keepsOldValues: true))
    let context = bench.context()
    let (red, blue) = (Team(context: context), Team(context: context))
    (red.title, blue.title) = ("red", "blue")
    try context.save()
    let token = try bench.coordinator.historyToken()
    if fromSecond { blue.allies.insert(red) } else { red.allies.insert(blue) }
    try context.save()
    context.delete(blue)
    try context.save()
    let history = try context.history(after: token)
    let (pairing, deletion) = (history[0], history[1])
    #expect(pairing.changes.map(\.updatedProperties) == [["allies"], ["allies"]])
    // The pair is noted at one of them; a change of the other one has nothing to undo.
    #expect(pairing.changes.count { $0.details.hasValues } == 1)
    #expect(
      deletion.changes.filter { $0.details.hasValues }.map(\.changedObjectID) == [blue.objectID]
    )
    context.delete(red)
    try context.save()
    try context.revert(deletion)
    try context.save()
    let back = try context.fetch(Team.all)
    #expect(back.map(\.title) == ["blue"])
    #expect(back.first?.allies.isEmpty == true)
  }

  @Test(arguments: StoreKind.havingHistory)
  func `1H.4 a symmetric pair that is gone with an object comes back with it`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, history: HistoryOptions(isOn: true, keepsOldValues: true))
    let context = bench.context()
    let (red, blue) = (Team(context: context), Team(context: context))
    (red.title, blue.title) = ("red", "blue")
    red.allies.insert(blue)
    try context.save()
    let token = try bench.coordinator.historyToken()
    context.delete(blue)
    try context.save()
    try context.revert(try #require(try context.history(after: token).first))
    try context.save()
    let other = bench.context()
    let teams = try other.fetch(Team.all)
    #expect(Set(teams.map(\.title)) == ["red", "blue"])
    #expect(teams.map { $0.allies.map(\.title) }.sorted { $0[0] < $1[0] } == [["blue"], ["red"]])
  }
}
