// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// Two contexts change whose badge a team has; whatever they have read, and whoever wins, both sides agree in the store.
@Suite("SEMANTICS 1C.3, 1M.1: both sides of a one-to-one relationship in races")
struct PartnerRaceTests {
  /// Two teams and two badges, as a context has them.
  struct Desk {
    let context: ManagedObjectContext
    let teams: [Team]
    let badges: [Badge]

    init(_ context: ManagedObjectContext) {
      self.context = context
      teams = [Team(context: context), Team(context: context)]
      badges = [Badge(context: context), Badge(context: context)]
    }

    /// The objects of another context, as they are stored when they are looked at.
    init(_ context: ManagedObjectContext, faultsOf other: Desk) throws {
      self.context = context
      teams = try other.teams.map { try context.fault(Team.self, for: $0.objectID) }
      badges = try other.badges.map { try context.fault(Badge.self, for: $0.objectID) }
    }
  }

  /// What two contexts do: the first saves first.
  enum Race: CaseIterable {
    case moved, movedFromTeam, emptied, deleted, deletedUnderEdit, replaced
    case emptiedUnderEdit, emptiedFromTeamUnderEdit, editedWhileReplaced
    case refreshedBadge, refreshedTeam, refreshedAll, comesBack, assignedAgain
    case assignedAgainAfterRefresh, givenBack, movedUnderEdit, refreshedBeforeMail
    case refreshedUnderEdit

    /// Whether the first badge is the first team's at the beginning.
    var hasBadge: Bool {
      switch self {
      case .replaced, .emptiedUnderEdit, .emptiedFromTeamUnderEdit, .editedWhileReplaced,
        .assignedAgain, .assignedAgainAfterRefresh, .givenBack:
        true
      default: false
      }
    }

    func run(_ theirs: Desk, _ ours: Desk) throws {
      switch self {
      case .moved, .movedFromTeam, .emptied, .deleted, .deletedUnderEdit:
        // The team was read before it got the badge, the badge afterwards.
        for team in ours.teams { #expect(team.badge == nil) }
        if self == .deletedUnderEdit { ours.teams[0].title = "ours" }
        theirs.teams[0].badge = theirs.badges[0]
        try theirs.context.save()
        ours.context.refresh(ours.badges[0], mergeChanges: true)
        switch self {
        case .moved: ours.badges[0].team = ours.teams[1]
        case .movedFromTeam: ours.teams[1].badge = ours.badges[0]
        case .emptied: ours.badges[0].team = nil
        default: ours.context.delete(ours.badges[0])
        }
      case .replaced:
        #expect(ours.teams[0].badge != nil)
        theirs.badges[0].team = theirs.teams[1]
        try theirs.context.save()
        ours.context.refresh(ours.badges[0], mergeChanges: true)
        ours.teams[0].badge = ours.badges[1]
      case .emptiedUnderEdit, .emptiedFromTeamUnderEdit:
        if self == .emptiedUnderEdit {
          ours.badges[0].team = nil
          theirs.badges[0].text = "theirs"
        } else {
          ours.teams[0].badge = nil
          theirs.teams[0].title = "theirs"
        }
        try theirs.context.save()
      case .editedWhileReplaced:
        ours.badges[0].text = "ours"
        _ = ours.badges[1].text
        theirs.badges[1].team = theirs.teams[0]
        try theirs.context.save()
      case .refreshedBadge, .refreshedTeam, .refreshedAll:
        ours.teams[0].badge = ours.badges[0]
        if self == .refreshedTeam {
          theirs.teams[0].badge = theirs.badges[1]
        } else {
          theirs.badges[0].team = theirs.teams[1]
        }
        try theirs.context.save()
        switch self {
        case .refreshedBadge: ours.context.refresh(ours.badges[0], mergeChanges: true)
        case .refreshedTeam: ours.context.refresh(ours.teams[0], mergeChanges: true)
        default: ours.context.refreshAllObjects()
        }
      case .comesBack:
        ours.teams[0].badge = ours.badges[0]
        theirs.badges[0].text = "theirs"
        theirs.context.delete(theirs.teams[0])
        try theirs.context.save()
        ours.context.delete(ours.badges[0])
      case .assignedAgain:
        _ = (ours.badges[0].team, ours.teams[0].badge)
        ours.badges[0].text = "ours"
        theirs.badges[0].team = theirs.teams[1]
        try theirs.context.save()
        ours.badges[0].team = ours.teams[0]
      case .assignedAgainAfterRefresh:
        #expect(ours.teams[0].badge === ours.badges[0])
        theirs.badges[0].team = theirs.teams[1]
        try theirs.context.save()
        ours.context.refresh(ours.badges[0], mergeChanges: true)
        ours.teams[0].badge = ours.badges[0]
      case .givenBack:
        ours.badges[0].text = "ours"
        theirs.badges[1].team = theirs.teams[0]
        try theirs.context.save()
        ours.context.refresh(ours.teams[0], mergeChanges: true)
        ours.badges[0].team = ours.teams[0]
      case .movedUnderEdit:
        ours.teams[0].title = "ours"
        theirs.teams[0].badge = theirs.badges[0]
        try theirs.context.save()
        ours.context.refresh(ours.badges[0], mergeChanges: true)
        ours.teams[1].badge = ours.badges[0]
        ours.context.refreshAllObjects()
      case .refreshedUnderEdit:
        #expect(ours.badges[0].team == nil)
        ours.teams[0].title = "ours"
        theirs.teams[0].badge = theirs.badges[0]
        try theirs.context.save()
        ours.context.refresh(ours.teams[0], mergeChanges: true)
      case .refreshedBeforeMail:
        #expect(ours.teams[0].badge == nil)
        ours.badges[0].team = ours.teams[1]
        theirs.badges[0].team = theirs.teams[0]
        try theirs.context.save()
        ours.context.refresh(ours.badges[0], mergeChanges: true)
      }
    }
  }

