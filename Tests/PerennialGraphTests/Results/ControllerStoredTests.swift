// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import RandomTesting
import Testing

/// Lists and what is stored that their context has not merged, or has only just stored itself.
@Suite("SEMANTICS 1K.6: lists and what others have stored")
struct ControllerStoredTests {
  @Test(arguments: StoreKind.allCases)
  func `1K.6 a row that was placed beside values nobody had merged is placed again (scenario 53)`(
    kind: StoreKind
  ) async throws {
    let stage = try ResultsStage(kind, "a b c")
    stage.context.automaticallyMergesChangesFromParent = false
    let (controller, mirror) = try stage.list()
    let other = stage.bench.context()
    var saves = stage.bench.coordinator.saves().makeAsyncIterator()
    try stage.commit("a", in: other).message = "d"
    try other.save()
    let save = try #require(await saves.next())
    stage.add("x", at: "bb")
    try stage.context.processPendingChanges()
    stage.context.mergeChanges(fromContextDidSave: save)
    try stage.context.processPendingChanges()
    #expect(ResultsStage.words(controller) == "b x c a")
    #expect(mirror.sections.flatMap(\.rows).map(\.object.sha) == ["b", "x", "c", "a"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.6 a list of stored values has what its own context saves`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b c")
    var stored = Commit.sorted(by: \.message)
    stored.includesPendingChanges = false
    let (controller, mirror) = try stage.list(stored)
    stage.add("d")
    stage.context.delete(try stage.commit("a"))
    try stage.commit("b").url = "new"
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold().isEmpty)
    #expect(ResultsStage.words(controller) == "a b c")
    try stage.context.save()
    #expect(
      mirror.takeTold() == ["will", "delete a 0.0 -", "insert d - 0.2", "update b 0.1 0.0", "did"]
    )
    #expect(ResultsStage.words(controller) == "b c d")
    let (edited, others) = (try stage.commit("b"), stage.bench.context())
    edited.message = "z"
    try stage.context.processPendingChanges()
    stage.add("bb", in: others)
    try others.save()
    try stage.context.processPendingChanges()
    #expect(ResultsStage.words(controller) == "b bb c d")
    try stage.context.save()
    #expect(ResultsStage.words(controller) == "bb c d b")
    #expect(mirror.sections.flatMap(\.rows).map(\.object.sha) == ["bb", "c", "d", "b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `aggregates of stored values have what their own context saves`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b")
    var stored = Commit.all
    stored.includesPendingChanges = false
    let aggregates = try stage.context.aggregates(of: stored, [.count])
    stage.add("c")
    try stage.context.processPendingChanges()
    #expect(aggregates.value(of: .count) == 2)
    try stage.context.save()
    #expect(aggregates.value(of: .count) == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.6 an order that others have saved decides about a list (scenario 53)`(kind: StoreKind)
    throws
  {
    let stage = try ResultsStage(kind)
    let context = stage.context
    let team = Team(context: context)
    team.members = [stage.author("ann"), stage.author("bob")]
    try context.save()
    let controller = try context.results(
      Team.filter("members[FIRST].name == 'ann'").sorted(by: FetchSort("title"))
    )
    let mirror = ListMirror<Team>(name: { $0.title }, text: { $0.title })
    controller.delegate = mirror
    mirror.reload(controller)
    let other = stage.bench.context()
    try #require(try other.first(Team.all)).members.move(from: 1, to: 0)
    try other.save()
    try context.processPendingChanges()
    #expect(controller.fetchedObjects?.count == 0)
    #expect(mirror.takeTold() == ["will", "delete  0.0 -", "did"])
  }

  /// How long a list takes to be read that is one of as many changed objects.
  private func timeToRead(_ count: Int, _ kind: StoreKind) throws -> Duration {
    let stage = try ResultsStage(kind)
    let commits = (0..<count).map { stage.add("\($0)") }
    try stage.context.save()
    let ids = commits.map(\.objectID)
    for commit in commits { commit.url = "new" }
    let context = stage.context
    let request = Commit.filter(FetchPredicate(format: "SELF IN %@", ids)).sorted(by: \.message)
    try context.processPendingChanges()
    var shown: Int?
    let time = ThreadTime.of { shown = try? context.results(request).fetchedObjects?.count }
    #expect(shown == count)
    return time
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.6 a long list of constants is looked through in linear time`(kind: StoreKind) throws {
    let few = try timeToRead(500, kind)
    let many = try timeToRead(5_000, kind)
    #expect(many < few * 40, "ten times as many")
  }
}
