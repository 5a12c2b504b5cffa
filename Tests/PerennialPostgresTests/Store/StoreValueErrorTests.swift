// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Testing

@Suite("What a store on PostgreSQL cannot write", .needsServer)
struct StoreValueErrorTests {
  private let place: StorePlace
  private let container: PersistentContainer

  init() throws {
    place = try StorePlace()
    container = try place.containerWithTally()
  }

  /// A save that must not succeed: nothing is changed, and once the cause is gone all of it is written.
  private func refusal(
    _ container: PersistentContainer,
    _ change: (ManagedObjectContext, Tally) -> Void,
    cure: ((Tally) -> Void)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> PerennialError {
    let before = try place.contents()
    let context = container.newBackgroundContext()
    let tally = try #require(try context.first(Tally.filter("name == 'one'")))
    tally.count += 1
    let shelf = TallyShelf(context: context)
    shelf.room = "new"
    tally.shelf = shelf
    change(context, tally)
    let error = try storeError(sourceLocation: sourceLocation) { try context.save() }
    #expect(try place.contents().count == before.count, sourceLocation: sourceLocation)
    #expect(try container.count() == 0, sourceLocation: sourceLocation)
    #expect(tally.count == 1 && context.hasChanges, sourceLocation: sourceLocation)
    if let cure {
      cure(tally)
      try context.save()
      #expect(try container.count() == 1, sourceLocation: sourceLocation)
    }
    return error
  }

  @Test func `a text with NUL is named`() throws {
    let error = try refusal(container) {
      $1.memo = "a\0b"
    } cure: {
      $0.memo = "ab"
    }
    #expect(error.code == .validation)
    #expect(error.code.rawValue == 1550)
    #expect(error.entity == "Tally" && error.property == "memo")
  }

  @Test func `a text with NUL in a batch update is refused`() throws {
    let before = try place.contents()
    let context = container.newBackgroundContext()
    var update = BatchUpdateRequest(Tally.self)
    update.set(\Tally.memo, to: "a\0b")
    let error = try storeError { _ = try context.execute(update) }
    #expect(error.code == .validation)
    #expect(try place.contents() == before)
  }

  /// Texts that the server cannot make smaller.
  private static func noise(_ count: Int) -> String {
    let letters = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return String((0..<count).map { _ in letters[.random(in: letters.indices)] })
  }

  @Test(arguments: [2_800, 20_000])
  func `a text that is too long for its index is named`(length: Int) throws {
    let error = try refusal(container) { _, tally in
      tally.name = Self.noise(length)
    } cure: {
      $0.name = "one"
    }
    #expect(error.code == .stringTooLong)
    #expect(error.entity == "Tally" && error.property == "name", "\(error)")
    #expect(error.description.contains("\(length) bytes"), "\(error)")
    let context = container.newBackgroundContext()
    let new = Tally(context: context)
    new.name = Self.noise(length)
    new.memo = Self.noise(length * 2)
    #expect(try storeError { try context.save() }.property == "name")
    new.name = Self.noise(2_600)
    try context.save()
    #expect(try container.newBackgroundContext().count(for: Tally.all) == 2)
  }

  @Test func `a batch update with a text that is too long for an index is refused`() throws {
    let before = try place.contents()
    var update = BatchUpdateRequest(Tally.self)
    update.set(\Tally.name, to: Self.noise(3_000))
    let context = container.newBackgroundContext()
    #expect(try storeError { _ = try context.execute(update) }.code == .stringTooLong)
    #expect(try place.contents() == before)
  }

  @Test func `who may not write one of the tables is told, and nothing of the save is written`()
    throws
  {
    try place.execute(
      """
      GRANT USAGE ON SCHEMA \(place.schema) TO visitor;
      GRANT ALL ON ALL TABLES IN SCHEMA \(place.schema) TO visitor;
      REVOKE UPDATE ON ztally FROM visitor
      """
    )
    let guest = try place.container(try place.url("visitor:visitor"))
    let error = try refusal(guest) { _, _ in }
    #expect(error.code == .persistentStoreSave)
    #expect(error.recovery.contains("GRANT"), "\(error)")
    try place.execute("GRANT UPDATE ON ztally TO visitor")
    let context = guest.newBackgroundContext()
    try #require(try context.first(Tally.all)).count += 1
    try context.save()
    #expect(try container.count() == 1)
  }

  @Test func `a store that is opened to be read is not written`() throws {
    let before = try place.contents()
    let reader = try place.container { $0.isReadOnly = true }
    let error = try refusal(reader) { _, _ in }
    #expect(error.code == .persistentStoreSave)
    let context = reader.newBackgroundContext()
    var update = BatchUpdateRequest(Tally.self)
    update.set(\Tally.count, to: 7)
    #expect(try storeError { _ = try context.execute(update) }.code == .persistentStoreSave)
    #expect(
      try storeError { _ = try context.execute(BatchDeleteRequest(Tally.all)) }.code
        == .persistentStoreSave
    )
    #expect(try place.contents() == before)
  }

  @Test func `numbers at the ends of their ranges are kept, and sums that leave them are told`()
    throws
  {
    let context = container.newBackgroundContext()
    for (name, number) in [("least", Int.min), ("greatest", Int.max), ("two", 2)] {
      let tally = Tally(context: context)
      (tally.name, tally.count) = (name, number)
    }
    try context.save()
    #expect(try container.count(of: "least") == .min)
    #expect(try container.count(of: "greatest") == .max)
    // Beyond 64 bits the server has an error, and memory has an answer or an error of its own.
    let fetches = [
      "count + 1 > 0", "count * 2 > 0", "count - 9 < 0", "count / 0 > 1", "abs:(count) > 3",
    ]
    for format in fetches {
      let fresh = container.newBackgroundContext()
      let inMemory = try PersistentContainer(
        name: "Tallies",
        entities: Tally.self,
        TallyShelf.self,
        TallyLabel.self,
        store: .inMemory
      ).newBackgroundContext()
      for tally in try fresh.fetch(Tally.all) {
        let copy = Tally(context: inMemory)
        (copy.name, copy.count) = (tally.name, tally.count)
      }
      try inMemory.save()
      let expected = Self.answer(format, inMemory)
      #expect(Self.answer(format, container.newBackgroundContext()) == expected, "\(format)")
    }
  }

  /// The names that a fetch gives, or the code of its error.
  private static func answer(_ format: String, _ context: ManagedObjectContext) -> [String] {
    do throws(any Error) {
      return try context.fetch(Tally.filter(try FetchPredicate(parsing: format))).map(\.name)
        .sorted()
    } catch {
      return ["\((error as? PerennialError)?.code.rawValue ?? 0)"]
    }
  }
}
#endif