  /// What is wrong with the pairs that are stored.
  private func breaches(in context: ManagedObjectContext) throws -> [String] {
    let (teams, badges) = (try context.fetch(Team.all), try context.fetch(Badge.all))
    return teams.filter { team in
      team.badge.map { !badges.contains($0) || $0.team !== team } ?? false
    }
    .map { "team \($0.objectID): \($0.badge?.objectID as Any)" }
      + badges.filter { badge in
        badge.team.map { !teams.contains($0) || $0.badge !== badge } ?? false
      }
      .map { "badge \($0.objectID): \($0.team?.objectID as Any)" }
  }

  @Test(arguments: StoreKind.allCases, Race.allCases)
  func `1C.3 both sides agree in the store, whoever has read what`(
    _ kind: StoreKind,
    _ race: Race
  ) throws {
    for policy in mergingPolicies + [.error] {
      for merges in [false, true] {
        let bench = try Bench(kind)
        let (first, second) = (bench.context(), bench.context())
        first.automaticallyMergesChangesFromParent = true
        second.automaticallyMergesChangesFromParent = merges
        second.mergePolicy = policy
        let theirs = Desk(first)
        if race.hasBadge { theirs.teams[0].badge = theirs.badges[0] }
        try first.save()
        let ours = try Desk(second, faultsOf: theirs)
        try race.run(theirs, ours)
        do throws(PerennialError) {
          try second.save()
        } catch {
          #expect(
            error.code == .managedObjectMerge && policy == .error,
            "\(policy), merges: \(merges)"
          )
          if race == .comesBack {
            try second.resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
          } else {
            try second.discard(error.conflicts)
          }
          try second.save()
        }
        let reader = bench.context()
        #expect(try breaches(in: reader) == [], "\(policy), merges: \(merges)")
        #expect(
          try breaches(in: second) == [],
          "\(policy), merges: \(merges), the context that saved"
        )
      }
    }
  }
}
