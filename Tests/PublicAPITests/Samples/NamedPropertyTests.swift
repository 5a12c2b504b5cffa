// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Properties by name: the numbers that they take, and what is said when one is of another kind.
@Suite("Properties by name")
struct NamedPropertyTests {
  private static func makeContainer(
    _ kind: StoreKind,
    _ folder: TemporaryFolder
  ) throws -> PersistentContainer {
    var track = EntityDescription(
      "Track",
      properties: [
        .attribute("title", .string, default: ""),
        .attribute("gain", .float, default: 0.1),
        .attribute(
          "level",
          .float,
          optional: true,
          validation: ValidationRules(minimum: .double(0.1), maximum: .double(0.3))
        ),
        .attribute("price", .decimal, optional: true),
        .toOne("album", "Album", inverse: "tracks"),
      ]
    )
    track.properties.append(
      .attribute(
        AttributeDescription(
          "place",
          .composite,
          isOptional: true,
          elements: [
            AttributeDescription("disc", .int16, isOptional: true),
            AttributeDescription("side", .string, isOptional: true),
          ]
        )
      )
    )
    let album = EntityDescription(
      "Album",
      properties: [
        .toMany("tracks", "Track", inverse: "album", ordered: true),
        .toMany("fans", "Fan", inverse: "albums"),
      ]
    )
    let fan = EntityDescription("Fan", properties: [.toMany("albums", "Album", inverse: "fans")])
    return try PersistentContainer(
      name: "Music",
      model: ManagedObjectModel(track, album, fan),
      store: kind.description(in: folder)
    )
  }

  private static func count(_ gain: Float, in context: ManagedObjectContext) throws -> Int {
    try context.count(
      for: FetchRequest<ManagedObject>(entityName: "Track").filter("gain == \(gain)")
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `a Float attribute has Floats only, by default, by name and in batches`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let context = try Self.makeContainer(kind, folder).newBackgroundContext()
    let named = try context.insert(entityNamed: "Track")
    try named.setValue(0.2, forKey: "gain")
    let typed = try context.insert(entityNamed: "Track")
    try typed.setValue(Float(0.2), forKey: "gain")
    _ = try context.insert(entityNamed: "Track")
    try context.save()
    #expect(try Self.count(0.2, in: context) == 2)
    #expect(try Self.count(0.1, in: context) == 1)

    try context.execute(BatchInsertRequest(entityName: "Track", objects: [["gain": 0.2]]))
    #expect(try Self.count(0.2, in: context) == 3)
    var update = BatchUpdateRequest(entityName: "Track")
    update.propertiesToUpdate = ["gain": 0.4]
    try context.execute(update)
    #expect(try Self.count(0.4, in: context) == 4)
  }

  @Test func `a number that is too large for a Float is refused, and one between two is rounded`()
    throws
  {
    let context = try Self.makeContainer(.inMemory, TemporaryFolder()).newBackgroundContext()
    let track = try context.insert(entityNamed: "Track")
    #expect(try failure { try track.setValue(1e300, forKey: "gain") }.code == .typeMismatch)
    try track.setValue(16_777_217, forKey: "gain")
    #expect(try track.value(forKey: "gain") as? Double == 16_777_216)
    let unfit = EntityDescription("A", properties: [.attribute("f", .float, default: 1e300)])
    #expect(try failure { _ = try ManagedObjectModel(unfit) }.code == .invalidModel)
  }

  @Test(arguments: StoreKind.allCases)
  func `a Float may be as large as its bound`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try Self.makeContainer(kind, folder).newBackgroundContext()
    let track = try context.insert(entityNamed: "Track")
    for bound in [Float(0.1), 0.3] {
      try track.setValue(bound, forKey: "level")
      try context.save()
    }
    try track.setValue(Float(0.3).nextUp, forKey: "level")
    #expect(try failure { try context.save() }.code == .numberTooLarge)
  }

