// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1F.1 to 1F.3: the hooks of objects")
struct HookTests {
  @Test(arguments: StoreKind.allCases)
  func `1F.1 awakeFromInsert comes exactly once, after the defaults`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      #expect(log.lines == ["awakeFromInsert new"])
      _ = try context.insert(entityNamed: "Hooked")
      #expect(log.lines == ["awakeFromInsert new", "awakeFromInsert new"])
      try context.save()
      object.title = "a"
      try context.save()
      _ = try bench.context().fetch(Hooked.all)
      #expect(log.lines.count { $0.hasPrefix("awakeFromInsert") } == 2)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 awakeFromFetch comes for a fault that a refresh reads`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      try context.save()
      context.refresh(object, mergeChanges: false)
      log.lines = []
      log.onAwakeFromFetch = { $0.mark = 7 }
      for _ in 1...2 { context.refresh(object, mergeChanges: true) }
      #expect(log.lines == ["awakeFromFetch new"])
      #expect(object.mark == 7 && !object.hasChanges)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 a save calls the hooks in the order of Core Data`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (changed, owner) = (Hooked(context: context), Hooked(context: context))
      let part = Hooked(context: context)
      changed.title = "changed"
      owner.title = "owner"
      part.title = "part"
      part.owner = owner
      try context.save()
      log.lines = []
      changed.count = 1
      context.delete(owner)
      #expect(log.lines == ["prepareForDeletion(1) owner"])
      log.lines = []
      try context.save()
      #expect(
        log.lines == [
          "prepareForDeletion(0) part",
          "willSave changed", "willSave owner", "willSave part",
          "validateForUpdate changed", "validateForDelete owner", "validateForDelete part",
          "didSave changed", "didSave owner", "didSave part",
        ]
      )
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a hook that takes a new object back leaves nothing to delete`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      log.onPrepareForDeletion = { $0.managedObjectContext?.rollback() }
      context.delete(object)
      #expect(object.managedObjectContext == nil)
      #expect(!context.hasChanges && context.deletedObjects.isEmpty)
      try context.save()
      #expect(try context.count(for: FetchRequest<Hooked>()) == 0)
      #expect(log.errors.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 willSave comes again only for objects that were changed meanwhile`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (one, two) = (Hooked(context: context), Hooked(context: context))
      one.title = "one"
      two.title = "two"
      try context.save()
      log.lines = []
      one.count = 1
      two.count = 1
      log.onWillSave = { object in
        if object === two, one.count == 1 { one.count = 2 }
      }
      try context.save()
      #expect(
        log.lines.filter { $0.hasPrefix("willSave") } == [
          "willSave one", "willSave two", "willSave one",
        ]
      )
      #expect(try bench.context().fetch(Hooked.all).map(\.count).sorted() == [1, 2])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 willSave reaches objects that it inserts, changes and deletes`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (one, two) = (Hooked(context: context), Hooked(context: context))
      let three = Hooked(context: context)
      (one.title, two.title, three.title) = ("one", "two", "three")
      try context.save()
      log.lines = []
      one.count = 1
      log.onWillSave = { object in
        guard object === one, one.count == 1 else { return }
        one.count = 2
        two.count = 5
        context.delete(three)
        Hooked(context: context).title = "four"
      }
      try context.save()
      let calls = log.lines.filter { $0.hasPrefix("willSave") }
      #expect(Set(calls) == ["willSave one", "willSave two", "willSave three", "willSave four"])
      let saved = try bench.context().fetch(Hooked.all).map { "\($0.title) \($0.count)" }
      #expect(saved.sorted() == ["four 0", "one 2", "two 5"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 endless changes in willSave are an error after 1,000 rounds, and nothing is lost`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      log.onWillSave = { $0.count += 1 }
      #expect(code { try context.save() } == .validation)
      #expect(object.count == 1_000)
      #expect(object.isInserted)
      log.onWillSave = nil
      try context.save()
      #expect(try bench.context().fetch(Hooked.all).map(\.count) == [1_000])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a save inside willSave is an error, one inside didSave saves`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      log.onWillSave = { _ in try context.save() }
      try context.save()
      #expect(log.errors.map { ($0 as? PerennialError)?.code } == [.validation])
      log.onWillSave = nil
      log.onDidSave = { object in
        guard object.count < 2 else { return }
        object.count += 1
        try context.save()
      }
      object.title = "b"
      try context.save()
      #expect(!context.hasChanges)
      #expect(log.errors.count == 1)
      #expect(try bench.context().fetch(Hooked.all).map(\.count) == [2])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a rollback inside willSave leaves nothing to save`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      object.title = "a"
      try context.save()
      object.title = "b"
      log.onWillSave = { _ in context.rollback() }
      try context.save()
      #expect(object.title == "a")
      #expect(!context.hasChanges)
    }
  }
}

@Suite("SEMANTICS 1F.2: awakeFromFetch")
struct AwakeningTests {
  /// A store with two objects, "a" and its part "b".
  private func fill(_ bench: Bench) throws {
    let context = bench.context()
    let (a, b) = (Hooked(context: context), Hooked(context: context))
    a.title = "a"
    b.title = "b"
    b.owner = a
    try context.save()
  }

