// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D.2: IDs in a family of contexts")
struct ChildIdentityTests {
  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 an object has one ID in all contexts of a family`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let commit = family.child.insertCommit("abc")
    let temporary = commit.objectID
    #expect(temporary.isTemporaryID)
    var objects = [commit]
    for context in family.line.dropFirst() {
      try objects.last?.managedObjectContext?.save()
      let object = try context.object(Commit.self, with: temporary)
      #expect(object.objectID == temporary)
      #expect(context.registeredObject(for: temporary) === object)
      #expect(object.isInserted)
      objects.append(object)
    }
    #expect(!commit.isInserted)
    try family.top.save()
    let id = commit.objectID
    #expect(!id.isTemporaryID)
    for (object, context) in zip(objects, family.line) {
      #expect(object.objectID == id)
      #expect(context.registeredObject(for: id) === object)
      #expect(context.registeredObject(for: temporary) === object)
      #expect(try context.existingObject(with: temporary) === object)
    }
    #expect(try family.reader().existingObject(with: temporary).objectID == id)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 temporary keys of siblings and parents differ`(_ kind: StoreKind) throws {
    let family = try Family(kind)
    let sibling = ManagedObjectContext(parent: family.top)
    let commits = [family.top, family.child, sibling, family.child].enumerated().map {
      $1.insertCommit("sha \($0)")
    }
    #expect(Set(commits.map(\.objectID)).count == 4)
    try family.child.save()
    try sibling.save()
    try family.top.save()
    #expect(try family.stored(Commit.self).count == 4)
    #expect(Set(commits.map(\.objectID)).count == 4)
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 keys that become permanent reach pending changes below`(
    _ kind: StoreKind,
    _ depth: Int
  ) throws {
    let family = try Family(kind, depth: depth)
    let ada = family.top.insertAuthor("Ada")
    let bob = family.top.insertAuthor("Bob")
    let first = family.top.insertCommit("1")
    first.author = ada
    let team = Team(context: family.top)

    let child = family.child
    let (myAda, myBob) = (
      try child.object(Author.self, with: ada.objectID),
      try child.object(Author.self, with: bob.objectID)
    )
    let myFirst = try child.object(Commit.self, with: first.objectID)
    let myTeam = try child.object(Team.self, with: team.objectID)
    let untouched = try child.object(Commit.self, with: first.objectID)
    #expect(untouched.author === myAda)
    let new = child.insertCommit("2")
    new.author = myAda
    myFirst.author = myBob
    myTeam.members = [myBob, myAda]
    #expect(myAda.commits.map(\.sha) == ["2"])

    try family.top.save()
    #expect(!myAda.objectID.isTemporaryID)
    #expect(new.objectID.isTemporaryID)
    #expect(new.author === myAda)
    #expect(myFirst.author === myBob)
    #expect(myAda.commits.map(\.sha) == ["2"])
    #expect(myBob.commits.map(\.sha) == ["1"])
    #expect(Array(myTeam.members) == [myBob, myAda])
    #expect(Array(myAda.teams) == [myTeam])

    try family.saveAll()
    let stored = try family.stored(Author.self)
    let names = Dictionary(uniqueKeysWithValues: stored.map { ($0.name, $0.commits.map(\.sha)) })
    #expect(names == ["Ada": ["2"], "Bob": ["1"]])
    #expect(try family.stored(Team.self).first?.members.map(\.name) == ["Bob", "Ada"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 keys that become permanent reach unchanged rows below`(_ kind: StoreKind) throws {
    let family = try Family(kind, depth: 2)
    let author = family.top.insertAuthor("Ada")
    family.top.insertCommit("1").author = author
    let commits = try family.child.fetch(Commit.all)
    let middle = try family.parent.fetch(Commit.all)
    try family.top.save()
    #expect(commits[0].author?.objectID == author.objectID)
    #expect(middle[0].author?.objectID == author.objectID)
    #expect(commits[0].author?.name == "Ada")
    #expect(!family.child.hasChanges)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.2 an object that a sibling merged into a stored one stands for it`(
    _ kind: StoreKind,
    _ isChanged: Bool
  ) throws {
    let family = try Family(kind)
    let stored = family.top.insertCommit("1", "stored")
    try family.top.save()
    let new = family.top.insertCommit("2", "new")
    // Both children have copies of both.
    let mine = try family.child.object(Commit.self, with: new.objectID)
    let twin = try family.child.object(Commit.self, with: stored.objectID)
    #expect(mine.sha == "2" && twin.sha == "1")
    if isChanged { mine.url = "mine" }
    let sibling = ManagedObjectContext(parent: family.top)
    sibling.mergePolicy = .overwrite
    let theirs = try sibling.object(Commit.self, with: new.objectID)
    _ = try sibling.object(Commit.self, with: stored.objectID).sha
    theirs.sha = "1"
    try sibling.save()
    try family.top.save()
    #expect(try family.stored(Commit.self).map(\.message) == ["new"])
    // From here on, the ID of the one leads to the other.
    stored.message = "newer"
    _ = family.top.insertCommit("3")
    try family.top.save()
    #expect(family.child.registeredObject(for: stored.objectID) === twin)
    #expect(mine.objectID == twin.objectID)
    try family.child.save()
    family.child.refreshAllObjects()
    #expect(twin.message == "newer" && twin.sha == "1")
    #expect(mine.message == "newer")
    try family.top.save()
    let commits = try family.stored(Commit.self).sorted { $0.sha < $1.sha }
    #expect(commits.map(\.sha) == ["1", "3"])
    #expect(commits.map(\.url) == [isChanged ? "mine" : "", ""])
  }
}
