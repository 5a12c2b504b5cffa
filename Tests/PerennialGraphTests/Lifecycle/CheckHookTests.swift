// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1F.3: validation methods that take changes back")
struct CheckHookTests {
  @Test(arguments: StoreKind.allCases)
  func `1F.3 a check may read other objects again, and is made once`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let (object, other) = (Hooked(context: context), Hooked(context: context))
      try context.save()
      log.onValidateForUpdate = { _ in
        context.refresh(other, mergeChanges: true)
        context.refresh(other, mergeChanges: false)
        _ = other.title
      }
      object.count = 1
      log.lines = []
      try context.save()
      #expect(log.lines.count { $0.hasPrefix("validateForUpdate") } == 1)
      #expect(log.errors.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a rollback inside validateForUpdate leaves nothing to save`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let objects = [Hooked(context: context), Hooked(context: context)]
      for object in objects { object.title = "a" }
      try context.save()
      for object in objects { object.title = "b" }
      log.onValidateForUpdate = { _ in context.rollback() }
      log.lines = []
      try context.save()
      #expect(objects.map(\.title) == ["a", "a"])
      #expect(!context.hasChanges && !log.lines.contains { $0.hasPrefix("didSave") })
      #expect(try bench.context().fetch(Hooked.all).map(\.title) == ["a", "a"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a new object that validateForInsert rolls back is not stored`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      log.onValidateForInsert = { _ in context.rollback() }
      try context.save()
      #expect(object.managedObjectContext == nil && !context.hasChanges)
      #expect(try bench.context().count(for: Hooked.all) == 0)
    }
  }

  /// The values are equal, so that merging changes none of the survivor.
  @Test(arguments: StoreKind.allCases)
  func `1M.2 twins that a fetch in validateForInsert merges are saved as one`(
    _ kind: StoreKind
  ) throws {
    let model = try ManagedObjectModel(entities: [Checked.entity])
    let bench = try Bench(kind, model: model, classes: [Checked.self])
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let twins = [Checked(context: context), Checked(context: context)]
    for twin in twins { (twin.key, twin.value) = (1, 1) }
    try context.save()
    #expect(twins[1].isForwarding && twins[1].objectID == twins[0].objectID)
    #expect(twins.map(\.value) == [1, 1])
    #expect(try bench.context().count(for: Checked.all) == 1)
  }
}
