// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// A to-one relationship without an inverse, whose object has been deleted: nobody has emptied it.
@Suite("References to rows that are gone")
struct GoneReferenceTests {
  private static let set = [
    "mark != nil", "NOT mark == nil", "mark.objectID != nil", "mark.#self != nil",
    "mark != nil AND uppercase(name) == 'A'", "mark.name == nil", "mark.name != 'gone'",
    "mark.next == nil", "mark.name == nil AND uppercase(name) == 'A'",
    "NONE mark.parts.name == 'a'",
  ]
  private static let unset = [
    "mark == nil", "mark IN {nil}", "mark.objectID == nil", "mark.name != nil",
    "mark == nil AND uppercase(name) == 'A'", "mark == nil OR uppercase(name) == 'B'",
    "mark.name == 'gone'", "mark.next != nil", "ANY mark.parts.name == 'a'",
  ]

  private func model() throws -> ManagedObjectModel {
    let name = PropertyDescription.attribute("name", .string, optional: true)
    let parts = RelationshipDescription("parts", to: "Part", inverse: "mark", isToMany: true)
    let stickers = PropertyDescription.toMany(
      "stickers",
      "Sticker",
      inverse: "on",
      deleteRule: .noAction
    )
    return try ManagedObjectModel(
      EntityDescription("Note", properties: [name, .toOne("mark", "Mark")]),
      EntityDescription(
        "Mark",
        properties: [name, .toOne("next", "Mark"), .relationship(parts), stickers]
      ),
      EntityDescription("Sticker", properties: [.toOne("on", "Mark", inverse: "stickers")]),
      EntityDescription("Part", properties: [name, .toOne("mark", "Mark", inverse: "parts")])
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 every store and the context count them as set, without values`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, model: model(), classes: [])
    let context = bench.context()
    let mark = try context.insert(entityNamed: "Mark")
    try mark.setValue("gone", forKey: "name")
    let note = try context.insert(entityNamed: "Note")
    try note.setValue("a", forKey: "name")
    try note.setObject(mark, forKey: "mark")
    try context.save()
    let id = mark.objectID
    context.delete(mark)
    try context.save()

    let reader = bench.context()
    func count(_ predicate: FetchPredicate) throws -> Int {
      try reader.count(for: FetchRequest<ManagedObject>(entityName: "Note").filter(predicate))
    }
    let all = FetchRequest<ManagedObject>(entityName: "Note")
    let read = try #require(try reader.first(all))
    #expect(try read.object(forKey: "mark") != nil)
    for isPending in [false, true] {
      if isPending { try read.setValue("A", forKey: "name") }
      for format in Self.set {
        let found = try count(FetchPredicate(parsing: format))
        #expect(found == 1, "\(format), pending: \(isPending)")
      }
      for format in Self.unset {
        let found = try count(FetchPredicate(parsing: format))
        #expect(found == 0, "\(format), pending: \(isPending)")
      }
      #expect(try count("mark == \(id)") == 1)
      #expect(try count("mark.objectID == \(id)") == 1)
      #expect(try count("mark IN \([id])") == 1)
      #expect(try count("mark != \(id)") == 0)
    }
    let gone = try #require(try read.object(forKey: "mark"))
    #expect(try gone.value(forKey: "name") == nil)
    #expect(gone.isGone)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 they are as set for who holds the object that another context has deleted`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, model: model(), classes: [])
    let reader = bench.context()
    reader.automaticallyMergesChangesFromParent = true
    let mark = try reader.insert(entityNamed: "Mark")
    let note = try reader.insert(entityNamed: "Note")
    try note.setObject(mark, forKey: "mark")
    try reader.save()
    let other = bench.context()
    other.delete(try other.existingObject(with: mark.objectID))
    try other.save()
    try reader.processPendingChanges()
    #expect(mark.isDeleted)

    for isPending in [false, true] {
      if isPending { try note.setValue("A", forKey: "name") }
      for (format, expected) in [("mark != nil", 1), ("mark == nil", 0), ("mark.name == nil", 1)] {
        let request = FetchRequest<ManagedObject>(entityName: "Note")
          .filter(try FetchPredicate(parsing: format))
        #expect(try reader.count(for: request) == expected, "\(format), pending: \(isPending)")
      }
    }
  }

  /// What refers to an object, and whether it still does when that has been deleted.
  @Test(
    arguments: [("Note", "mark", true), ("Part", "mark", false), ("Sticker", "on", true)],
    StoreKind.allCases
  )
  func `1C.1 a deletion that is not saved is seen as it will be`(
    _ example: (entity: String, key: String, isSet: Bool),
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, model: model(), classes: [])
    let context = bench.context()
    func holder() throws -> (mark: ManagedObject, holder: ManagedObject) {
      let mark = try context.insert(entityNamed: "Mark")
      let holder = try context.insert(entityNamed: example.entity)
      try holder.setObject(mark, forKey: example.key)
      return (mark, holder)
    }
    func count() throws -> Int {
      let request = FetchRequest<ManagedObject>(entityName: example.entity)
      return try context.count(
        for: request.filter(try FetchPredicate(parsing: "\(example.key) != nil"))
      )
    }
    let saved = try holder()
    try context.save()
    context.delete(saved.mark)
    #expect(try count() == (example.isSet ? 1 : 0))
    try context.save()
    #expect(try count() == (example.isSet ? 1 : 0))

    // No row has ever referred to this one.
    let new = try holder()
    context.delete(new.mark)
    #expect(try count() == (example.isSet ? 1 : 0))
    try context.save()
    #expect(try count() == (example.isSet ? 1 : 0))
    _ = saved
  }
}
