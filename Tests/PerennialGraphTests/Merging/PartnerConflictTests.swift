// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.1: what rows that changed on both sides refer to")
struct PartnerConflictTests {
  /// A team and badges, saved, in the context that saves first, and in the one that comes second.
  private struct Scene {
    let bench: Bench
    let first: ManagedObjectContext
    let second: ManagedObjectContext
    let theirs: (team: Team, badges: [Badge])
    let ours: (team: Team, badges: [Badge])

    init(_ kind: StoreKind, _ policy: MergePolicy, hasBadge: Bool) throws {
      bench = try Bench(kind)
      first = bench.context()
      let team = Team(context: first)
      let badges = [Badge(context: first), Badge(context: first)]
      if hasBadge { team.badge = badges[0] }
      try first.save()
      theirs = (team, badges)
      second = bench.context()
      second.mergePolicy = policy
      ours = (
        try second.object(with: team.objectID),
        [try second.object(with: badges[0].objectID), try second.object(with: badges[1].objectID)]
      )
    }

    /// The team and its badge of a context, if both sides say so and no other badge does.
    func badge(in context: ManagedObjectContext) throws -> ManagedObjectID? {
      let team = try context.object(Team.self, with: theirs.team.objectID)
      for badge in try context.fetch(Badge.all) {
        #expect((badge.team === team) == (team.badge === badge))
      }
      return team.badge?.objectID
    }
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 a former partner that has changes of its own keeps them, and lets go`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let scene = try Scene(kind, policy, hasBadge: true)
    scene.theirs.team.badge = scene.theirs.badges[1]
    try scene.first.save()
    scene.ours.team.title = "ours"
    scene.ours.badges[0].text = "ours"
    try scene.second.save()
    // The relationship was changed elsewhere only: with `overwrite` the base replaces that.
    let expected = scene.theirs.badges[policy == .overwrite ? 0 : 1].objectID
    #expect(try scene.badge(in: scene.second) == expected)
    #expect(try scene.badge(in: scene.bench.context()) == expected)
    let reader = scene.bench.context()
    let stored = try reader.object(Badge.self, with: scene.theirs.badges[0].objectID)
    #expect(stored.text == (policy == .rollback ? "" : "ours"))
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func
    `1M.1 a partner that somebody else was given here, and another elsewhere, has one in the end`(
      _ kind: StoreKind,
      _ policy: MergePolicy
    ) throws
  {
    let scene = try Scene(kind, policy, hasBadge: false)
    scene.theirs.badges[0].team = scene.theirs.team
    try scene.first.save()
    scene.ours.badges[0].text = "ours"
    scene.ours.badges[1].team = scene.ours.team
    try scene.second.save()
    #expect(!scene.second.hasChanges)
    let badge = try scene.badge(in: scene.second)
    #expect(badge != nil)
    #expect(try scene.badge(in: scene.bench.context()) == badge)
  }

  @Test(
    arguments: StoreKind.allCases,
    [MergePolicy.mergeByPropertyObjectTrump, .overwrite]
  )
  func `1C.1 a partner that was deleted here, and given away elsewhere, leaves no reference`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let scene = try Scene(kind, policy, hasBadge: false)
    scene.second.delete(scene.ours.badges[0])
    try scene.second.processPendingChanges()
    scene.theirs.team.badge = scene.theirs.badges[0]
    try scene.first.save()
    try scene.second.save()
    #expect(try scene.badge(in: scene.second) == nil)
    #expect(try scene.badge(in: scene.bench.context()) == nil)
  }

  @Test(
    arguments: StoreKind.allCases,
    [MergePolicy.mergeByPropertyObjectTrump, .overwrite]
  )
  func `1M.1 an object that is stored again has its partner, unless somebody else has`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    for isGivenAway in [false, true] {
      let scene = try Scene(kind, policy, hasBadge: true)
      scene.ours.team.title = "ours"
      scene.first.delete(scene.theirs.team)
      if isGivenAway { Team(context: scene.first).badge = scene.theirs.badges[0] }
      try scene.first.save()
      try scene.second.save()
      let expected = isGivenAway ? nil : scene.theirs.badges[0].objectID
      #expect(try scene.badge(in: scene.second) == expected)
      #expect(try scene.badge(in: scene.bench.context()) == expected)
    }
  }

  @Test(
    arguments: StoreKind.allCases,
    [MergePolicy.mergeByPropertyObjectTrump, .overwrite]
  )
  func `1C.1 an object that is stored again lets go of a partner that is deleted here`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let scene = try Scene(kind, policy, hasBadge: true)
    scene.ours.team.title = "ours"
    scene.first.delete(scene.theirs.team)
    try scene.first.save()
    // The badge has heard that it has no team any more, its former team has not.
    let badge = scene.ours.badges[0]
    scene.second.refresh(badge, mergeChanges: false)
    scene.second.delete(badge)
    try scene.second.save()
    #expect(try scene.badge(in: scene.second) == nil)
    #expect(try scene.badge(in: scene.bench.context()) == nil)
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 the same, asked from the other side`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let scene = try Scene(kind, policy, hasBadge: false)
    let other = Team(context: scene.second)
    scene.theirs.team.badge = scene.theirs.badges[0]
    try scene.first.save()
    scene.ours.team.title = "ours"
    other.badge = scene.ours.badges[0]
    try scene.second.save()
    for context in [scene.second, scene.bench.context()] {
      let badges = try context.fetch(Badge.all)
      let teams = try context.fetch(Team.all)
      #expect(teams.count == 2)
      for team in teams {
        for badge in badges { #expect((badge.team === team) == (team.badge === badge)) }
      }
      #expect(badges.filter { $0.team != nil }.count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 rollback drops the pairs of its object, whichever side they are on, and no others`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let first = bench.context()
    let theirs = (0..<5).map { _ in Team(context: first) }
    try first.save()
    let second = bench.context()
    second.mergePolicy = .rollback
    let ours = try theirs.map { try second.object(Team.self, with: $0.objectID) }
    theirs[1].title = "theirs"
    try first.save()
    ours[1].title = "ours"
    ours[1].allies.insert(ours[0])
    ours[1].allies.insert(ours[2])
    ours[3].allies.insert(ours[4])
    try second.save()
    for context in [second, bench.context()] {
      let teams = try theirs.map { try context.object(Team.self, with: $0.objectID) }
      #expect(teams[1].title == "theirs")
      for team in teams[0...2] { #expect(team.allies.isEmpty) }
      #expect(Set(teams[3].allies) == [teams[4]] && Set(teams[4].allies) == [teams[3]])
    }
  }

  @Test(arguments: StoreKind.allCases, [MergePolicy.rollback, .mergeByPropertyStoreTrump])
  func `1M.1 an object that goes because its row is gone is told of as deleted, once`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy)
    let log = EventLog(office.second)
    office.first.delete(office.theirs)
    try office.first.save()
    try office.ours.set(["name": "B"])
    try office.second.save()
    try office.second.processPendingChanges()
    #expect(log.events.flatMap(\.deleted) == [office.ours])
    #expect(log.events.flatMap(\.invalidated).isEmpty)
    #expect(log.saves.allSatisfy { !$0.updated.contains(office.ours) })
  }
}
