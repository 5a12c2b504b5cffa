// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D.3: hooks of owners of which only members come or go")
struct OwnerHookTests {
  /// Two owners, saved, the first with a part.
  private func owners(_ context: ManagedObjectContext) throws -> (Hooked, Hooked, part: Hooked) {
    let (one, two, part) = (
      Hooked(context: context), Hooked(context: context), Hooked(context: context)
    )
    (one.title, two.title, part.title) = ("one", "two", "part")
    part.owner = one
    try context.save()
    return (one, two, part)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 owners that lose and get a member are updated, and their hooks run once`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (one, two, part) = try owners(context)
      log.lines = []
      part.owner = two
      #expect(context.updatedObjects == [one, two, part])
      try context.save()
      let hooks = log.lines.filter { $0.contains("Save") }
      #expect(hooks.first == "willSave part")
      #expect(Set(hooks[1...2]) == ["willSave one", "willSave two"])
      #expect(hooks[3] == "didSave part")
      #expect(Set(hooks[4...]) == ["didSave one", "didSave two"])
      #expect(hooks.count == 6)
      log.lines = []
      context.delete(part)
      try context.save()
      #expect(
        log.lines.filter { $0.hasSuffix(" two") } == [
          "willSave two", "validateForUpdate two", "didSave two",
        ]
      )
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 what an owner changes of itself in willSave is saved, and it hears of it once`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (_, two, part) = try owners(context)
      log.lines = []
      log.onWillSave = { object in
        if object === two, two.count == 0 { two.count = two.parts.count }
      }
      part.owner = two
      try context.save()
      #expect(log.lines.count { $0 == "didSave two" } == 1)
      #expect(try bench.context().fetch(Hooked.all).map(\.count).sorted() == [0, 0, 1])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 members that willSave moves count, those that come back do not`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (one, two, part) = try owners(context)
      part.owner = two
      part.owner = one
      log.lines = []
      try context.save()
      #expect(!log.lines.contains("willSave one") && !log.lines.contains("willSave two"))
      log.onWillSave = { object in if object === part { part.owner = two } }
      part.count = 1
      try context.save()
      #expect(log.lines.contains("willSave one") && log.lines.contains("didSave two"))
    }
  }

  /// Whoever was an owner when `willSave` had been called need not be one in the end.
  @Test(arguments: StoreKind.allCases)
  func `1E.2 a save tells of the owners of members that a check has moved`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (one, two, part) = try owners(context)
      let three = Hooked(context: context)
      try context.save()
      var told: [Set<ManagedObjectID>] = []
      let token = context.onDidSaveObjectIDs { told.append($0.updated) }
      log.onValidateForUpdate = { if $0 === part, $0.owner === two { $0.owner = three } }
      part.owner = two
      try context.save()
      part.owner = one
      try context.save()
      #expect(told == [[part, one, three], [part, three, one]].map { Set($0.map(\.objectID)) })
      token.cancel()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.3 a save that fails calls no didSave, also not by the next one`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (_, two, part) = try owners(context)
      part.owner = two
      let other = bench.context()
      let theirs = try #require(try other.existingObject(with: part.objectID) as? Hooked)
      theirs.count = 9
      try other.save()
      log.lines = []
      #expect(code { try context.save() } == .managedObjectMerge)
      #expect(log.lines.contains("willSave two") && !log.lines.contains("didSave two"))
      context.rollback()
      two.count = 1
      log.lines = []
      try context.save()
      #expect(log.lines.filter { $0.hasPrefix("didSave") } == ["didSave two"])
    }
  }
}
