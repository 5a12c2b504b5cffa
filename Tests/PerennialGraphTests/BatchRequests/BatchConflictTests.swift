// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

/// What others have saved stays a conflict when a batch request makes its context read everything again.
@Suite("SEMANTICS 1H, 1D.11: a batch request hides no conflict")
struct BatchConflictTests {
  /// Requests that write no note.
  enum Elsewhere: CaseIterable {
    case insertion, update, deletion

    func execute(in context: ManagedObjectContext) throws {
      switch self {
      case .insertion:
        try context.execute(BatchInsertRequest(entityName: "Owner", objects: [["email": "c@d"]]))
      case .update:
        var request = BatchUpdateRequest(entityName: "Owner")
        request.propertiesToUpdate = ["email": "e@f"]
        try context.execute(request)
      case .deletion:
        try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Page")))
      }
    }
  }

  /// A note that a context has read, and another one that may save it first.
  private struct Race {
    let scene: BatchScene
    let other: ManagedObjectContext
    let mine: ManagedObject
    let theirs: ManagedObject

    init(_ kind: StoreKind, merging: Bool = false) throws {
      scene = try BatchScene(kind)
      try scene.insertNotes(1..<2, owner: "a@b")
      scene.context.automaticallyMergesChangesFromParent = merging
      other = scene.bench.context()
      mine = try #require(try scene.context.fetch(BatchScene.notes).first)
      theirs = try #require(try other.fetch(BatchScene.notes).first)
    }

    func raise(_ note: ManagedObject, by amount: Int64) throws {
      let stars = try note.value(forKey: "stars") as? Int64
      try note.setValue((stars ?? 0) + amount, forKey: "stars")
    }

    func updateTexts() throws {
      var request = BatchUpdateRequest(entityName: "Note")
      request.propertiesToUpdate = ["text": "batch"]
      try scene.context.execute(request)
    }
  }

