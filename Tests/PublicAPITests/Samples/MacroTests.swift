// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What `@Managed` makes of a class, over both stores.
@Suite("Macro samples")
struct MacroTests {
  private static func makeContainer(
    _ kind: StoreKind,
    _ folder: TemporaryFolder
  ) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Macros",
      entities: Ticket.self,
      Album.self,
      Track.self,
      Puppy.self,
      Department.self,
      Member.self,
      store: kind.description(in: folder)
    )
  }

  private static func makeTicket(_ number: Int, in context: ManagedObjectContext) -> Ticket {
    let ticket = Ticket(context: context)
    ticket.repository = "perennial"
    ticket.number = number
    ticket.date = Date(timeIntervalSinceReferenceDate: 0)
    return ticket
  }

  @Test(arguments: StoreKind.allCases)
  func `enums, Codable values and defaults are stored`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try Self.makeContainer(kind, folder)
    let writer = container.newBackgroundContext()
    let ticket = Self.makeTicket(1, in: writer)
    #expect(ticket.state == "open")
    #expect(ticket.priority == .normal)
    #expect(ticket.label == nil)
    #expect(ticket.tags.isEmpty)
    ticket.priority = .high
    ticket.label = .bug
    ticket.place = Place(file: "main.swift", line: 7)
    ticket.tags = ["a", "b"]
    ticket.isSelected = true
    try writer.save()
    #expect(ticket.isSelected)

    let reader = container.newBackgroundContext()
    let read = try #require(try reader.first(Ticket.filter("priority == 2 AND label == 'bug'")))
    #expect(read.priority == .high)
    #expect(read.label == .bug)
    #expect(read.place == Place(file: "main.swift", line: 7))
    #expect(read.tags == ["a", "b"])
    #expect(!read.isSelected)
    #expect(read.key == "perennial#1")
    #expect(try reader.count(for: Ticket.filter("priority == \(Priority.high)")) == 1)
  }

  @Test func `a snapshot is a Sendable, Codable copy without transient values`() throws {
    let container = try Self.makeContainer(.inMemory, TemporaryFolder())
    let context = container.newBackgroundContext()
    let ticket = Self.makeTicket(1, in: context)
    ticket.label = .feature
    try context.save()
    let snapshot = ticket.snapshot()
    #expect(snapshot.id == ticket.objectID)
    #expect(snapshot.label == .feature)
    let copy = try JSONDecoder().decode(
      Ticket.Snapshot.self,
      from: JSONEncoder().encode(snapshot)
    )
    #expect(copy.id == snapshot.id)
    #expect(copy.number == 1)
    let names = Mirror(reflecting: snapshot).children.compactMap(\.label)
    #expect(!names.contains("isSelected"))
  }

  @Test(arguments: StoreKind.allCases)
  func `several attributes are unique together`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try Self.makeContainer(kind, folder)
    let context = container.newBackgroundContext()
    _ = Self.makeTicket(1, in: context)
    _ = Self.makeTicket(2, in: context)
    try context.save()
    let twin = Self.makeTicket(2, in: context)
    let error = try failure { try context.save() }
    #expect(error.code == .managedObjectConstraintMerge)
    #expect(error.objectID == twin.objectID)
    #expect(twin.isInserted)
    twin.number = 3
    try context.save()
    #expect(try context.count(for: Ticket.all) == 3)
  }

  @Test func `the earlier name of a property is in the model`() throws {
    let state = Ticket.entity.properties.first { $0.name == "state" }
    guard case .attribute(let attribute) = state else {
      Issue.record("there is no attribute 'state'")
      return
    }
    #expect(attribute.renamingIdentifier == "status")
    #expect(Ticket.entity.uniquenessConstraints == [["repository", "number"]])
    #expect(Ticket.entity.indexes.map { $0.elements.map(\.property) } == [["state", "date"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `an ordered relationship keeps its order`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try Self.makeContainer(kind, folder)
    let context = container.newBackgroundContext()
    let album = Album(context: context)
    album.title = "Sides"
    for title in ["B", "C", "A"] {
      let track = Track(context: context)
      track.title = title
      album.tracks.append(track)
    }
    album.tracks.move(from: 2, to: 0)
    try context.save()

    let reader = container.newBackgroundContext()
    let read = try #require(try reader.first(Album.all))
    #expect(read.tracks.map(\.title) == ["A", "B", "C"])
    #expect(read.tracks[0].album === read)
    read.tracks.remove(at: 1)
    try reader.save()
    #expect(read.tracks.map(\.title) == ["A", "C"])
    #expect(try reader.count(for: Track.filter("album == nil")) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `a fetch of a superentity finds objects of its subentities`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try Self.makeContainer(kind, folder)
    let context = container.newBackgroundContext()
    let dog = Dog(context: context)
    dog.name = "Rex"
    let puppy = Puppy(context: context)
    puppy.name = "Bit"
    puppy.weeks = 9
    try context.save()

    let reader = container.newBackgroundContext()
    let animals = try reader.fetch(Animal.sorted(by: \.name))
    #expect(animals.map { type(of: $0).entityName } == ["Puppy", "Dog"])
    #expect((animals.first as? Puppy)?.weeks == 9)
    #expect(try reader.fetch(Dog.sorted(by: \.name)).map(\.name) == ["Bit", "Rex"])
    var request = Dog.all
    request.includesSubentities = false
    #expect(try reader.fetch(request).map(\.name) == ["Rex"])
  }

  @Test(arguments: StoreKind.allCases)
  func `delete rules and required relationships are checked by the save`(
    _ kind: StoreKind
  ) throws {
    let folder = try TemporaryFolder()
    let container = try Self.makeContainer(kind, folder)
    let context = container.newBackgroundContext()
    let member = Member(context: context)
    member.name = "Ida"
    let lonely = try failure { try context.save() }
    #expect(lonely.code == .missingMandatoryProperty)
    #expect(lonely.property == "department")

    let department = Department(context: context)
    department.name = "Compilers"
    member.department = department
    try context.save()
    context.delete(department)
    let denied = try failure { try context.save() }
    #expect(denied.code == .relationshipDeniedDelete)
    context.rollback()
    #expect(department.members.map(\.name) == ["Ida"])
  }
}
