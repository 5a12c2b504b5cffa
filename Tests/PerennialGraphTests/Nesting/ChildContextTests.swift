// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1D.2: child contexts read from and save to their parent")
struct ChildContextTests {
  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 a save of a child reaches its parent and nothing further`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let commit = family.child.insertCommit("abc", "new")
    for (level, context) in family.line.enumerated() {
      #expect(context.hasChanges == (level == 0))
    }
    for (level, context) in family.line.enumerated() {
      try context.save()
      #expect(!context.hasChanges)
      #expect(try context.count(for: Commit.all) == 1)
      guard level < depth else { continue }
      #expect(family.line[level + 1].hasChanges)
      #expect(try family.stored(Commit.self).isEmpty)
    }
    #expect(try family.stored(Commit.self).map(\.message) == ["new"])
    #expect(commit.message == "new")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a child that is thrown away leaves nothing behind`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let top = bench.context()
    let commit = top.insertCommit("abc", "old")
    try top.save()
    do {
      let sheet = ManagedObjectContext(parent: top)
      let draft = try sheet.object(Commit.self, with: commit.objectID)
      draft.message = "draft"
      draft.author = sheet.insertAuthor("Ada")
      #expect(draft.author?.name == "Ada")
    }
    #expect(commit.message == "old")
    #expect(!top.hasChanges)
    #expect(try top.count(for: Author.all) == 0)
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 a child sees the unsaved changes above it`(_ kind: StoreKind, _ depth: Int) throws {
    let family = try Family(kind, depth: depth)
    let author = family.top.insertAuthor("Ada")
    for number in 0..<4 {
      family.top.insertCommit("sha \(number)", "message \(number)").author = author
    }
    try family.top.save()
    let commits = try family.top.fetch(Commit.sorted(by: \.sha))
    commits[0].message = "changed"
    family.top.delete(commits[1])
    commits[2].author = nil
    family.top.insertCommit("sha 9", "message 9").author = author

    let child = family.child
    #expect(
      try child.fetch(Commit.sorted(by: \.sha, .reverse)).map(\.message)
        == ["message 9", "message 3", "message 2", "changed"]
    )
    #expect(try child.count(for: Commit.filter("message BEGINSWITH 'm'")) == 3)
    #expect(try child.first(Commit.filter("message == 'changed'"))?.sha == "sha 0")
    #expect(try child.count(for: Commit.filter("author.name == 'Ada'")) == 3)
    let same = try child.object(Author.self, with: author.objectID)
    #expect(Set(same.commits.map(\.sha)) == ["sha 0", "sha 3", "sha 9"])
    #expect(same.commits.count == 3)
    #expect(!child.hasChanges)
    #expect(code { _ = try child.existingObject(with: commits[1].objectID) } == .objectGone)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 committed members of what is new above are those of the parent`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let author = family.top.insertAuthor("Ada")
    let commit = family.top.insertCommit("abc")
    commit.author = author
    let same = try family.child.object(Author.self, with: author.objectID)
    let values = try same.committedValues(forKeys: ["name", "commits"])
    #expect(values["name"] as? String == "Ada")
    #expect(values["commits"] as? [ManagedObjectID] == [commit.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 changes of the parent are seen by the next fetch of the child`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc", "one")
    try family.top.save()
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    #expect(mine.message == "one")
    for message in ["two", "three"] {
      commit.message = message
      _ = try family.child.fetch(Commit.all)
      #expect(mine.message == message)
    }
    try family.top.save()
    commit.message = "four"
    family.top.rollback()
    _ = try family.child.fetch(Commit.all)
    #expect(mine.message == "three")
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 rollback of a child touches nothing above`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let commit = family.parent.insertCommit("abc", "above")
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    mine.message = "below"
    _ = family.child.insertCommit("def")
    family.child.delete(mine)
    family.child.rollback()
    #expect(mine.message == "above")
    #expect(!mine.isDeleted)
    #expect(commit.message == "above")
    #expect(try family.parent.count(for: Commit.all) == 1)
    #expect(family.parent.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 rollback of a parent drops what its child has saved`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc", "stored")
    try family.top.save()
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    mine.message = "changed"
    let new = family.child.insertCommit("def")
    try family.child.save()
    #expect(commit.message == "changed")
    family.top.rollback()
    #expect(commit.message == "stored")
    #expect(try family.child.fetch(Commit.all) == [mine])
    #expect(mine.message == "stored")
    new.message = "again"
    #expect(code { try family.child.save() } == .managedObjectMerge)
    family.child.mergePolicy = .mergeByPropertyObjectTrump
    try family.child.save()
    #expect(try family.top.count(for: Commit.all) == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 an object of the parent is foreign to the child`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let author = family.top.insertAuthor("Ada")
    let commit = family.child.insertCommit("abc")
    commit.author = author
    #expect(code { try family.child.save() } == .foreignObject)
    commit.author = try family.child.object(with: author.objectID)
    try family.child.save()
    #expect(author.commits.map(\.sha) == ["abc"])
    family.child.delete(author)
    #expect(code { try family.child.processPendingChanges() } == .foreignObject)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a child holds its parent, and no parent its child`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    weak var parent: ManagedObjectContext?
    weak var child: ManagedObjectContext?
    do {
      let inner: ManagedObjectContext
      do {
        let outer = bench.context()
        _ = outer.insertCommit("abc")
        inner = ManagedObjectContext(parent: outer)
        parent = outer
      }
      child = inner
      #expect(inner.parent === parent)
      #expect(try inner.count(for: Commit.all) == 1)
      let grandchild = ManagedObjectContext(parent: inner)
      #expect(try grandchild.fetch(Commit.all).map(\.sha) == ["abc"])
    }
    #expect(parent == nil)
    #expect(child == nil)
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 an import in a child finds what is unsaved above`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    _ = family.top.insertCommit("abc", "stored")
    try family.top.save()
    let pending = family.top.insertCommit("def", "pending")
    let found = try family.child.upsert(
      Commit.self,
      from: ["abc", "def", "ghi"],
      matching: \.sha,
      \.self
    ) { commit, sha in commit.url = "/" + sha }
    #expect(found.map(\.message) == ["stored", "pending", ""])
    #expect(found[1].objectID == pending.objectID)
    try family.saveAll()
    #expect(Set(try family.stored(Commit.self).map(\.url)) == ["/abc", "/def", "/ghi"])
  }
}
