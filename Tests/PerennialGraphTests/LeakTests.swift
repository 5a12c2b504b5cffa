// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialGraph

@Suite("Objects and contexts are freed")
struct LeakTests {
  /// References that count as none when their objects are gone.
  private struct Weak {
    private struct Box { weak var object: AnyObject? }

    private var boxes: [Box] = []

    mutating func note(_ objects: [AnyObject?]) { boxes += objects.map { Box(object: $0) } }

    var living: [AnyObject] { boxes.compactMap(\.object) }
  }

  /// Saves a graph with every kind of cycle: one to one, one to many, many to many, both ways.
  private func cycle(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    let (author, other) = (Author(context: context), Author(context: context))
    let (team, badge) = (Team(context: context), GoldBadge(context: context))
    let commit = Commit(context: context)
    (author.name, other.name, commit.sha) = ("Joe", "Ada", "1")
    commit.author = author
    team.members = [author, other]
    team.badge = badge
    team.allies.insert(team)
    return [author, other, team, badge, commit]
  }

  @Test(arguments: StoreKind.allCases)
  func `saved objects in a cycle are freed while their context lives`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    var noted = Weak()
    do {
      let objects = try cycle(context)
      noted.note(objects)
      #expect(noted.living.count == 5)
      try context.save()
    }
    context.refreshAllObjects()
    #expect(noted.living.isEmpty)
    let author = try #require(try context.fetch(Author.all).first { $0.name == "Joe" })
    #expect(author.commits.count == 1 && author.teams.first { _ in true }?.badge != nil)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a context is freed with its unsaved cycles, its undo log and its deleted objects`(
    _ kind: StoreKind,
    _ hasUndo: Bool
  ) throws {
    let bench = try Bench(kind)
    var noted = Weak()
    do {
      let context = bench.context()
      context.undoManager = hasUndo ? ContextUndoManager() : nil
      noted.note([context, context.undoManager])
      let objects = try cycle(context)
      try context.save()
      noted.note(objects)
      context.delete(objects[4])
      try context.save()
      context.undo()
      noted.note(try cycle(context))
      context.undo()
      context.redo()
      context.delete(objects[2])
    }
    #expect(noted.living.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `the undo log holds objects no longer than it can bring them back`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.undoManager = ContextUndoManager()
    var noted = Weak()
    do {
      let objects = try cycle(context)
      noted.note(objects)
      context.undo()
    }
    #expect(noted.living.count == 5)
    let author = Author(context: context)
    author.name = "new"
    try context.processPendingChanges()
    #expect(noted.living.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `forwarding objects and their survivors are freed`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    var noted = Weak()
    for round in 0..<2 {
      let twins = (0..<3).map { _ in Commit(context: context) }
      for twin in twins { (twin.sha, twin.message) = ("same", "round \(round)") }
      noted.note(twins)
      try context.save()
      #expect(twins.count { $0.isForwarding } == 2 + round)
    }
    context.refreshAllObjects()
    #expect(noted.living.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `objects outlive their context and are freed after it`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    var noted = Weak()
    do {
      var context: ManagedObjectContext? = bench.context()
      noted.note([context])
      let objects = try cycle(try #require(context))
      noted.note(objects)
      try context?.save()
      context = nil
      #expect(noted.living.count == 5)
      #expect(objects.first.flatMap { $0 as? Author }?.name == "Joe")
    }
    #expect(noted.living.isEmpty)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `rows that somebody has changed or deleted are freed when they are saved over`(
    _ kind: StoreKind,
    _ isDeleted: Bool
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    weak let page = office.ours._page
    #expect(page != nil)
    try office.ours.set(["name": "B"])
    if isDeleted {
      office.first.delete(office.theirs)
    } else {
      try office.theirs.set(["salary": 11])
    }
    try office.first.save()
    try office.second.save()
    office.first.reset()
    office.second.reset()
    #expect(page == nil)
  }
}
