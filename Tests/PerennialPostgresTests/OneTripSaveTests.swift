// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Testing

@Managed final class Parcel: ManagedObject {
  @Unique var code: String
  var weight: Int = 0
  var note: String?
}

/// Saves of new and changed objects, whose statements and commit the server gets at once.
@Suite("Saves in one round trip", .needsServer)
struct OneTripSaveTests {
  private let container: PersistentContainer

  init() throws {
    container = try PersistentContainer(
      name: "Parcels",
      entities: Parcel.self,
      store: .postgres(try TestServer.emptySchema())
    )
  }

  /// A context with so many parcels, which are saved.
  private func context(_ count: Int) throws -> (ManagedObjectContext, [Parcel]) {
    let context = container.newBackgroundContext()
    let parcels = (0..<count).map { number in
      let parcel = Parcel(context: context)
      parcel.code = "code \(number)"
      return parcel
    }
    try context.save()
    return (context, parcels)
  }

  private func weights() throws -> [Int] {
    try container.newBackgroundContext().fetch(Parcel.sorted(by: \.code)).map(\.weight)
  }

  @Test(arguments: [1, 5_000])
  func `new and changed objects are saved in one`(count: Int) throws {
    let (context, parcels) = try context(count)
    // Keys are set aside for this one and others.
    Parcel(context: context).code = "first"
    try context.save()
    for parcel in parcels { parcel.weight = 7 }
    Parcel(context: context).code = "new"
    let before = container.counters
    try context.save()
    #expect((container.counters - before).roundTrips == 1)
    #expect(try weights() == Array(repeating: 7, count: count) + [0, 0])
  }

  /// What the server takes at a time has an end, and what lies in memory should have one.
  @Test func `rows of many bytes are sent in parts`() throws {
    let (context, parcels) = try context(24)
    for digits in [0..<24, 1..<25] {
      let notes = digits.map { String(repeating: "\($0 % 10)", count: 1 << 20) }
      for (parcel, note) in zip(parcels, notes) { parcel.note = note }
      for number in digits {
        let parcel = Parcel(context: context)
        parcel.code = "new \(digits.lowerBound) \(number)"
        parcel.note = String(repeating: "n", count: 1 << 20)
      }
      let before = container.counters
      try context.save()
      #expect((container.counters - before).roundTrips > 5)
      let stored = try container.newBackgroundContext().fetch(Parcel.all)
      let codes = Dictionary(uniqueKeysWithValues: stored.map { ($0.code, $0.note) })
      let areRight = zip(parcels, notes).allSatisfy { codes[$0.code] == $1 }
      #expect(areRight)
      let newCount = stored.filter { $0.note?.first == "n" }.count
      #expect(newCount == 24 * (digits.lowerBound + 1))
    }
  }

  /// The second of 3,000 rows has another version: the first thousand has been written by then.
  @Test(arguments: [0, 1_500, 2_999])
  func `a row that others have changed undoes all of it`(place: Int) throws {
    let (context, parcels) = try context(3_000)
    let rival = container.newBackgroundContext()
    let code = parcels[place].code
    try #require(try rival.first(Parcel.filter("code == \(code)"))).weight = 1
    try rival.save()
    for parcel in parcels { parcel.weight = 2 }
    Parcel(context: context).code = "new"
    let error = #expect(throws: PerennialError.self) { try context.save() }
    #expect(error?.code == .managedObjectMerge)
    let stored = try weights()
    #expect(stored.count == 3_000)
    #expect(stored.reduce(0, +) == 1)
  }

  @Test func `a value that is there already undoes all of it`() throws {
    let (context, parcels) = try context(2)
    parcels[0].weight = 3
    Parcel(context: context).code = "code 1"
    let error = #expect(throws: PerennialError.self) { try context.save() }
    #expect(error?.code == .managedObjectConstraintMerge)
    #expect(try weights() == [0, 0])
    context.rollback()
    parcels[0].weight = 4
    try context.save()
    #expect(try weights() == [4, 0])
  }
}
#endif
