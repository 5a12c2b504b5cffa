// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
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
  func `1H.3 a deletion of which only the number is asked keeps to its offset and limit`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(
        EntityDescription("Event", properties: [.attribute("date", .int64, default: 0)]),
        EntityDescription("Party", parent: "Event", properties: [])
      ),
      classes: []
    )
    let context = bench.context()
    for date in Int64(0)..<8 {
      let event = try context.insert(entityNamed: date.isMultiple(of: 2) ? "Event" : "Party")
      try event.setValue(date, forKey: "date")
    }
    try context.save()
    let events = FetchRequest<ManagedObject>(entityName: "Event").sorted(by: FetchSort("date"))
    let request = BatchDeleteRequest(events.filter("date > 0").offset(2).limit(3))
    #expect(try context.execute(request).count == 3)
    let reader = bench.context()
    let dates = try reader.fetch(events).map { try $0.value(forKey: "date") as? Int64 }
    #expect(dates == [0, 1, 2, 6, 7])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.3 the IDs and the history of a deletion with a limit are those of the rows that went`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(
        EntityDescription(
          "Event",
          indexes: [["date"]],
          properties: [.attribute("date", .int64, optional: true)]
        ),
        EntityDescription("Party", parent: "Event", properties: [])
      ),
      classes: [],
      history: HistoryOptions(isOn: true, keepsOldValues: true)
    )
    let context = bench.context()
    // An index gives the keys in another order than the table.
    for date in (0..<20).reversed() {
      let event = try context.insert(entityNamed: date.isMultiple(of: 2) ? "Event" : "Party")
      try event.setValue(date, forKey: "date")
    }
    try context.save()
    let token = try bench.coordinator.historyToken()
    let events = FetchRequest<ManagedObject>(entityName: "Event")
    let before = try Set(bench.context().fetch(events).map(\.objectID))
    var request = BatchDeleteRequest(events.limit(5))
    request.resultType = .objectIDs
    let result = try context.execute(request)
    let deleted = try before.subtracting(bench.context().fetch(events).map(\.objectID))
    #expect(deleted.count == 5 && result.count == 5)
    #expect(Set(result.objectIDs) == deleted)
    let changes = try context.history(after: token).flatMap(\.changes)
    #expect(Set(changes.map(\.changedObjectID)) == deleted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.3 a relationship without inverse forgets the rows, and the history says so`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(
        EntityDescription("Album", properties: [.toMany("photos", "Photo")]),
        EntityDescription("Photo", properties: [.attribute("name", .string, default: "")])
      ),
      classes: [],
      history: HistoryOptions(isOn: true)
    )
    let context = bench.context()
    let album = try context.insert(entityNamed: "Album")
    let photo = try context.insert(entityNamed: "Photo")
    try album.objects(forKey: "photos").insert(photo)
    try context.save()
    let (albumID, photoID) = (album.objectID, photo.objectID)
    let token = try bench.coordinator.historyToken()
    try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Photo")))
    let changes = try context.history(after: token).flatMap(\.changes)
    #expect(Set(changes.map(words)) == ["delete \(photoID)", "update \(albumID) photos"])
    let reader = bench.context()
    let albums = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Album"))
    let counts = try albums.map { try $0.objects(forKey: "photos").count }
    #expect(counts == [0])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.3 more rows go by their IDs than a list of keys takes`(_ kind: StoreKind) throws {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(
        EntityDescription("Event", properties: [.attribute("date", .int64, default: 0)])
      ),
      classes: [],
      history: HistoryOptions(isOn: true)
    )
    let context = bench.context()
    for _ in 0..<1_201 { _ = try context.insert(entityNamed: "Event") }
    try context.save()
    let token = try bench.coordinator.historyToken()
    let events = FetchRequest<ManagedObject>(entityName: "Event")
    let ids = try context.fetch(events).dropFirst().map(\.objectID)
    var request = BatchDeleteRequest(objectIDs: ids)
    request.resultType = .objectIDs
    let result = try context.execute(request)
    #expect(result.count == 1_200 && Set(result.objectIDs) == Set(ids))
    #expect(try bench.context().count(for: events) == 1)
    let changes = try context.history(after: token).flatMap(\.changes)
    #expect(Set(changes.map(\.changedObjectID)) == Set(ids))
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
