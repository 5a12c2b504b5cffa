// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// What only another program writes into a SQLite store: its migration keeps what the store was read as.
@Suite("Migrated rows that another program wrote")
struct OddRowTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("Store.sqlite")
  }

  /// Makes a store of objects.
  private func make(_ model: ManagedObjectModel, _ objects: [StoredObject]) throws {
    try SQLiteStore(url: url, model: model.layout).insert(objects)
  }

  /// Changes the file as another program does.
  private func change(_ sql: String) throws {
    let connection = try SQLiteConnection(
      path: url.path(percentEncoded: false),
      access: .write,
      busyTimeout: .zero
    )
    try connection.execute(sql)
  }

  /// Everything that the store has, a line for each object.
  private func lines(_ model: ManagedObjectModel) throws -> [String] {
    try SQLiteStore(url: url, model: model.layout).lines()
  }

  private func migrate(
    _ old: ManagedObjectModel,
    _ new: ManagedObjectModel,
    allowsLoss: Bool = false
  ) throws {
    var mapping = MigrationPlan(from: old, to: new).mapping
    mapping.allowsLoss = allowsLoss
    try SQLiteFiles(busyTimeout: .zero).migrate(
      url,
      along: mapping,
      backup: nil,
      MigrationMonitor(nil, stepCount: 1)
    )
  }

  // MARK: Large values

  /// What is in a file beside the store, to which a name of 36 characters leads.
  private static let secret = Data("secret".utf8)
  private static let way = String(repeating: "./", count: 12) + "../../secret"

  @Test func `large values are read from the store's own files, and what is missing stops it`()
    throws
  {
    func model(isExternal: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription("Thing", properties: [.file("file", isExternal: isExternal)])
      )
    }
    let (old, new) = (try model(isExternal: true), try model(isExternal: false))
    let large = StoredValue.value(.data(Data(repeating: 7, count: ExternalData.threshold + 1)))
    try make(
      old,
      [
        StoredObject("Thing", 1, ["file": .value(.data(Data([1, 2])))]), StoredObject("Thing", 2),
        StoredObject("Thing", 3, ["file": large]), StoredObject("Thing", 4),
        StoredObject("Thing", 5),
      ]
    )
    let files = ExternalData(store: url)
    files.remove(try files.names())
    try Self.secret.write(to: folder.file("secret"))
    #expect(try Data(contentsOf: files.folder.appending(path: Self.way)) == Self.secret)
    #expect(Self.way.utf8.count == 36)
    try change(
      """
      UPDATE ZTHING SET ZFILE = CAST(x'02' || CAST('\(Self.way)' AS BLOB) || x'00' AS BLOB) \
      WHERE Z_PK = 2;
      UPDATE ZTHING SET ZFILE = x'0708' WHERE Z_PK = 4;
      UPDATE ZTHING SET ZFILE = x'0203' WHERE Z_PK = 5
      """
    )
    let expected = [
      StoredObject("Thing", 1, ["file": .value(.data(Data([1, 2])))]), StoredObject("Thing", 2),
      StoredObject("Thing", 3), StoredObject("Thing", 4, ["file": .value(.data(Data([7, 8])))]),
      StoredObject("Thing", 5),
    ]
    #expect(try lines(old) == expected.map(\.line))
    let error = try #require(throws: PerennialError.self) { try migrate(old, new) }
    #expect(error.code == .migration)
    #expect(error.message.contains("3 large values of 'Thing.file'"), "\(error)")
    #expect(error.message.contains("'.Store_SUPPORT'"), "\(error)")
    #expect(try lines(old) == expected.map(\.line))
    try migrate(old, new, allowsLoss: true)
    #expect(try lines(new) == expected.map(\.line))
  }

  // MARK: Numbers of entities

  @Test(arguments: [AttributeType.int16, .double])
  func `rows whose number is of no entity of their table stay, as objects of its first`(
    _ type: AttributeType
  ) throws {
    func model(_ type: AttributeType, _ names: String...) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription(
          "Animal",
          properties: [.optional("size", type)]
            + names.map { PropertyDescription.optional($0, .string) }
        ),
        EntityDescription("Dog", parent: "Animal", properties: []),
        EntityDescription("Item", properties: [.optional("size", type)])
      )
    }
    // A column of another type is written into a new table; without one, the table is changed in place.
    let (old, new) = (try model(.int16), try model(type, "note"))
    try make(
      old,
      [
        StoredObject("Animal", 1, ["size": 1]), StoredObject("Dog", 2, ["size": 2]),
        StoredObject("Dog", 3, ["size": 3]), StoredObject("Dog", 4, ["size": 4]),
        StoredObject("Item", 1, ["size": 5]), StoredObject("Item", 2, ["size": 6]),
      ]
    )
    try change(
      """
      UPDATE ZANIMAL SET Z_ENT = NULL WHERE Z_PK = 2; UPDATE ZANIMAL SET Z_ENT = 99 WHERE Z_PK = 3;
      UPDATE ZITEM SET Z_ENT = NULL WHERE Z_PK = 1; UPDATE ZITEM SET Z_ENT = 1 WHERE Z_PK = 2
      """
    )
    func expected(_ end: String) -> [String] {
      [
        "Animal 1 v1 size=1\(end)", "Animal 2 v1 size=2\(end)", "Animal 3 v1 size=3\(end)",
        "Dog 4 v1 size=4\(end)", "Item 1 v1 size=5\(end)", "Item 2 v1 size=6\(end)",
      ]
    }
    #expect(try lines(old) == expected(""))
    try migrate(old, new)
    #expect(try lines(new) == expected(type == .double ? ".0d" : ""))
  }

  @Test func `an entity does not become abstract while a row counts as its own`() throws {
    func model(isAbstract: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription("Animal", isAbstract: isAbstract, properties: []),
        EntityDescription("Dog", parent: "Animal", properties: [])
      )
    }
    let (old, new) = (try model(isAbstract: false), try model(isAbstract: true))
    try make(old, [StoredObject("Dog", 1)])
    try change("UPDATE ZANIMAL SET Z_ENT = NULL")
    let error = try #require(throws: PerennialError.self) { try migrate(old, new) }
    #expect(error.message.contains("'Animal'"), "\(error)")
    #expect(try lines(old) == [StoredObject("Animal", 1).line])
  }

  // MARK: Places

  @Test func `members without a place stay the last ones of those who may be in several teams`()
    throws
  {
    func model(_ team: PropertyDescription) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription("Person", properties: [team]),
        EntityDescription(
          "Team",
          properties: [.toMany("members", "Person", inverse: team.name, ordered: true)]
        )
      )
    }
    let old = try model(.toOne("team", "Team", inverse: "members"))
    let new = try model(.toMany("teams", "Team", inverse: "members").renamed(from: "team"))
    try make(
      old,
      [
        StoredObject("Team", 1, [:], ["members": [2, 3, 1]]),
        StoredObject("Person", 1, ["team": .object("Team", 1)]),
        StoredObject("Person", 2, ["team": .object("Team", 1)]),
        StoredObject("Person", 3, ["team": .object("Team", 1)]),
      ]
    )
    try change("UPDATE ZPERSON SET Z_FOK_TEAM = NULL WHERE Z_PK = 2")
    let team = StoredObject("Team", 1, [:], ["members": [3, 1, 2]])
    #expect(try lines(old).contains(team.line))
    try migrate(old, new)
    let people = [Int64](1...3).map { StoredObject("Person", $0, [:], ["teams": [1]]) }
    let expected = people.map(\.line) + [team.line]
    #expect(try lines(new) == expected)
  }

  // MARK: Tables and columns

  @Test func `a join table that the other side has named is found by either side afterwards`()
    throws
  {
    func model(_ names: String...) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription(
          "Ant",
          properties: [
            .toMany("friends", "Ant", inverse: "fans"),
            .toMany("fans", "Ant", inverse: "friends", ordered: true),
          ] + names.map { PropertyDescription.optional($0, .string) }
        )
      )
    }
    let (old, new) = (try model(), try model("name"))
    let ants = [
      StoredObject("Ant", 1, [:], ["friends": [2]]),
      StoredObject("Ant", 2, [:], ["fans": [3, 1]]),
      StoredObject("Ant", 3, [:], ["friends": [2]]),
    ]
    try make(old, ants)
    // As Core Data lays it out when the other side names the table.
    try change(
      """
      CREATE TABLE Z_1FANS ( Z_1FRIENDS INTEGER, Z_1FANS INTEGER, Z_FOK_1FANS INTEGER, \
      PRIMARY KEY (Z_1FRIENDS, Z_1FANS) ); \
      INSERT INTO Z_1FANS SELECT Z_1FRIENDS, Z_1FANS, Z_FOK_1FANS FROM Z_1FRIENDS; \
      DROP TABLE Z_1FRIENDS
      """
    )
    #expect(try lines(old) == ants.map(\.line))
    try migrate(old, new)
    #expect(try lines(new) == ants.map(\.line))
    let connection = try SQLiteConnection(
      path: url.path(percentEncoded: false),
      access: .read,
      busyTimeout: .zero
    )
    // That of the primary key is among them.
    let firsts = try connection.texts(
      """
      SELECT DISTINCT UPPER(i.name) FROM pragma_index_list('Z_1FRIENDS') AS l \
      JOIN pragma_index_info(l.name) AS i WHERE i.seqno = 0 ORDER BY 1
      """
    )
    #expect(firsts == ["Z_1FANS", "Z_1FRIENDS"])
  }

  @Test(arguments: [false, true])
  func `a column of others does not keep an attribute from having its name`(
    _ isRenamed: Bool
  ) throws {
    func model(_ properties: PropertyDescription...) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription("Item", properties: [.optional("name", .string)] + properties)
      )
    }
    let note = PropertyDescription.optional("note", .string)
    let extra = PropertyDescription.optional("extra", .string)
    let old = try model(note)
    let new = try isRenamed ? model(extra.renamed(from: "note")) : model(note, extra)
    func items(_ note: String) -> [String] {
      [
        StoredObject("Item", 1, ["name": "A", note: "N"]).line,
        StoredObject("Item", 2, ["name": "B"]).line,
      ]
    }
    try make(
      old,
      [
        StoredObject("Item", 1, ["name": "A", "note": "N"]),
        StoredObject("Item", 2, ["name": "B"]),
      ]
    )
    try change("ALTER TABLE ZITEM ADD COLUMN ZEXTRA BLOB; UPDATE ZITEM SET ZEXTRA = x'01'")
    #expect(try lines(old) == items("note"))
    try migrate(old, new)
    #expect(try lines(new) == items(isRenamed ? "extra" : "note"))
  }
}