  private var byTitle: FetchRequest<Hooked> {
    Hooked.all.sorted(by: FetchSort("title"))
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 it comes once after a fetch, and not for objects that are there already`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      log.lines = []
      let context = bench.context()
      let objects = try context.fetch(byTitle)
      #expect(log.lines == ["awakeFromFetch a", "awakeFromFetch b"])
      _ = try context.fetch(byTitle)
      #expect(log.lines.count == 2)
      withExtendedLifetime(objects) {}
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 it comes when a fault fires, for members, for upserts and for objects by ID`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      var context = bench.context()
      let b = try #require(try context.first(Hooked.filter(format: "title == 'b'")))
      log.lines = []
      #expect(b.owner?.isFault == true)
      #expect(log.lines.isEmpty)
      let owner = try #require(b.owner)
      #expect(owner.title == "a")
      #expect(log.lines == ["awakeFromFetch a"])

      context = bench.context()
      let a = try #require(try context.first(Hooked.filter(format: "title == 'a'")))
      log.lines = []
      #expect(a.parts.map(\.title) == ["b"])
      #expect(log.lines == ["awakeFromFetch b"])

      let id = a.objectID
      context = bench.context()
      log.lines = []
      _ = try context.existingObject(with: id)
      #expect(log.lines == ["awakeFromFetch a"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 attributes that it sets are no changes, and are saved with later ones`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      log.onAwakeFromFetch = {
        $0.mark = 7
        $0.title += $0.title
      }
      let context = bench.context()
      let objects = try context.fetch(byTitle)
      #expect(objects.map(\.title) == ["aa", "bb"])
      #expect(objects.map(\.mark) == [7, 7])
      #expect(!context.hasChanges)
      #expect(objects.allSatisfy { !$0.hasChanges && $0.changedValues().isEmpty })
      #expect(objects[0].committedValues()["title"] == .string("aa"))

      objects[0].count = 3
      #expect(objects[0].changedValues() == ["count": .integer(3)])
      try context.save()
      log.onAwakeFromFetch = nil
      let saved = try bench.context().fetch(byTitle)
      #expect(saved.map { "\($0.title) \($0.count)" } == ["aa 3", "b 0"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 attributes that it sets outlive a save of transient values alone`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      log.onAwakeFromFetch = { $0.title += $0.title }
      let context = bench.context()
      let objects = try context.fetch(byTitle)
      objects[0].mark = 1
      try context.save()
      log.onAwakeFromFetch = nil
      #expect(try bench.context().fetch(byTitle).map(\.title) == ["a", "b"])
      objects[0].count = 3
      try context.save()
      #expect(try bench.context().fetch(byTitle).map(\.title) == ["aa", "b"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 relationships that it sets are changes, its attributes still are not`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      log.onAwakeFromFetch = { object in
        guard object.title == "b" else { return }
        object.owner = nil
        object.count = 9
      }
      let context = bench.context()
      let b = try #require(try context.fetch(byTitle).last)
      #expect(b.isUpdated)
      #expect(b.changedValues() == ["owner": .null])
      context.rollback()
      #expect(b.owner?.title == "a")
      #expect(b.count == 9)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 it may delete its object, which the fetch then leaves out`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      let context = bench.context()
      log.onAwakeFromFetch = { if $0.title == "b" { context.delete($0) } }
      #expect(try context.fetch(byTitle).map(\.title) == ["a"])
      let a = try #require(try context.fetch(byTitle).first)
      #expect(a.parts.isEmpty)
      try context.save()
      log.onAwakeFromFetch = nil
      #expect(try bench.context().fetch(byTitle).map(\.title) == ["a"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 an object that it deletes is not the first one of a look-up`(_ kind: StoreKind) throws
  {
    try withHooks(kind) { bench, log in
      try fill(bench)
      let context = bench.context()
      log.onAwakeFromFetch = { if $0.title == "b" { context.delete($0) } }
      #expect(try context.first(Hooked.filter(format: "title == 'b'")) == nil)
      try context.save()
      log.onAwakeFromFetch = nil
      #expect(try bench.context().fetch(byTitle).map(\.title) == ["a"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 it may delete an object whose fault fires`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      let context = bench.context()
      let b = try #require(try context.first(Hooked.filter(format: "title == 'b'")))
      log.onAwakeFromFetch = { context.delete($0) }
      let a = try #require(b.owner)
      #expect(a.title == "a")
      #expect(a.isDeleted)
      try context.save()
      #expect(try bench.context().count(for: byTitle) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 it may fetch and follow relationships`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      let context = bench.context()
      var counts: [Int] = []
      log.onAwakeFromFetch = { object in
        counts.append(try context.fetch(Hooked.all).count)
        counts.append(object.parts.count)
        _ = object.owner?.title
      }
      #expect(try context.fetch(byTitle).count == 2)
      #expect(counts.count == 4)
      #expect(log.errors.isEmpty)
      #expect(!context.hasChanges)
    }
  }
}
