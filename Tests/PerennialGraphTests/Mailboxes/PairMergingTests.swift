// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// Two contexts that change the members of one team.
private struct TwoTeams {
  let bench: Bench
  let here: ManagedObjectContext
  let there: ManagedObjectContext
  /// The team here and there, whose only member is Eve, and the authors Joe and Eve.
  let ours: (team: Team, joe: Author, eve: Author)
  let theirs: (team: Team, joe: Author, eve: Author)

  /// Contexts on a store, or children of one parent.
  init(_ kind: StoreKind, areChildren: Bool = false, mergesByItself: Bool = false) throws {
    bench = try Bench(kind)
    let parent = bench.context()
    here = areChildren ? ManagedObjectContext(parent: parent) : parent
    there = areChildren ? ManagedObjectContext(parent: parent) : bench.context()
    for context in [here, there] { context.automaticallyMergesChangesFromParent = mergesByItself }
    ours = (Team(context: here), Author(context: here), Author(context: here))
    (ours.joe.name, ours.eve.name) = ("Joe", "Eve")
    ours.team.members = [ours.eve]
    try here.save()
    theirs = (
      try there.object(Team.self, with: ours.team.objectID),
      try there.object(Author.self, with: ours.joe.objectID),
      try there.object(Author.self, with: ours.eve.objectID)
    )
  }
}

@Suite("SEMANTICS 1D.11: pairs that two contexts change")
struct PairMergingTests {
  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.11 a pair that two contexts change counts once before it is merged, too`(
    _ kind: StoreKind,
    _ areChildren: Bool
  ) throws {
    let teams = try TwoTeams(kind, areChildren: areChildren)
    for side in [teams.ours, teams.theirs] {
      side.joe.teams.insert(side.team)
      side.eve.teams.remove(side.team)
    }
    try teams.there.save()
    #expect(teams.ours.team.members.count == 1)
    #expect(Array(teams.ours.team.members) == [teams.ours.joe])
    #expect(teams.ours.joe.teams.count == 1 && teams.ours.eve.teams.isEmpty)
    #expect(Array(teams.ours.joe.teams) == [teams.ours.team])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.4 a refresh finds a pair that was added or removed here and there once`(
    _ kind: StoreKind,
    _ isOfAll: Bool
  ) throws {
    let teams = try TwoTeams(kind)
    for side in [teams.ours, teams.theirs] {
      side.team.members.append(side.joe)
      side.team.members.remove(side.eve)
    }
    try teams.there.save()
    if isOfAll {
      teams.here.refreshAllObjects()
    } else {
      teams.here.refresh(teams.ours.team, mergeChanges: true)
    }
    #expect(teams.ours.team.members.count == 1)
    #expect(Array(teams.ours.team.members) == [teams.ours.joe])
    #expect(teams.ours.joe.teams.count == 1 && teams.ours.eve.teams.isEmpty)
    #expect(!teams.ours.joe.isUpdated && !teams.ours.eve.isUpdated)
    try teams.here.save()
    let reader = teams.bench.context()
    let stored = try reader.object(Team.self, with: teams.ours.team.objectID)
    #expect(stored.members.map(\.name) == ["Joe"])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.11 a pair that goes and comes back here is gone when it was removed elsewhere`(
    _ kind: StoreKind,
    _ areChildren: Bool
  ) throws {
    let teams = try TwoTeams(kind, areChildren: areChildren, mergesByItself: true)
    teams.ours.team.members.remove(teams.ours.eve)
    teams.ours.team.members.append(teams.ours.eve)
    teams.theirs.team.members.remove(teams.theirs.eve)
    try teams.there.save()
    try teams.here.processPendingChanges()
    #expect(teams.ours.team.members.isEmpty && teams.ours.eve.teams.isEmpty)
    try teams.here.save()
    #expect(teams.ours.team.members.isEmpty && teams.ours.eve.teams.isEmpty)
    try teams.here.parent?.save()
    let reader = teams.bench.context()
    let stored = try reader.object(Team.self, with: teams.ours.team.objectID)
    #expect(stored.members.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.4 a member that is added comes after one that another context has saved`(
    _ kind: StoreKind
  ) throws {
    let teams = try TwoTeams(kind, mergesByItself: true)
    let ada = Author(context: teams.here)
    ada.name = "Ada"
    teams.ours.team.members = [ada, teams.ours.eve]
    teams.theirs.team.members.append(teams.theirs.joe)
    try teams.there.save()
    try teams.here.processPendingChanges()
    #expect(teams.ours.team.members.map(\.name) == ["Ada", "Eve", "Joe"])
    teams.ours.team.members.remove(ada)
    teams.ours.team.members.append(ada)
    #expect(teams.ours.team.members.map(\.name) == ["Eve", "Joe", "Ada"])
    try teams.here.save()
    let reader = teams.bench.context()
    let stored = try reader.object(Team.self, with: teams.ours.team.objectID)
    #expect(stored.members.map(\.name) == ["Eve", "Joe", "Ada"])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.11 a one-to-one relationship that was set here takes the other side from elsewhere`(
    _ kind: StoreKind,
    _ areChildren: Bool
  ) throws {
    let teams = try TwoTeams(kind, areChildren: areChildren, mergesByItself: true)
    let (ours, theirs) = (Badge(context: teams.here), Badge(context: teams.there))
    teams.ours.team.badge = ours
    teams.theirs.team.badge = theirs
    try teams.here.save()
    let merged = try teams.there.object(Badge.self, with: ours.objectID)
    #expect(merged.text.isEmpty)
    try teams.there.processPendingChanges()
    #expect(teams.theirs.team.badge === theirs && theirs.team === teams.theirs.team)
    #expect(merged.team == nil)
    try teams.there.save()
    try teams.here.processPendingChanges()
    #expect(teams.ours.team.badge?.objectID == theirs.objectID && ours.team == nil)
    try teams.here.parent?.save()
    let reader = teams.bench.context()
    let badges = try reader.fetch(FetchRequest<Badge>())
    #expect(badges.filter { $0.team != nil }.map(\.objectID) == [theirs.objectID])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.11 a one-to-one relationship that was set back here is nil on both sides`(
    _ kind: StoreKind,
    _ areChildren: Bool
  ) throws {
    let teams = try TwoTeams(kind, areChildren: areChildren, mergesByItself: true)
    let badge = Badge(context: teams.here)
    try teams.here.save()
    let known = try teams.there.object(Badge.self, with: badge.objectID)
    teams.theirs.team.badge = Badge(context: teams.there)
    teams.theirs.team.badge = nil
    teams.ours.team.badge = badge
    try teams.here.save()
    try teams.there.processPendingChanges()
    #expect(teams.theirs.team.badge == nil && known.team == nil)
    try teams.there.save()
    try teams.here.processPendingChanges()
    #expect(teams.ours.team.badge == nil && badge.team == nil)
  }
}
