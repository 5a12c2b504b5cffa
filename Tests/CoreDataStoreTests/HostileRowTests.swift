// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@testable import PerennialSQLite

@Managed class Beast: ManagedObject {
  var name: String = ""
  @Relationship(inverse: \Cage.beasts) var cage: Cage?
}

@Managed final class Wolf: Beast {
  var howl: String = ""
}

@Managed final class Cage: ManagedObject {
  var label: String = ""
  var beasts: ToMany<Beast>
  var guardian: Wolf?
}

/// Rows that say of one another what is not so: objects have the class of their row, or are not there.
@Suite("Rows that lie about others")
struct HostileRowTests {
  private let folder: StoreFolder

  init() throws {
    folder = try StoreFolder()
    let context = try open().newBackgroundContext()
    let beast = Beast(context: context)
    beast.name = "plain"
    let wolf = Wolf(context: context)
    wolf.name = "wolf"
    wolf.howl = "a long howl, far longer than any word that fits into the slot itself"
    let cage = Cage(context: context)
    cage.label = "cage"
    cage.guardian = wolf
    for beast in [beast, wolf] { beast.cage = cage }
    try context.save()
  }

  private func open() throws -> PersistentContainer {
    try PersistentContainer(
      name: "Zoo",
      entities: Beast.self,
      Wolf.self,
      Cage.self,
      store: .sqlite(folder.store)
    )
  }

  /// The key of the one that is no wolf.
  private func plainKey() throws -> Int64 {
    try folder.connect().integers("SELECT Z_PK FROM ZBEAST WHERE ZNAME = 'plain'")[0]
  }

  @Test(arguments: [true, false])
  func `a reference to an object of another class leads nowhere`(isKnown: Bool) throws {
    try folder.execute("UPDATE ZCAGE SET ZGUARDIAN = \(plainKey())")
    let context = try open().newBackgroundContext()
    if isKnown {
      let beasts = try context.fetch(FetchRequest<Beast>())
      #expect(beasts.count == 2)
    }
    let cage = try #require(try context.fetch(FetchRequest<Cage>()).first)
    let guardian = cage.guardian
    #expect(guardian.map { type(of: $0) == Wolf.self } != false)
    let howl = guardian?.howl ?? ""
    #expect(howl.isEmpty)
    // Whatever was believed before, the rows are read as what they are.
    let beasts = try context.fetch(FetchRequest<Beast>())
    #expect(Set(beasts.map(\.name)) == ["plain", "wolf"])
    #expect(beasts.count { $0 is Wolf } == 1)
    #expect(try context.fetch(FetchRequest<Wolf>()).map(\.name) == ["wolf"])
    cage.label = "another"
    try context.save()
  }

  @Test func `a row that becomes another entity's is read as an object of its new class`() throws {
    let context = try open().newBackgroundContext()
    let before = try context.fetch(FetchRequest<Beast>())
    let plain = try #require(before.first { !($0 is Wolf) })
    let number = try folder.connect().integers("SELECT Z_ENT FROM ZBEAST WHERE ZNAME = 'wolf'")[0]
    try folder.execute("UPDATE ZBEAST SET Z_ENT = \(number), Z_OPT = Z_OPT + 1")
    let after = try context.fetch(FetchRequest<Beast>())
    #expect(after.allSatisfy { $0 is Wolf })
    #expect(after.count == 2)
    for beast in after { _ = (beast as? Wolf)?.howl }
    #expect(plain.name.isEmpty)
    #expect(!after.contains { $0 === plain })
  }

  @Test(arguments: [true, false])
  func `a version at its end is a conflict, which no save can settle`(isWatched: Bool) throws {
    try folder.execute("UPDATE ZCAGE SET Z_OPT = 4294967295")
    let context = try open().newBackgroundContext()
    let cage = try #require(try context.fetch(FetchRequest<Cage>()).first)
    if isWatched {
      context.detectConflicts(for: cage)
    } else {
      cage.label = "changed"
    }
    let error = #expect(throws: PerennialError.self) { try context.save() }
    #expect(error?.code == .managedObjectMerge)
    #expect(try folder.connect().texts("SELECT ZLABEL FROM ZCAGE") == ["cage"])
  }

  @Test func `an archive of a foreign class stays the bytes that it is`() throws {
    let folder = try StoreFolder()
    let model = try ManagedObjectModel(
      EntityDescription(
        "Thing",
        properties: [.attribute("value", .transformable, optional: true)]
      )
    )
    // What `NSKeyedArchiver` writes of an object of a class that nobody has.
    let archive = try PropertyListSerialization.data(
      fromPropertyList: [
        "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": ["root": 1],
        "$objects": [
          "$null", ["$class": 2], ["$classname": "Evil", "$classes": ["Evil", "NSObject"]],
        ],
      ],
      format: .binary,
      options: 0
    )
    func open() throws -> ManagedObjectContext {
      try PersistentContainer(name: "Things", model: model, store: .sqlite(folder.store))
        .newBackgroundContext()
    }
    do {
      let context = try open()
      _ = try context.insert(entityNamed: "Thing")
      try context.save()
    }
    let digits = archive.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    try folder.execute("UPDATE ZTHING SET ZVALUE = x'\(digits)'")
    let context = try open()
    let thing = try #require(
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing")).first
    )
    #expect(try thing.value(forKey: "value") as? Data == archive)
  }
}
