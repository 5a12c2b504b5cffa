// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Observation
import PerennialGraph
import PerennialModel
import Synchronization
import Testing

/// SEMANTICS 1F.7: `withObservationTracking` on managed objects.
@Suite("Observation")
struct ObservationTests {
  /// Whether an action changes what a closure reads, as Observation sees it.
  private func tells(
    _ read: () -> Void,
    when change: () throws -> Void
  ) rethrows -> Bool {
    let told = Told()
    withObservationTracking {
      read()
    } onChange: {
      told.flag.store(true, ordering: .relaxed)
    }
    try change()
    return told.flag.load(ordering: .relaxed)
  }

  private final class Told: Sendable {
    let flag = Atomic(false)
  }

  private func observedCast(_ kind: StoreKind) throws -> Cast {
    let bench = try Bench(kind)
    let context = bench.context()
    context.isObserving = true
    return try Cast(bench, context)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 a setter tells the observers of its property, and of no other`(
    _ kind: StoreKind
  ) throws {
    let cast = try observedCast(kind)
    let commit = cast.commit

    #expect(tells({ _ = commit.message }, when: { commit.message = "1" }))
    #expect(tells({ _ = commit.date }, when: { commit.date = .now }))
    #expect(tells({ _ = commit.kind }, when: { commit.kind = .merge }))
    #expect(tells({ _ = commit.size }, when: { commit.size = 1 }))
    let place = Place(file: "a.swift", line: 1)
    #expect(tells({ _ = commit.place }, when: { commit.place = place }))
    #expect(tells({ _ = commit.scratch }, when: { commit.scratch = 1 }))
    #expect(tells({ _ = commit.author }, when: { commit.author = nil }))
    #expect(!tells({ _ = commit.message }, when: { commit.url = "other" }))
    #expect(!tells({ _ = commit.message }, when: { commit.message = "1" }))
    withExtendedLifetime(cast) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 access by name is observed`(_ kind: StoreKind) throws {
    let cast = try observedCast(kind)
    let commit = cast.commit

    let isTold = try tells(
      { _ = try? commit.value(forKey: "message") },
      when: { try commit.setValue("1", forKey: "message") }
    )
    let isToldOfAuthor = try tells(
      { _ = try? commit.object(forKey: "author") },
      when: { try commit.setObject(nil, forKey: "author") }
    )
    #expect(isTold && isToldOfAuthor)
    withExtendedLifetime(cast) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 the inverse is told`(_ kind: StoreKind) throws {
    let cast = try observedCast(kind)
    let (context, author, commit) = (cast.context, cast.author, cast.commit)
    let badge = Badge(context: context)

    #expect(tells({ _ = author.commits.count }, when: { commit.author = nil }))
    #expect(tells({ _ = Array(author.commits) }, when: { commit.author = author }))
    #expect(tells({ _ = author.commits.contains(commit) }, when: { commit.author = nil }))
    #expect(tells({ _ = commit.author }, when: { author.commits.insert(commit) }))
    #expect(tells({ _ = badge.team }, when: { cast.team.badge = badge }))
    #expect(tells({ _ = cast.team.badge }, when: { badge.team = nil }))
    #expect(tells({ _ = cast.team.members.count }, when: { author.teams.removeAll() }))
    #expect(tells({ _ = author.teams.isEmpty }, when: { cast.team.members.append(author) }))
    #expect(!tells({ _ = author.teams.isEmpty }, when: { commit.author = nil }))
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 an order is observed, also one that was read before`(_ kind: StoreKind) throws {
    let cast = try observedCast(kind)
    let members = cast.team.members
    let other = Author(context: cast.context)
    other.name = "Ann"
    members.append(other)
    _ = members[0]

    #expect(tells({ _ = members[0] }, when: { members.move(from: 1, to: 0) }))
    #expect(tells({ _ = members.endIndex }, when: { members.remove(other) }))
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 deleting tells the observers of the object and of its owner`(
    _ kind: StoreKind
  ) throws {
    let cast = try observedCast(kind)

    #expect(
      tells({ _ = cast.author.commits.count }, when: { cast.context.delete(cast.commit) })
    )
    #expect(tells({ _ = cast.author.name }, when: { cast.context.delete(cast.author) }))
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 a rollback tells`(_ kind: StoreKind) throws {
    let cast = try observedCast(kind)
    cast.author.name = "Ann"
    cast.author.teams.removeAll()
    let new = Author(context: cast.context)
    let (author, team) = (cast.author, cast.team)

    #expect(
      tells({ _ = author.name }, when: { cast.context.rollback() })
    )
    #expect(author.name == "Joe")
    team.members.removeAll()
    #expect(tells({ _ = team.members.count }, when: { cast.context.rollback() }))
    _ = new
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 values from another context tell when they come in`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.isObserving = true
    let cast = try Cast(bench, context)
    let other = bench.context()
    try other.object(Author.self, with: cast.author.objectID).name = "Ann"
    try other.save()

    let isTold = try tells(
      { _ = cast.author.name },
      when: {
        _ = try context.fetch(Author.all)
        try context.processPendingChanges()
      }
    )

    #expect(isTold)
    #expect(cast.author.name == "Ann")
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 an optimistic merge tells`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.isObserving = true
    context.mergePolicy = .mergeByPropertyObjectTrump
    let cast = try Cast(bench, context)
    let other = bench.context()
    try other.object(Author.self, with: cast.author.objectID).name = "Ann"
    try other.save()
    cast.author.email = "joe@example.org"

    let isTold = try tells({ _ = cast.author.name }, when: { try context.save() })
    #expect(isTold)
    #expect(cast.author.name == "Ann")
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 a merged twin tells, and is observed through its survivor`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.isObserving = true
    context.mergePolicy = .mergeByPropertyObjectTrump
    let first = Commit(context: context)
    first.sha = "1"
    let second = Commit(context: context)
    second.sha = "1"

    let isTold = try tells(
      { _ = second.message },
      when: { try context.processPendingChanges() }
    )
    #expect(isTold)
    #expect(second.isForwarding)
    #expect(tells({ _ = second.message }, when: { first.message = "Told" }))
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 what another object observes goes on after an object died`(
    _ kind: StoreKind
  ) throws {
    let cast = try observedCast(kind)
    let context = cast.context
    for number in 0..<100 {
      let passing = Author(context: context)
      _ = tells({ _ = passing.name }, when: { passing.name = "\(number)" })
      context.delete(passing)
    }
    context.rollback()

    #expect(context.registeredObjects == [cast.author, cast.commit, cast.team])
    #expect(tells({ _ = cast.author.name }, when: { cast.author.name = "Ann" }))
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 the IDs of a relationship are observed`(_ kind: StoreKind) throws {
    let cast = try observedCast(kind)
    let (author, commit, team) = (cast.author, cast.commit, cast.team)
    func ids(_ object: ManagedObject, _ name: String) {
      _ = try? object.objectIDs(forRelationshipNamed: name)
    }

    #expect(tells({ _ = author.commits.objectIDs }, when: { commit.author = nil }))
    #expect(tells({ _ = team.members.objectIDs }, when: { team.members.remove(author) }))
    #expect(tells({ ids(author, "commits") }, when: { commit.author = author }))
    #expect(tells({ ids(commit, "author") }, when: { commit.author = nil }))
    #expect(
      tells({ _ = try? team.value(forKey: "members") }, when: { team.members.append(author) })
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 a context that does not observe registers nothing`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)

    #expect(!tells({ _ = cast.author.name }, when: { cast.author.name = "Ann" }))
    cast.context.isObserving = true
    #expect(tells({ _ = cast.author.name }, when: { cast.author.name = "Bea" }))
    #expect(tells({ _ = cast.author.commits.count }, when: { cast.commit.author = nil }))
    cast.context.isObserving = false
    #expect(!tells({ _ = cast.author.name }, when: { cast.author.name = "Cleo" }))
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 an observer may change the object that is being changed`(_ kind: StoreKind) throws {
    let cast = try observedCast(kind)
    let box = Confined(cast)
    let told = Told()

    withObservationTracking {
      _ = cast.author.name
    } onChange: {
      // Rolling back tells the same observer again.
      guard !told.flag.exchange(true, ordering: .relaxed) else { return }
      box.cast.context.rollback()
      box.cast.author.email = String(repeating: "long ", count: 200)
    }
    cast.author.name = "Ann"

    #expect(cast.author.name == "Ann")
    #expect(cast.author.email.count == 1_000)
    try cast.context.save()
  }

  /// Lets a callback that runs at once, on the same thread, use objects.
  ///
  /// Safe because the test changes the objects on one thread only, and so the callback runs there.
  private struct Confined: @unchecked Sendable {
    let cast: Cast
    init(_ cast: Cast) { self.cast = cast }
  }
}
