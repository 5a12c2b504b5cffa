// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("SEMANTICS 1D: what a save writes, checks and calls")
struct SavingDetailTests {
  private struct Stop: Error {}

  @Test(arguments: StoreKind.allCases)
  func `1D.4 persist saves, or drops every change when the closure or the save throws`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let kept = try context.persist { context.insertCommit("kept", "old") }
    #expect(!kept.isInserted && !context.hasChanges)
    var hasStopped = false
    do {
      try context.persist {
        kept.message = "new"
        throw Stop()
      }
    } catch is Stop {
      hasStopped = true
    }
    #expect(hasStopped && kept.message == "old" && !context.hasChanges)
    // The required `sha` is missing.
    let refusal = code {
      try context.persist {
        kept.message = "newer"
        _ = Commit(context: context)
      }
    }
    #expect(refusal == .missingMandatoryProperty)
    #expect(kept.message == "old" && !context.hasChanges && context.insertedObjects.isEmpty)
    try context.save()
    #expect(try bench.context().fetch(Commit.all).map(\.message) == ["old"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 willSave comes again for an object that the willSave of another one deletes`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (one, two) = (Hooked(context: context), Hooked(context: context))
      (one.title, two.title) = ("one", "two")
      try context.save()
      (one.count, two.count) = (1, 1)
      log.lines = []
      log.onWillSave = { object in
        if object === two, !one.isDeleted { context.delete(one) }
      }
      try context.save()
      let calls = log.lines.filter { $0.hasPrefix("willSave") }
      #expect(calls == ["willSave one", "willSave two", "willSave one"])
      #expect(log.errors.isEmpty)
      #expect(try bench.context().fetch(Hooked.all).map(\.title) == ["two"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 a batch request that is not validated writes no number or date that stores change`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = context.insertCommit("a")
    commit.size = 2
    try context.save()
    let wrong: [(values: [String: (any Sendable)?], code: PerennialError.Code)] = [
      (["sha": "b", "size": Double.nan], .validation),
      (["sha": "b", "date": Date(timeIntervalSinceReferenceDate: .nan)], .invalidDate),
    ]
    for (values, expected) in wrong {
      let rows: [[String: (any Sendable)?]] = [["sha": "c"], values]
      let request = BatchInsertRequest(entityName: "Commit", objects: rows)
      #expect(code { _ = try context.execute(request) } == expected)
    }
    var update = BatchUpdateRequest(entityName: "Commit")
    update.propertiesToUpdate = ["size": Double.nan]
    let request = update
    #expect(code { _ = try context.execute(request) } == .validation)
    #expect(try bench.context().fetch(Commit.all).map(\.size) == [2])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 a save of a transient value alone is no conflict for others`(_ kind: StoreKind) throws
  {
    let bench = try Bench(kind)
    let (first, second) = (bench.context(), bench.context())
    let mine = first.insertCommit("a")
    try first.save()
    let theirs = try second.object(Commit.self, with: mine.objectID)
    mine.scratch = 7
    try first.save()
    #expect(mine.scratch == 7 && !first.hasChanges)
    theirs.message = "theirs"
    try second.save()
    // What was read before is still what the next save expects to find.
    mine.message = "mine"
    #expect(code { try first.save() } == .managedObjectMerge)
    #expect(try bench.context().fetch(Commit.all).map(\.message) == ["theirs"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 objects of which different properties changed are each saved as they are`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commits = (0..<9).map { context.insertCommit("\($0)", "old") }
    try context.save()
    for (number, commit) in commits.enumerated() {
      if number % 3 != 1 { commit.message = "message \(number)" }
      if number % 3 != 0 { commit.url = "url \(number)" }
    }
    try context.save()
    #expect(!context.hasChanges)
    let reader = bench.context()
    let stored = try reader.fetch(Commit.all.sorted(by: FetchSort("sha")))
    #expect(
      stored.map { "\($0.sha): \($0.message), \($0.url)" } == [
        "0: message 0, ", "1: old, url 1", "2: message 2, url 2",
        "3: message 3, ", "4: old, url 4", "5: message 5, url 5",
        "6: message 6, ", "7: old, url 7", "8: message 8, url 8",
      ]
    )
  }

  /// Rows of this length are copied into pages of a few: by a child, and when they have changed.
  @Test(arguments: StoreKind.allCases)
  func `1D.3 rows that fill several pages are those of their objects after a save`(
    _ kind: StoreKind
  ) throws {
    let family = try Family(kind)
    func text(_ commit: Commit, _ mark: String) -> String {
      "\(commit.sha) " + String(repeating: mark, count: 10_000)
    }
    let drafts = (0..<200).map { family.child.insertCommit("\($0)") }
    for draft in drafts { draft.message = text(draft, "a") }
    try family.child.save()
    let areDrafts = drafts.enumerated().allSatisfy {
      $0.element.sha == "\($0.offset)" && $0.element.message == text($0.element, "a")
    }
    #expect(areDrafts)
    try family.top.save()
    let commits = try family.top.fetch(Commit.all)
    for commit in commits { commit.message = text(commit, "b") }
    try family.top.save()
    #expect(Set(commits.map(\.sha)) == Set((0..<200).map { "\($0)" }))
    let areChanged = commits.allSatisfy { $0.message == text($0, "b") }
    #expect(areChanged)
    let stored = try family.stored(Commit.self)
    let areStored = stored.allSatisfy { $0.message == text($0, "b") }
    #expect(stored.count == 200 && areStored)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 a save is no repetition of the one before, though others have written the same since`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let (first, second) = (bench.context(), bench.context())
    let mine = first.insertCommit("a", "old")
    try first.save()
    mine.message = "one"
    try first.save()
    let theirs = try second.object(Commit.self, with: mine.objectID)
    #expect(theirs.message == "one")
    theirs.message = "two"
    try second.save()
    mine.message = "two"
    #expect(code { try first.save() } == .managedObjectMerge)
    #expect(mine.isUpdated)
  }
}