  @Test(arguments: StoreKind.allCases, Elsewhere.allCases)
  func `1H a batch request of other objects leaves a conflict to the save`(
    _ kind: StoreKind,
    _ batch: Elsewhere
  ) throws {
    for merging in [false, true] {
      let race = try Race(kind, merging: merging)
      try race.raise(race.mine, by: 10)
      try race.raise(race.theirs, by: 500)
      try race.other.save()
      try batch.execute(in: race.scene.context)
      let error = try failure { try race.scene.context.save() }
      #expect(error.code == .managedObjectMerge)
      #expect(error.conflicts.map(\.objectID) == [race.mine.objectID])
      #expect(try race.scene.stored().first?.hasPrefix("1 none 501") == true)
      race.scene.context.rollback()
      _ = try race.scene.context.fetch(BatchScene.notes)
      #expect(try race.mine.value(forKey: "stars") as? Int64 == 501)
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1H a batch update of an edited object is no conflict, but what others saved before it is`(
    _ kind: StoreKind,
    merging: Bool
  ) throws {
    let race = try Race(kind, merging: merging)
    try race.raise(race.mine, by: 10)
    try race.updateTexts()
    #expect(try BatchScene.describe(race.mine) == "1 batch 11 a@b")
    try race.scene.context.save()
    #expect(try race.scene.stored() == ["1 batch 11 a@b"])
    _ = try race.other.fetch(BatchScene.notes)
    try race.raise(race.mine, by: 10)
    try race.raise(race.theirs, by: 500)
    try race.other.save()
    try race.updateTexts()
    #expect(code { try race.scene.context.save() } == .managedObjectMerge)
    #expect(try race.scene.stored() == ["1 batch 511 a@b"])
  }

  @Test(arguments: StoreKind.allCases, Elsewhere.allCases)
  func `1H a batch request of a child hides no edit of its parent`(
    _ kind: StoreKind,
    _ batch: Elsewhere
  ) throws {
    let race = try Race(kind)
    let child = ManagedObjectContext(parent: race.scene.context)
    let mine = try child.existingObject(with: race.mine.objectID)
    try race.raise(mine, by: 10)
    try race.raise(race.mine, by: 500)
    try batch.execute(in: child)
    #expect(code { try child.save() } == .managedObjectMerge)
    #expect(try race.mine.value(forKey: "stars") as? Int64 == 501)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H a batch update of what a child has changed is no conflict`(_ kind: StoreKind) throws {
    let race = try Race(kind)
    let child = ManagedObjectContext(parent: race.scene.context)
    let mine = try child.existingObject(with: race.mine.objectID)
    try mine.setValue("mine", forKey: "text")
    var request = BatchUpdateRequest(entityName: "Note")
    request.propertiesToUpdate = ["text": "batch", "stars": 7]
    try child.execute(request)
    #expect(try BatchScene.describe(mine) == "1 mine 7 a@b")
    try child.save()
    try race.scene.context.save()
    #expect(try race.scene.stored() == ["1 mine 7 a@b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H a batch request of a child is no conflict, whatever was saved and is edited above`(
    _ kind: StoreKind
  ) throws {
    for merging in [false, true] {
      let race = try Race(kind)
      let context = race.scene.context
      let child = ManagedObjectContext(parent: context)
      child.automaticallyMergesChangesFromParent = merging
      let mine = try child.existingObject(with: race.mine.objectID)
      try mine.setValue("first", forKey: "text")
      try child.save()
      try context.save()
      try race.mine.setValue(5, forKey: "key")
      for text in ["mine", "mine again"] {
        try mine.setValue(text, forKey: "text")
        for value in ["batch", "batch again"] {
          var request = BatchUpdateRequest(entityName: "Note")
          request.propertiesToUpdate = ["text": value, "stars": 7]
          try child.execute(request)
        }
        #expect(try BatchScene.describe(mine) == "5 \(text) 7 a@b")
        try child.save()
      }
      try context.save()
      #expect(try race.scene.stored() == ["5 mine again 7 a@b"])
      try race.mine.setValue("above", forKey: "text")
      try mine.setValue("below", forKey: "text")
      var request = BatchUpdateRequest(entityName: "Note")
      request.propertiesToUpdate = ["text": "batch"]
      try child.execute(request)
      #expect(code { try child.save() } == .managedObjectMerge)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1H a conflict that a batch request leaves stays one when another save is merged`(
    _ kind: StoreKind
  ) async throws {
    let race = try Race(kind)
    let context = race.scene.context
    try race.raise(race.mine, by: 10)
    try race.raise(race.theirs, by: 500)
    try race.other.save()
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.execute(
      BatchInsertRequest(entityName: "Note", objects: [["key": 1, "text": "batch"]])
    )
    context.mergePolicy = .error
    var saves = race.scene.bench.coordinator.saves().makeAsyncIterator()
    _ = try race.other.insert(entityNamed: "Page")
    try race.other.save()
    context.mergeChanges(fromContextDidSave: try #require(await saves.next()))
    #expect(code { try context.save() } == .managedObjectMerge)
    #expect(try race.scene.stored() == ["1 batch 501 a@b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 after an overflow a batch request reads everything once, and is no conflict`(
    _ kind: StoreKind
  ) throws {
    let race = try Race(kind, merging: true)
    let context = race.scene.context
    try race.scene.insertNotes(2..<102)
    let notes = try context.fetch(BatchScene.notes)
    try race.raise(race.mine, by: 10)
    let page = try race.other.insert(entityNamed: "Owner")
    for number in 0..<1_001 {
      try page.setValue("\(number)", forKey: "email")
      try race.other.save()
    }
    context.mergePolicy = .mergeByPropertyObjectTrump
    for number in 0..<3 {
      let rows = race.scene.bench.coordinator.counters.rows
      try context.execute(
        BatchInsertRequest(entityName: "Note", objects: [["key": 1, "text": "\(number)"]])
      )
      if number > 0 { #expect(race.scene.bench.coordinator.counters.rows - rows < 50) }
    }
    context.mergePolicy = .error
    #expect(try BatchScene.describe(race.mine) == "1 2 11 a@b")
    try context.save()
    #expect(try race.scene.stored().first == "1 2 11 a@b" && notes.count == 101)
    try race.raise(race.mine, by: 10)
    _ = try race.other.fetch(BatchScene.notes)
    try race.raise(race.theirs, by: 500)
    for number in 0..<1_001 {
      try page.setValue("again \(number)", forKey: "email")
      try race.other.save()
    }
    try race.updateTexts()
    #expect(code { try context.save() } == .managedObjectMerge)
  }

  @Test func `1H an edit below a batch of much data is no conflict`() throws {
    for isWatched in [false, true] {
      let race = try Race(.inMemory)
      let context = race.scene.context
      if isWatched {
        context.detectConflicts(for: race.mine)
      } else {
        try race.raise(race.mine, by: 10)
      }
      context.mergePolicy = .mergeByPropertyObjectTrump
      let data = String(repeating: "x", count: 65 << 20)
      try context.execute(
        BatchInsertRequest(
          entityName: "Note",
          objects: [["key": 1, "text": "batch"], ["key": 2, "text": data]]
        )
      )
      context.mergePolicy = .error
      try context.save()
      #expect(try race.scene.stored().first == (isWatched ? "1 batch 1 a@b" : "1 batch 11 a@b"))
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.13 detectConflicts: a batch request that writes the object is none, and hides none`(
    _ kind: StoreKind,
    merging: Bool
  ) throws {
    let race = try Race(kind, merging: merging)
    // Objects that the context does not have are written with it.
    try race.scene.insertNotes(2..<4)
    race.scene.context.detectConflicts(for: race.mine)
    try race.updateTexts()
    try race.scene.context.save()
    _ = try race.other.fetch(BatchScene.notes)
    race.scene.context.detectConflicts(for: race.mine)
    try race.raise(race.theirs, by: 500)
    try race.other.save()
    try race.updateTexts()
    #expect(code { try race.scene.context.save() } == .managedObjectMerge)
    race.scene.context.rollback()
    race.scene.context.detectConflicts(for: race.mine)
    try race.scene.context.execute(BatchDeleteRequest(BatchScene.notes))
    try race.scene.context.save()
    #expect(try race.scene.stored().isEmpty)
  }
}
