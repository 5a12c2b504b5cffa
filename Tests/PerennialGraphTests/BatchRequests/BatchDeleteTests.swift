// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1H.3: batch deletions")
struct BatchDeleteTests {
  private var owners: FetchRequest<ManagedObject> { FetchRequest(entityName: "Owner") }

  @Test(arguments: StoreKind.allCases)
  func `1H.3 what a request selects goes, within its offset and limit`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<7)
    var request = BatchDeleteRequest(BatchScene.notes.filter("stars > 1").offset(1).limit(2))
    request.resultType = .objectIDs
    let notes = try scene.context.fetch(BatchScene.notes)
    let expected = notes[2...3].map(\.objectID)
    let result = try scene.context.execute(request)
    #expect(result.count == 2 && Set(result.objectIDs) == Set(expected))
    #expect(try scene.stored().map { $0.prefix(1) } == ["1", "2", "5", "6"])
    #expect(notes.map(\.isDeleted) == [false, false, true, true, false, false])
    #expect(try scene.context.execute(BatchDeleteRequest(BatchScene.notes)).count == 4)
    #expect(try scene.stored().isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.3 rows go by their IDs, of several entities at once`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<4, owner: "a@b")
    let notes = try scene.context.fetch(BatchScene.notes)
    let one = BatchDeleteRequest(objectIDs: [notes[0].objectID, notes[0].objectID])
    #expect(try scene.context.execute(one).count == 1)
    #expect(try scene.context.execute(one).count == 0)
    let owner = try scene.context.fetch(owners)[0]
    let two = BatchDeleteRequest(objectIDs: [notes[1].objectID, owner.objectID])
    #expect(try scene.context.execute(two).count == 2)
    #expect(try scene.stored() == ["3 none 3"])
    #expect(try scene.context.execute(BatchDeleteRequest(objectIDs: [])).count == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.3 delete rules hold: others forget the rows, go with them, or forbid it`(
    _ kind: StoreKind
  ) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<3, owner: "a@b")
    for entity in ["Page", "Page", "Stamp"] {
      let request = BatchInsertRequest(entityName: entity, objects: [["owner": "a@b"]])
      try scene.context.execute(request)
    }
    let request = BatchDeleteRequest(owners)
    #expect(code { try scene.context.execute(request) } == .relationshipDeniedDelete)
    #expect(try scene.bench.context().count(for: owners) == 1)
    let stamps = FetchRequest<ManagedObject>(entityName: "Stamp")
    try scene.context.execute(BatchDeleteRequest(stamps))
    #expect(try scene.context.execute(request).count == 1)
    #expect(try scene.stored() == ["1 none 1", "2 none 2"])
    let pages = FetchRequest<ManagedObject>(entityName: "Page")
    #expect(try scene.bench.context().count(for: pages) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.3 contexts that hold the objects see that they are gone`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<4, owner: "a@b")
    let other = scene.bench.context()
    other.automaticallyMergesChangesFromParent = true
    let owner = try other.fetch(owners)[0]
    let notes = try other.fetch(BatchScene.notes)
    #expect(try owner.objects(forKey: "notes").count == 3)
    try scene.context.execute(BatchDeleteRequest(BatchScene.notes.filter("key < 3")))
    try other.processPendingChanges()
    #expect(try owner.objects(forKey: "notes").map(\.objectID) == [notes[2].objectID])
    #expect(notes.map(\.isDeleted) == [true, true, false])
    #expect(try other.fetch(BatchScene.notes).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.3 a bad condition is a typed error, and nothing is deleted`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<3)
    let request = BatchDeleteRequest(BatchScene.notes.filter("nonsense == 1"))
    #expect(code { try scene.context.execute(request) } == .unknownName)
    #expect(try scene.stored().count == 2)
  }
}