  @Test func `a Decimal attribute takes a Double as it is printed`() throws {
    let context = try Self.makeContainer(.inMemory, TemporaryFolder()).newBackgroundContext()
    let track = try context.insert(entityNamed: "Track")
    try track.setValue(0.1, forKey: "price")
    #expect(try track.value(forKey: "price") as? Decimal == Decimal(string: "0.1"))
    try track.setValue(Float(0.1), forKey: "price")
    #expect(try track.value(forKey: "price") as? Decimal == Decimal(string: "0.1"))
    #expect(try failure { try track.setValue(1e300, forKey: "price") }.code == .typeMismatch)
  }

  @Test func `a property of another kind is named with what reads it`() throws {
    let context = try Self.makeContainer(.inMemory, TemporaryFolder()).newBackgroundContext()
    let album = try context.insert(entityNamed: "Album")
    let track = try context.insert(entityNamed: "Track")
    let list = try failure { try album.setValue([track.objectID], forKey: "tracks") }
    #expect(list.code == .typeMismatch)
    #expect(list.message == "'Album.tracks' is an ordered relationship.")
    #expect(list.recovery.contains("orderedObjects(forKey:)"))
    let errors = [
      try failure { _ = try album.object(forKey: "fans") },
      try failure { try track.setObject(album, forKey: "title") },
      try failure { _ = try track.objects(forKey: "album") },
      try failure { _ = try track.objects(forKey: "place") },
      try failure { _ = try album.orderedObjects(forKey: "fans") },
    ]
    #expect(errors.map(\.code) == Array(repeating: .typeMismatch, count: 5))
    #expect(
      errors.map(\.message) == [
        "'Album.fans' is a to-many relationship that is not ordered.",
        "'Track.title' is an attribute.", "'Track.album' is a to-one relationship.",
        "'Track.place' is an attribute.",
        "'Album.fans' is a to-many relationship that is not ordered.",
      ]
    )
    #expect(try failure { _ = try album.objects(forKey: "track") }.code == .unknownName)
  }

  @Test func `a constraint's suggestion names what a constraint can have`() throws {
    let album = EntityDescription(
      "Album",
      uniqueness: [["fans"]],
      properties: [.attribute("name", .string), .toMany("fans", "Album", inverse: "fans")]
    )
    #expect(try failure { _ = try ManagedObjectModel(album) }.recovery == "use one of: name")
  }

  @Test(arguments: StoreKind.allCases)
  func `an ordered relationship is put in order by name`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try Self.makeContainer(kind, folder)
    let context = container.newBackgroundContext()
    let album = try context.insert(entityNamed: "Album")
    let tracks = try album.orderedObjects(forKey: "tracks")
    for title in ["a", "b", "c", "d"] {
      let track = try context.insert(entityNamed: "Track")
      try track.setValue(title, forKey: "title")
      tracks.append(track)
    }
    try context.save()
    try album.orderedObjects(forKey: "tracks").move(from: 3, to: 0)
    try context.save()
    let reader = container.newBackgroundContext()
    let read = try reader.object(with: album.objectID)
    let titles = try read.orderedObjects(forKey: "tracks").map {
      try $0.value(forKey: "title") as? String
    }
    #expect(titles == ["d", "a", "b", "c"])
  }

  @Test func `a composite attribute has a committed value`() throws {
    let context = try Self.makeContainer(.inMemory, TemporaryFolder()).newBackgroundContext()
    let track = try context.insert(entityNamed: "Track")
    let first: [String: any Sendable] = ["disc": 1, "side": "A"]
    try track.setValue(first, forKey: "place")
    #expect(try track.committedValues(forKeys: ["place"]).isEmpty)
    try context.save()
    try track.setValue(["disc": 2], forKey: "place")
    let values = try track.committedValues(forKeys: ["place", "title"])
    #expect(values.keys.sorted() == ["place", "title"])
    let place = try #require(values["place"] as? [String: any Sendable])
    #expect(place["disc"] as? Int64 == 1)
    #expect(place["side"] as? String == "A")
  }
}
