// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialModel
import PerennialStore
import Testing

@Suite("Round trips of a list with its to-one relationships")
struct RoundTripTests {
  /// A container that knows no row yet, of 100 trips: each with two places of 20, and one of 5 drivers.
  private func container(_ server: TestedServer) throws -> PersistentContainer {
    let writer = try open(server)
    let context = writer.newBackgroundContext()
    let places = try (0..<20).map { try context.named("Place", "place \($0)") }
    let drivers = try (0..<5).map { try context.named("Driver", "driver \($0)") }
    for number in 0..<100 {
      let trip = try context.named("Trip", "trip \(1_000 + number)")
      try trip.setObject(places[number % 20], forKey: "start")
      try trip.setObject(places[(number + 7) % 20], forKey: "end")
      try trip.setObject(drivers[number % 5], forKey: "driver")
    }
    try context.save()
    return try open(server)
  }

  private func open(_ server: TestedServer) throws(PerennialError) -> PersistentContainer {
    try PersistentContainer(
      name: "Trips",
      model: ManagedObjectModel(
        EntityDescription(
          "Trip",
          properties: [
            .attribute("name", .string), .toOne("start", "Place"), .toOne("end", "Place"),
            .toOne("driver", "Driver"),
          ]
        ),
        EntityDescription("Place", properties: [.attribute("name", .string)]),
        EntityDescription("Driver", properties: [.attribute("name", .string)])
      ),
      store: server.description
    )
  }

  /// How often one waits for the server to read the names of what some keys of all trips lead to.
  private func roundTrips(of keys: [String], prefetching: Bool) throws -> Int {
    let container = try container(TestedServer())
    let context = container.newBackgroundContext()
    var request = FetchRequest<ManagedObject>(entityName: "Trip")
    request.sortDescriptors = [FetchSort("name")]
    if prefetching { request.relationshipKeyPathsForPrefetching = keys }
    let before = container.counters
    let trips = try context.fetch(request)
    let names = try trips.map { trip in
      try keys.map { try trip.object(forKey: $0)?.value(forKey: "name") as? String }
    }
    #expect(names.count == 100)
    let expected: [String: String] = ["start": "place 8", "end": "place 15", "driver": "driver 3"]
    #expect(names[88] == keys.map { expected[$0] })
    return (container.counters - before).roundTrips
  }

  @Test(arguments: ["start", "end", "driver"], [true, false])
  func `one relationship of 100 objects: two`(_ key: String, _ prefetching: Bool) throws {
    #expect(try roundTrips(of: [key], prefetching: prefetching) == 2)
  }

  @Test func `relationships to one entity are loaded together when they are prefetched`() throws {
    #expect(try roundTrips(of: ["start", "end"], prefetching: true) == 2)
    #expect(try roundTrips(of: ["start", "driver", "end"], prefetching: true) == 3)
  }

  /// All 20 places are starts, so that the ends are here when they are asked for.
  @Test func `relationships that are not prefetched are one for each entity, too`() throws {
    #expect(try roundTrips(of: ["start", "end"], prefetching: false) == 2)
    #expect(try roundTrips(of: ["start", "end", "driver"], prefetching: false) == 3)
  }
}

extension ManagedObjectContext {
  fileprivate func named(_ entity: String, _ name: String) throws -> ManagedObject {
    let object = try insert(entityNamed: entity)
    try object.setValue(name, forKey: "name")
    return object
  }
}
