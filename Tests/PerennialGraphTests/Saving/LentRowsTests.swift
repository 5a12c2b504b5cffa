// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// A save shows the store the rows of many new objects where they lie, and gets them back when it
/// fails: nothing of that may be seen.
@Suite("SEMANTICS 1D.3: saving many objects at once")
struct LentRowsTests {
  /// Enough rows to fill a few slabs.
  private static let count = 700

  private func commits(_ context: ManagedObjectContext) -> [Commit] {
    let authors = (0..<5).map { number in
      let author = Author(context: context)
      author.name = "author \(number)"
      return author
    }
    return (0..<Self.count).map { number in
      let commit = Commit(context: context)
      commit.sha = "sha \(number)"
      commit.message = message(number)
      commit.author = authors[number % 5]
      return commit
    }
  }

  private func message(_ number: Int, _ mark: Character = "m") -> String {
    "\(number) " + String(repeating: mark, count: 200 + number % 60)
  }

  private func check(_ bench: Bench, mark: Character = "m") throws {
    let reader = bench.context()
    let stored = try reader.fetch(Commit.all)
    #expect(stored.count == Self.count)
    for commit in stored {
      let number = try #require(Int(commit.sha.dropFirst(4)))
      #expect(commit.message == message(number, mark))
      #expect(commit.author?.name == "author \(number % 5)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `many new objects are saved, and changed again`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commits = commits(context)
    try context.save()
    try check(bench)
    let reader = bench.context()
    let before = try reader.fetch(Commit.all)
    for (number, commit) in commits.enumerated() {
      #expect(commit.message == message(number))
      commit.message = message(number, "n")
    }
    #expect(before.allSatisfy { !$0.message.contains("n") })
    try context.save()
    try check(bench, mark: "n")
    #expect(before.allSatisfy { !$0.message.contains("n") })
  }

  @Test(arguments: StoreKind.allCases)
  func `objects that have much room around them are saved beside those that have none`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let all = commits(context)
    for victim in all[10..<250] { context.delete(victim) }
    try context.save()
    let others = Array(all.enumerated()).filter { !(10..<250).contains($0.offset) }
    for (number, commit) in others {
      #expect(commit.sha == "sha \(number)" && commit.message == message(number))
      commit.message = message(number, "n")
    }
    try context.save()
    let reader = bench.context()
    let stored = try reader.fetch(Commit.all)
    #expect(Set(stored.map(\.message)) == Set(others.map { message($0.offset, "n") }))
  }

  @Test(arguments: StoreKind.allCases)
  func `texts that grow, late values and deleted objects leave no trace`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commits = commits(context)
    let victims = (0..<100).map { number in
      let commit = Commit(context: context)
      commit.sha = "victim \(number)"
      return commit
    }
    for (number, commit) in commits.enumerated() {
      commit.message = number % 3 == 0 ? "" : "x"
      commit.message = String(repeating: "long", count: number)
    }
    for victim in victims { context.delete(victim) }
    for (number, commit) in commits.enumerated() { commit.message = message(number) }
    try context.save()
    try check(bench)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 after a failed save new objects are as they were`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let other = bench.context()
    let stored = Commit(context: other)
    stored.sha = "sha 650"
    try other.save()

    let context = bench.context()
    let commits = commits(context)
    let author = try #require(commits[0].author)
    let ids = commits.map(\.objectID)
    for _ in 0..<2 {
      #expect(code { try context.save() } == .managedObjectConstraintMerge)
      #expect(commits.map(\.objectID) == ids)
      #expect(commits.filter(\.isInserted).count == commits.count)
      #expect(commits[0].author === author)
      #expect(commits[5].author === author)
      #expect(author.commits.count == Self.count / 5)
    }
    for (number, commit) in commits.enumerated() { commit.message = message(number, "n") }
    other.delete(stored)
    try other.save()
    try context.save()
    #expect(commits[5].author === author)
    #expect(author.commits.count == Self.count / 5)
    try check(bench, mark: "n")
  }

  @Test(arguments: StoreKind.allCases)
  func `a save that merges twins goes again with the rest`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let other = bench.context()
    for number in [3, 300, 650] {
      let stored = Commit(context: other)
      stored.sha = "sha \(number)"
    }
    try other.save()

    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let commits = commits(context)
    try context.save()
    #expect(commits[300].isForwarding)
    #expect(commits[300].message == message(300))
    try check(bench)
  }

  @Test(arguments: StoreKind.allCases)
  func `two of many new objects with the same value are merged`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let commits = commits(context)
    let twin = Commit(context: context)
    twin.sha = "sha 400"
    twin.message = message(400)
    try context.save()
    #expect(twin.objectID == commits[400].objectID)
    try check(bench)
  }

  @Test(arguments: StoreKind.allCases)
  func `a failed save does not raise the versions of changed objects`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commits = commits(context)
    try context.save()
    for (number, commit) in commits.enumerated() { commit.message = message(number, "n") }
    let other = bench.context()
    let rival = try #require(try other.fetch(Commit.filter("sha == \("sha 600")")).first)
    rival.message = "rival"
    try other.save()
    for _ in 0..<3 { #expect(code { try context.save() } == .managedObjectMerge) }
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    try check(bench, mark: "n")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 rollback after a failed save restores what was saved`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commits = commits(context)
    try context.save()
    for commit in commits { commit.message = "changed" + commit.message }
    let twin = Commit(context: context)
    twin.sha = "sha 1"
    #expect(code { try context.save() } == .managedObjectConstraintMerge)
    context.rollback()
    for (number, commit) in commits.enumerated() { #expect(commit.message == message(number)) }
    #expect(!context.hasChanges)
    try check(bench)
  }

  @Test(arguments: StoreKind.allCases)
  func `saved objects outlive their context`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    func save() throws -> [Commit] {
      let context = bench.context()
      let commits = commits(context)
      try context.save()
      return commits
    }
    let saved = try save()
    #expect(saved[0].managedObjectContext == nil)
    for (number, commit) in saved.enumerated() { #expect(commit.message == message(number)) }
  }

  @Test(arguments: StoreKind.allCases)
  func
    `1D.3 a reference to a new object that was deleted is stored as none, and is back after a failure`(
      _ kind: StoreKind
    ) throws
  {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Note",
        uniqueness: [["text"]],
        properties: [.attribute("text", .string), .toOne("target", "Target")]
      ),
      EntityDescription("Target", properties: [])
    )
    let bench = try Bench(kind, model: model, classes: [])
    let other = bench.context()
    let stored = try other.make("Note", ["text": message(650)])
    try other.save()

    let context = bench.context()
    let (target, ghost) = (try context.make("Target"), try context.make("Target"))
    let notes = try (0..<Self.count).map { number in
      let note = try context.make("Note", ["text": message(number)])
      try note.link("target", [target, ghost, nil][number % 3])
      return note
    }
    context.delete(ghost)
    let before = try notes.map { try $0.target("target").map(ObjectIdentifier.init) }
    #expect(code { try context.save() } == .managedObjectConstraintMerge)
    #expect(try notes.map { try $0.target("target").map(ObjectIdentifier.init) } == before)
    #expect(try notes[0].target("target") === target)
    other.delete(stored)
    try other.save()
    try context.save()
    let reader = bench.context()
    let rows = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
    #expect(rows.count == Self.count)
    for row in rows {
      let text = try #require(try row.value(forKey: "text") as? String)
      let number = try #require(text.split(separator: " ").first.flatMap { Int($0) })
      #expect(try row.target("target")?.objectID == (number % 3 == 0 ? target.objectID : nil))
    }
  }
}
