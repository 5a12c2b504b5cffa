// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

/// Counts that were told before others took members out, of which the context has not heard.
@Suite("SEMANTICS 1C.4: ordered relationships that were counted before they are loaded")
struct StaleCountTests {
  /// A way to go from position to position.
  enum Walk: CaseIterable {
    case map, last, indices, reversed, suffix, appended

    func names(of members: OrderedToMany<Author>) -> [String] {
      switch self {
      case .map: return members.map(\.name)
      case .last: return [members.last?.name ?? "none"]
      case .indices: return members.indices.map { members[$0].name }
      case .reversed: return members.reversed().map(\.name)
      case .suffix: return members.suffix(1).map(\.name)
      case .appended:
        var list: [Author] = []
        list.append(contentsOf: members)
        return list.map(\.name)
      }
    }

    /// What it finds of members 0 and 2.
    var expected: [String] {
      switch self {
      case .map, .indices, .appended: ["0", "2"]
      case .reversed: ["2", "0"]
      case .last, .suffix: ["2"]
      }
    }
  }

  @Test(arguments: StoreKind.allCases, Walk.allCases)
  func `1C.4 positions go by the objects that are there, not by a count from before`(
    _ kind: StoreKind,
    _ walk: Walk
  ) throws {
    let bench = try Bench(kind)
    let writer = bench.context()
    let authors = (0..<3).map { number in
      let author = Author(context: writer)
      author.name = "\(number)"
      return author
    }
    let written = Team(context: writer)
    written.members = OrderedToMany(authors)
    try writer.save()
    let reader = bench.context()
    let team = try reader.object(Team.self, with: written.objectID)
    #expect(team.members.count == 3)
    // Another coordinator: this one does not hear of its saves.
    let far = StoreCoordinator(
      store: bench.coordinator.store,
      classes: Dictionary(uniqueKeysWithValues: fixtureClasses.map { ($0.entityName, $0) })
    )
    let other = ManagedObjectContext(coordinator: far)
    try other.object(Team.self, with: written.objectID).members.remove(at: 1)
    try other.save()
    #expect(walk.names(of: team.members) == walk.expected)
    #expect(team.members.count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.4 a loop over positions loads the list once, until it changes`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let writer = bench.context()
    let written = Team(context: writer)
    written.members = OrderedToMany(
      (0..<20).map { number in
        let author = Author(context: writer)
        author.name = "\(number)"
        return author
      }
    )
    try writer.save()
    let context = bench.context()
    let team = try context.object(Team.self, with: written.objectID)
    #expect(team.title.isEmpty)
    let rows = context.faultStatistics.rows
    func names() -> [String] { (0..<team.members.count).map { team.members[$0].name } }
    let expected = (0..<20).map { "\($0)" }
    #expect(names() == expected)
    // The number of members, and the members.
    #expect(context.faultStatistics.memberQueries == 2)
    #expect(context.faultStatistics.rows == rows + 20)
    #expect(names() == expected)
    #expect(context.faultStatistics.rows == rows + 20)
    team.members.move(from: 19, to: 0)
    #expect(names() == ["19"] + Array(expected.dropLast()))
    context.rollback()
    #expect(names() == expected)
    context.delete(team.members[0])
    try context.save()
    #expect(names() == Array(expected.dropFirst()))
    written.members.move(from: 0, to: 18)
    try writer.save()
    context.refreshAllObjects()
    #expect(names() == Array(expected.dropFirst(2)) + ["1"])
    context.reset()
    #expect(team.members.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.4 members that were counted and cannot be loaded are none`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1, commitsEach: 0)
    let context = bench.context()
    let team = try #require(try context.fetch(Team.all).first)
    #expect(team.members.count == 1)
    bench.store.fails = true
    #expect(team.members.map(\.name).isEmpty)
    #expect(team.members.last == nil && team.members.indices.isEmpty)
    #expect(context.lastFaultError?.code == .sqlite)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.4 what is deleted here and elsewhere is no member, and is not counted`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let (first, second) = (bench.context(), bench.context())
    first.automaticallyMergesChangesFromParent = true
    let (team, author, commit) = (
      Team(context: first), Author(context: first), Commit(context: first)
    )
    let other = Author(context: first)
    (author.name, other.name) = ("one", "other")
    commit.sha = "a"
    commit.author = author
    team.members = OrderedToMany([author, other])
    try first.save()
    for gone in [commit, author] {
      first.delete(gone)
      second.delete(try second.existingObject(with: gone.objectID))
      try second.save()
      try first.processPendingChanges()
      #expect(author.commits.count == 0 && author.commits.isEmpty)
      #expect(team.members.count == (gone === author ? 1 : 2))
      #expect(team.members.count == team.members.map(\.self).count)
    }
    first.mergePolicy = .mergeByPropertyObjectTrump
    try first.save()
    #expect(team.members.map(\.objectID) == [other.objectID])
  }
}
