// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D.2: transient values go up with the save of a child")
struct ChildTransientTests {
  @Test(arguments: StoreKind.allCases, 1...2)
  func `1D.2 a transient value alone reaches the parent`(_ kind: StoreKind, _ depth: Int) throws {
    let family = try Family(kind, depth: depth)
    let commit = family.top.insertCommit("abc")
    try family.top.save()
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    mine.scratch = 7
    for context in family.line.dropLast() { try context.save() }
    #expect(commit.scratch == 7 && commit.hasChanges && !commit.hasPersistentChangedValues)
    #expect(!family.child.hasChanges && mine.scratch == 7)
    try family.top.save()
    #expect(commit.scratch == 7 && !family.top.hasChanges)
    #expect(try family.stored(Commit.self).map(\.scratch) == [0])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a transient value goes up beside a stored one`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc")
    try family.top.save()
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    (mine.scratch, mine.message) = (7, "new")
    try family.child.save()
    #expect(commit.scratch == 7 && commit.message == "new")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a transient value of an object that the parent deleted is no conflict`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    let commit = family.top.insertCommit("abc")
    try family.top.save()
    let mine = try family.child.object(Commit.self, with: commit.objectID)
    mine.scratch = 7
    family.top.delete(commit)
    try family.child.save()
    #expect(commit.isDeleted && family.child.conflicts.isEmpty)
  }
}