/// How often delete rules ask the store, where they cannot tell from what they know.
@Suite("SEMANTICS 1D: what delete rules ask the store for")
struct DeleteRuleCostTests {
  /// Two stored owners of two items each, which go with them; a note needs a text.
  private final class Scene {
    let store: CountingStore
    let context: ManagedObjectContext
    let other: ManagedObjectContext
    /// The owners in the first context, by name.
    let owners: [ManagedObject]
    private let folder: URL

    init(_ kind: StoreKind, merges: Bool = false) throws {
      folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let model = try ManagedObjectModel(
        EntityDescription(
          "Owner",
          properties: [
            .attribute("name", .string, optional: true),
            .toMany("items", "Item", deleteRule: .cascade),
          ]
        ),
        EntityDescription(
          "Item",
          properties: [.attribute("name", .string, optional: true), .toOne("owner", "Owner")]
        ),
        EntityDescription("Note", properties: [.attribute("text", .string)])
      )
      store = CountingStore(try kind.open(model.layout, in: folder))
      let coordinator = StoreCoordinator(store: store, classes: [:])
      let other = ManagedObjectContext(coordinator: coordinator)
      for name in ["a", "b"] {
        let owner = try other.make("Owner", ["name": name])
        for number in 0..<2 {
          try other.make("Item", ["name": "\(name)\(number)"]).link("owner", owner)
        }
      }
      try other.save()
      self.other = other
      let context = ManagedObjectContext(coordinator: coordinator)
      context.automaticallyMergesChangesFromParent = merges
      self.context = context
      let request = FetchRequest<ManagedObject>(entityName: "Owner")
      owners = try context.fetch(request.sorted(by: FetchSort("name")))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The items of an owner, with their rows, by name.
    func items(_ owner: ManagedObject) throws -> [ManagedObject] {
      let items = try Array(owner.objects(forKey: "items"))
      return items.sorted { $0.fullName ?? "" < $1.fullName ?? "" }
    }

    /// What is asked when the delete rules of an owner are applied whose items are loaded.
    func askedForRules(of owner: ManagedObject) throws -> CountingStore.Counts {
      let items = try items(owner)
      #expect(items.count == 2)
      context.delete(owner)
      let asked = try store.asked { try context.processPendingChanges() }
      #expect(items.map(\.isDeleted) == [true, true])
      return asked
    }

    /// The names of the stored items.
    func stored() throws -> [String?] {
      other.reset()
      let request = FetchRequest<ManagedObject>(entityName: "Item")
      return try other.fetch(request.sorted(by: FetchSort("name"))).map(\.fullName)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 after a save of the context itself they know the members that it has read`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    try scene.owners[0].set(["name": "new"])
    try scene.context.save()
    let asked = try scene.askedForRules(of: scene.owners[1])
    #expect(asked == CountingStore.Counts())
    try scene.context.save()
    #expect(try scene.stored() == ["a0", "a1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 after a save of others they read members once, not for each deletion`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    let items = try scene.items(scene.owners[0])
    _ = try scene.other.make("Owner")
    try scene.other.save()
    scene.context.delete(scene.owners[0])
    let first = try scene.store.asked { try scene.context.processPendingChanges() }
    #expect(first.total > 0 && items.map(\.isDeleted) == [true, true])
    let second = try scene.askedForRules(of: scene.owners[1])
    #expect(second.members == 0 && second.memberCounts == 0, "\(second)")
    try scene.context.save()
    #expect(try scene.stored().isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 saves that fail look for new members once for each save of others`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    _ = try scene.askedForRules(of: scene.owners[0])
    let request = FetchRequest<ManagedObject>(entityName: "Owner")
    let theirs = try scene.other.fetch(request.sorted(by: FetchSort("name")))
    try scene.other.make("Item", ["name": "news"]).link("owner", theirs[0])
    try scene.other.save()
    let note = try scene.context.make("Note")
    var codes: [PerennialError.Code?] = []
    let first = scene.store.asked { codes.append(code { try scene.context.save() }) }
    let second = scene.store.asked { codes.append(code { try scene.context.save() }) }
    #expect(codes == [.missingMandatoryProperty, .missingMandatoryProperty])
    #expect(first.members > 0 && second.members == 0, "\(first) \(second)")
    try note.set(["text": "some"])
    try scene.context.save()
    #expect(try scene.stored() == ["b0", "b1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 a rollback ends the doubt that a deletion by others has left`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind, merges: true)
    let items = try scene.items(scene.owners[0])
    try items[0].set(["name": "edited"])
    let theirs = try scene.other.existingObject(with: items[0].objectID)
    scene.other.delete(theirs)
    try scene.other.save()
    try scene.context.processPendingChanges()
    #expect(items[0].isGone && items[0].isUpdated)
    scene.context.rollback()
    let asked = try scene.askedForRules(of: scene.owners[1])
    #expect(asked.members == 0 && asked.memberCounts == 0, "\(asked)")
    try scene.context.save()
    #expect(try scene.stored() == ["a1"])
  }
}
