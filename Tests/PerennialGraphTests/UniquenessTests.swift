// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M: uniqueness and merging")
struct UniquenessTests {
  private func commit(_ sha: String, _ message: String? = nil, in context: ManagedObjectContext)
    -> Commit
  {
    let commit = Commit(context: context)
    commit.sha = sha
    if let message { commit.message = message }
    return commit
  }

  @Test(arguments: StoreKind.allCases)
  func `error: a twin in the store fails with 133021 and the changes stay`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let first = bench.context()
    _ = commit("abc", "old", in: first)
    try first.save()
    let context = bench.context()
    let newcomer = commit("abc", "new", in: context)
    let other = commit("def", in: context)
    do {
      try context.save()
      Issue.record("the save should have failed")
    } catch {
      #expect(error.code == .managedObjectConstraintMerge)
      #expect(error.problems.map(\.objectID) == [newcomer.objectID])
      #expect(error.problems.first?.property == "sha")
    }
    #expect(newcomer.isInserted)
    #expect(try bench.context().count(for: Commit.all) == 1)
    newcomer.sha = "ghi"
    try context.save()
    #expect(!other.objectID.isTemporaryID)
    #expect(try bench.context().count(for: Commit.all) == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `object trump: the stored object survives, assigned properties win, others stay`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let first = bench.context()
    let author = Author(context: first)
    author.name = "Joe"
    let stored = commit("abc", "old", in: first)
    stored.url = "https://example.org"
    stored.size = 3
    stored.author = author
    try first.save()

    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let newcomer = commit("abc", "new", in: context)
    newcomer.size = nil
    let temporary = newcomer.objectID
    try context.save()
    #expect(newcomer.objectID == stored.objectID)
    #expect(newcomer.isForwarding)
    #expect(newcomer.message == "new")
    #expect(newcomer.url == "https://example.org")
    #expect(newcomer.author?.name == "Joe")
    newcomer.url = "https://example.com"
    #expect(context.hasChanges)
    try context.save()
    let reader = bench.context()
    let rows = try reader.fetch(Commit.all)
    #expect(rows.count == 1)
    #expect(rows.first?.message == "new")
    #expect(rows.first?.url == "https://example.com")
    #expect(rows.first?.objectID == stored.objectID)
    #expect(try context.object(Commit.self, with: temporary).objectID == stored.objectID)
  }

  @Test(arguments: StoreKind.allCases)
  func `two unsaved twins become one`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let first = commit("abc", "one", in: context)
    first.url = "u"
    let second = commit("abc", "two", in: context)
    #expect(code { try context.processPendingChanges() } == .managedObjectConstraintMerge)
    #expect(code { _ = try context.fetch(Commit.all) } == .managedObjectConstraintMerge)
    context.mergePolicy = .mergeByPropertyObjectTrump
    let fetched = try context.fetch(Commit.all)
    #expect(fetched == [first])
    #expect(second.isForwarding)
    #expect(first.message == "two")
    #expect(first.url == "u")
    try context.save()
    #expect(second.objectID == first.objectID)
    #expect(try bench.context().count(for: Commit.all) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `members of the loser join the survivor`(_ kind: StoreKind) throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Tag",
        uniqueness: [["name"]],
        properties: [
          .attribute("name", .string), .toMany("notes", "Note"), .toMany("posts", "Post"),
        ]
      ),
      EntityDescription("Note", properties: [.toOne("tag", "Tag")]),
      EntityDescription("Post", properties: [.toMany("tags", "Tag")])
    )
    let bench = try Bench(kind, model: model)
    func fill(_ context: ManagedObjectContext) throws -> ManagedObject {
      let tag = try context.insert(entityNamed: "Tag")
      try tag.setValue("swift", forKey: "name")
      let note = try context.insert(entityNamed: "Note")
      try note.setObject(tag, forKey: "tag")
      let post = try context.insert(entityNamed: "Post")
      try post.objects(forKey: "tags").insert(tag)
      return tag
    }
    let first = bench.context()
    _ = try fill(first)
    try first.save()
    let second = bench.context()
    second.mergePolicy = .mergeByPropertyObjectTrump
    let tag = try fill(second)
    try second.save()
    #expect(try tag.objects(forKey: "notes").count == 2)
    #expect(try tag.objects(forKey: "posts").count == 2)
    let third = bench.context()
    let tags = try third.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))
    #expect(tags.count == 1)
    #expect(try tags.first?.objects(forKey: "notes").count == 2)
    #expect(try tags.first?.objects(forKey: "posts").count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `values may move between objects in one save`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let (a, b, c) = (
      commit("a", in: context), commit("b", in: context), commit("c", in: context)
    )
    try context.save()
    a.sha = "b"
    b.sha = "a"
    context.delete(c)
    let d = commit("c", in: context)
    try context.save()
    #expect(a.sha == "b")
    #expect(d.sha == "c")
    #expect(Set(try bench.context().fetch(Commit.all).map(\.sha)) == ["a", "b", "c"])
  }

  @Test(arguments: StoreKind.allCases)
  func `upsert finds stored and unsaved objects and writes only differences`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let entries = (0..<1_200).map { (sha: "sha \($0 % 1_100)", message: "m \($0 % 1_100)") }
    func run() throws -> [Commit] {
      try context.upsert(Commit.self, from: entries, matching: \.sha, \.sha) { commit, entry in
        commit.message = entry.message
      }
    }
    let first = try run()
    #expect(first.count == 1_200)
    #expect(first[0] === first[1_100])
    try context.save()
    #expect(try bench.context().count(for: Commit.all) == 1_100)
    let second = try run()
    #expect(second == first)
    #expect(!context.hasChanges)
    let found = try context.findOrInsert(Commit.self, where: \.sha, equals: "sha 7")
    #expect(found === first[7])
    #expect(try context.findOrInsert(Commit.self, where: \.sha, equals: "new").isInserted)
  }

  @Test(arguments: StoreKind.allCases)
  func `an unsaved object is found by the unique value that it has now`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let first = bench.context()
    _ = commit("stored", in: first)
    _ = commit("taken", in: first)
    try first.save()
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    func find(_ sha: String) throws -> Commit {
      try context.findOrInsert(Commit.self, where: \.sha, equals: sha)
    }
    let newcomer = try find("new")
    #expect(try find("new") === newcomer)
    newcomer.sha = "newer"
    #expect(try find("newer") === newcomer)
    let second = try find("new")
    #expect(second !== newcomer && second.isInserted)
    #expect(try find("new") === second && find("newer") === newcomer)
    second.sha = "old"
    newcomer.sha = "new"
    #expect(try find("new") === newcomer)
    let changed = try find("stored")
    changed.sha = "other"
    #expect(try find("other") === changed)
    changed.sha = "stored"
    changed.message = "changed"
    #expect(try find("stored") === changed)
    // Before it is merged into the stored one, a new twin is an object of its own.
    let taken = try find("taken")
    taken.message = "kept"
    let twin = commit("taken", "later", in: context)
    #expect(try find("taken") === taken)
    #expect(twin.objectID == taken.objectID && taken.message == "later")
    context.delete(newcomer)
    #expect(try find("new") !== newcomer)
    try context.save()
    #expect(try bench.context().count(for: Commit.all) == 4)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `an upsert finds in a later batch what its closure has inserted`(
    _ kind: StoreKind,
    _ hasUnsaved: Bool
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    if hasUnsaved { _ = commit("unsaved", in: context) }
    func insertLater(_ commit: Commit, _ number: Int) throws {
      guard number < 500 else { return }
      let later = try context.findOrInsert(Commit.self, where: \.sha, equals: "\(number + 700)")
      commit.url = later.sha
    }
    let commits = try context.upsert(
      from: 0..<1200,
      matching: \Commit.sha,
      { "\($0)" },
      insertLater
    )
    #expect(Set(commits.map(\.sha)).count == 1200)
    #expect(context.insertedObjects.count == (hasUnsaved ? 1201 : 1200))
    try context.save()
    #expect(try bench.context().count(for: Commit.all) == (hasUnsaved ? 1201 : 1200))
  }
}
