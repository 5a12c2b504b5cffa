// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

@Suite("SEMANTICS 1D.2, 1D.11: a child that merges its parent's changes by itself")
struct ChildMergingTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.2 what a sibling saves is merged at once, under pending edits`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc", "old")
    let doomed = family.top.insertCommit("def")
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    let mineDoomed = try family.child.object(Commit.self, with: doomed.objectID)
    family.child.automaticallyMergesChangesFromParent = true
    mine.url = "mine"

    let sibling = ManagedObjectContext(parent: family.top)
    try sibling.object(Commit.self, with: commit.objectID).message = "sibling"
    sibling.delete(try sibling.existingObject(with: doomed.objectID))
    try sibling.save()
    #expect(mine.message == "sibling")
    #expect(mine.url == "mine")
    #expect(mineDoomed.isDeleted)
    try family.child.save()
    #expect(commit.url == "mine")
    #expect(commit.message == "sibling")
  }

  @Test(arguments: StoreKind.allCases, 2...3)
  func `1D.2 what the parent saves is merged down the line`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let commit = family.top.insertCommit("abc", "old")
    let author = family.top.insertAuthor("Ada")
    try family.top.save()
    for context in family.line.dropLast() { context.automaticallyMergesChangesFromParent = true }
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    let mineAuthor = try family.child.object(Author.self, with: author.objectID)
    let between = try family.parent.object(Commit.self, with: commit.objectID)
    #expect(mine.message == "old")
    #expect(mineAuthor.commits.isEmpty)
    commit.message = "new"
    commit.author = author
    #expect(mine.message == "old")
    try family.top.save()
    #expect(between.message == "new")
    #expect(mine.message == "new")
    #expect(mine.author === mineAuthor)
    #expect(Array(mineAuthor.commits) == [mine])
    #expect(!family.child.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 what the parent merges from the store reaches the child`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc", "old")
    try family.top.save()
    family.top.automaticallyMergesChangesFromParent = true
    family.child.automaticallyMergesChangesFromParent = true
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    let other = family.reader()
    try other.object(Commit.self, with: commit.objectID).message = "elsewhere"
    try other.save()
    try family.top.processPendingChanges()
    #expect(commit.message == "elsewhere")
    #expect(mine.message == "elsewhere")
  }

  @Test(arguments: StoreKind.allCases, 1...2)
  func `1D.2 what the parent merges reaches a child that has other objects than it`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let other = family.reader()
    let (commit, doomed) = (other.insertCommit("abc", "old"), other.insertCommit("def"))
    let (author, team) = (other.insertAuthor("Ada"), Team(context: other))
    try other.save()
    for context in family.line { context.automaticallyMergesChangesFromParent = true }
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    let mineDoomed = try family.child.object(Commit.self, with: doomed.objectID)
    let mineAuthor = try family.child.object(Author.self, with: author.objectID)
    let mineTeam = try family.child.object(Team.self, with: team.objectID)
    #expect(mine.message == "old" && mineDoomed.sha == "def" && mineTeam.title.isEmpty)
    mine.url = "mine"
    mineAuthor.teams.insert(mineTeam)
    commit.message = "elsewhere"
    other.delete(doomed)
    other.delete(team)
    try other.save()
    try family.top.processPendingChanges()
    #expect(family.top.registeredObject(for: commit.objectID) == nil)
    #expect(mine.message == "elsewhere")
    #expect(mine.url == "mine")
    #expect(mineDoomed.isDeleted && mineTeam.isDeleted)
    #expect(mineAuthor.teams.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a child reads everything again when its parent's mailbox has overflown`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind, depth: 2)
    let other = family.reader()
    let (commit, doomed) = (other.insertCommit("abc", "old"), other.insertCommit("def"))
    try other.save()
    for context in family.line { context.automaticallyMergesChangesFromParent = true }
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    let mineDoomed = try family.child.object(Commit.self, with: doomed.objectID)
    #expect(mine.message == "old" && mineDoomed.sha == "def")
    other.delete(doomed)
    for number in 0..<1_001 {
      commit.message = "elsewhere \(number)"
      try other.save()
    }
    try family.top.processPendingChanges()
    #expect(mine.message == "elsewhere 1000")
    #expect(mineDoomed.isDeleted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a child reads those of its objects again for which a store has computed values`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let (other, parent) = (bench.context(), bench.context())
    let child = ManagedObjectContext(parent: parent)
    let shelves = [Shelf(context: other), Shelf(context: other)]
    for number in 0..<100 { Label(context: other).shelf = shelves[min(number, 1)] }
    try other.save()
    for context in [parent, child] { context.automaticallyMergesChangesFromParent = true }
    let labels = try child.fetch(Label.all)
    shelves[0].title = "new"
    try other.save()
    let rows = bench.coordinator.counters.rows
    try parent.processPendingChanges()
    #expect(bench.coordinator.counters.rows - rows < 10)
    #expect(labels.filter { $0.title == "new" }.count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a child does not merge by itself unless it is told to`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc", "old")
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    #expect(!family.child.automaticallyMergesChangesFromParent)
    commit.message = "new"
    try family.top.save()
    #expect(mine.message == "old")
    family.child.refresh(mine, mergeChanges: true)
    #expect(mine.message == "new")
    commit.message = "newer"
    family.child.refresh(mine, mergeChanges: false)
    #expect(mine.message == "newer")
    #expect(!family.child.hasChanges)
    family.child.reset()
    #expect(mine.managedObjectContext == nil)
    #expect(family.top.hasChanges)
    #expect(try family.child.fetch(Commit.all).map(\.message) == ["newer"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 batches and prefetching read through the parent`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    for number in 0..<8 {
      let commit = family.top.insertCommit("sha \(number)")
      commit.author = family.top.insertAuthor("author \(number)")
      if number == 3 { try family.top.save() }
    }
    var request = Commit.sorted(by: \.sha)
    request.fetchBatchSize = 3
    let commits = try family.child.fetch(request)
    #expect(commits.map(\.sha) == (0..<8).map { "sha \($0)" })
    request.fetchBatchSize = 0
    request.relationshipKeyPathsForPrefetching = ["author.commits"]
    let names = try family.child.fetch(request).map { $0.author?.name }
    #expect(names == (0..<8).map { "author \($0)" })
    #expect(commits.allSatisfy { $0.author.map { $0.commits.count } == 1 })
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a child hands up the order of new members when the parent has moved a changed one`(
    _ kind: StoreKind
  ) throws {
    let model = try ManagedObjectModel(entities: PModel.classes.map { $0.entity })
    let family = try Family(kind, model: model, classes: PModel.classes)
    let boxes = [PBox(context: family.top), PBox(context: family.top)]
    let node = PNode(context: family.top)
    node.box = boxes[0]
    try family.top.save()
    let mine = try family.child.object(PBox.self, with: boxes[0].objectID)
    let added = [PNode(context: family.child), PNode(context: family.child)]
    for node in added.reversed() { mine.items.append(node) }
    try family.child.object(PNode.self, with: node.objectID).setValue("below", forKey: "name")
    node.box = boxes[1]
    try family.saveAll()
    let order = added.reversed().map(\.objectID)
    #expect(boxes[0].items.map(\.objectID) == order)
    let stored = try family.reader().object(PBox.self, with: boxes[0].objectID)
    #expect(stored.items.map(\.objectID) == order)
  }

  @Test(
    arguments: StoreKind.allCases,
    [MergePolicy.mergeByPropertyStoreTrump, .rollback, .error]
  )
  func `1D.2 what the parent takes from the store because of a conflict reaches the child`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let family = try Family(kind, depth: 2)
    let (commit, doomed) = (family.top.insertCommit("abc", "old"), family.top.insertCommit("def"))
    try family.top.save()
    for context in family.line.dropLast() { context.automaticallyMergesChangesFromParent = true }
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    let mineDoomed = try family.child.object(Commit.self, with: doomed.objectID)
    #expect(mine.message == "old" && mineDoomed.sha == "def")
    let other = family.reader()
    try other.object(Commit.self, with: commit.objectID).message = "elsewhere"
    other.delete(try other.existingObject(with: doomed.objectID))
    try other.save()
    family.top.mergePolicy = policy
    for commit in [commit, doomed] { commit.message = "here" }
    do {
      try family.top.save()
    } catch {
      try family.top.discard(error.conflicts)
    }
    #expect(commit.message == "elsewhere" && doomed.isGone)
    #expect(mine.message == "elsewhere" && mineDoomed.isDeleted)
    mine.url = "mine"
    try family.saveAll()
    #expect(try family.stored(Commit.self).map(\.url) == ["mine"])
  }

  /// What a parent merges, without and with the keys of what has changed.
  enum Settling: CaseIterable { case change, deletion, merge }

  @Test(arguments: StoreKind.allCases, Settling.allCases)
  func `1D.2 what the parent merges hides no conflict with what it has not saved`(
    _ kind: StoreKind,
    _ settling: Settling
  ) throws {
    for depth in 1...2 {
      let family = try Family(kind, depth: depth, model: Office.model(), classes: [])
      let top = family.top
      let (other, employee) = (try top.make("Employee"), try top.make("Employee", ["salary": 100]))
      try top.save()
      for context in family.line.dropLast() { context.automaticallyMergesChangesFromParent = true }
      let mine = try family.child.existingObject(with: employee.objectID)
      let mineOther = try family.child.existingObject(with: other.objectID)
      try mine.set(["salary": 110])
      try employee.set(["salary": 600])
      if settling != .merge { try other.set(["name": "here"]) }
      let elsewhere = family.reader()
      let theirs = try elsewhere.existingObject(with: other.objectID)
      if settling == .deletion {
        elsewhere.delete(theirs)
      } else {
        try theirs.set(["name": "elsewhere"])
        if settling == .merge {
          try elsewhere.existingObject(with: employee.objectID).set(["name": "elsewhere"])
        }
      }
      try elsewhere.save()
      if settling == .merge {
        let changed = ObjectChanges(updated: [other.objectID, employee.objectID])
        try top.mergeChanges(fromRemoteContextSave: changed)
      } else {
        let error = try failure { try top.save() }
        try top.discard(error.conflicts)
      }
      #expect(mineOther.isDeleted || mineOther.fullName == "elsewhere")
      #expect(code { try family.child.save() } == .managedObjectMerge)
      family.child.rollback()
      try top.save()
      try mine.set(["salary": 610])
      try family.saveAll()
      #expect(try employee.value(forKey: "salary") as? Int64 == 610)
    }
  }

  /// How others change what a child has changed, too.
  enum Elsewhere: CaseIterable { case save, batch, overflow }

  @Test(arguments: StoreKind.allCases, Elsewhere.allCases)
  func `1D.2 what the parent merges is no conflict, however it came in`(
    _ kind: StoreKind,
    _ elsewhere: Elsewhere
  ) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc", "old")
    try family.top.save()
    for context in family.line { context.automaticallyMergesChangesFromParent = true }
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    mine.message = "mine"
    let other = family.reader()
    if elsewhere == .batch {
      var request = BatchUpdateRequest(entityName: "Commit")
      request.propertiesToUpdate = ["message": "elsewhere", "url": "elsewhere"]
      try other.execute(request)
    } else {
      let theirs = try other.object(Commit.self, with: commit.objectID)
      theirs.url = "elsewhere"
      for number in 0..<(elsewhere == .save ? 1 : 1_001) {
        theirs.message = "elsewhere \(number)"
        try other.save()
      }
    }
    try family.top.processPendingChanges()
    #expect(commit.url == "elsewhere" && mine.url == "elsewhere" && mine.message == "mine")
    try family.saveAll()
    #expect(try family.stored(Commit.self).map(\.message) == ["mine"])
  }

  @Test(arguments: StoreKind.allCases, 1...2)
  func `1D.2 what was left out beside edits is merged when they are given up`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth, model: Office.model(), classes: [])
    let employee = try family.top.make("Employee", ["salary": 100, "name": "old"])
    try family.top.save()
    for context in family.line { context.automaticallyMergesChangesFromParent = true }
    let mine = try family.child.existingObject(with: employee.objectID)
    try mine.set(["salary": 110])
    try employee.set(["salary": 600])
    let elsewhere = family.reader()
    try elsewhere.existingObject(with: employee.objectID).set(["name": "new"])
    try elsewhere.save()
    try family.top.processPendingChanges()
    for context in family.line.reversed() { context.rollback() }
    #expect(try mine.value(forKey: "name") as? String == "new" && !family.child.hasChanges)
    try mine.set(["name": "mine"])
    try family.saveAll()
    #expect(try employee.value(forKey: "name") as? String == "mine")
  }
}
