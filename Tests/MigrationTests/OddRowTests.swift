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
}
