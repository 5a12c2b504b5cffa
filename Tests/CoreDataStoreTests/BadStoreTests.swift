// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModel
import PerennialSQL
import Testing

@testable import PerennialSQLite

/// Every store is opened to be written and to be read, and is then as it was, byte for byte, without a new
/// file beside it.
@Suite("Stores of Core Data that are damaged, or of something else")
struct BadStoreTests {
  private func refusal(
    of copy: StoreFolder,
    _ model: ManagedObjectModel
  ) throws -> PerennialError {
    let before = try copy.contents()
    var found: PerennialError?
    for isReadOnly in [false, true] {
      let error = #expect(throws: PerennialError.self) {
        _ = try SQLiteStore(
          url: copy.store,
          model: model.layout,
          isReadOnly: isReadOnly,
          busyTimeout: .milliseconds(50)
        )
      }
      let after = try copy.contents()
      #expect(Set(after.keys) == Set(before.keys))
      #expect(after == before)
      found = error
    }
    let error = try #require(found)
    #expect(!error.recovery.isEmpty)
    return error
  }

  /// A store that is damaged by statements.
  private func refusal(
    _ name: String,
    _ sql: String...
  ) throws -> PerennialError {
    let corpus = try CorpusStore.named(name)
    let copy = try StoreFolder(corpus)
    let model = try corpus.model()
    do {
      let connection = try copy.connect()
      try connection.execute("PRAGMA journal_mode = DELETE")
      for statement in sql { try connection.execute(statement) }
    }
    return try refusal(of: copy, model)
  }

  @Test(
    arguments: [
      ("ALTER TABLE ZOCKCDTASK RENAME TO MINE", "'ZOCKCDTASK'"),
      ("DROP TABLE Z_4TASK", "'Z_4TASK'"),
      ("ALTER TABLE ZOCKCDOUTCOME DROP COLUMN ZASSET", "'ZOCKCDOUTCOME.ZASSET'"),
      ("ALTER TABLE ZOCKCDOUTCOME RENAME COLUMN Z_OPT TO OPT", "'ZOCKCDOUTCOME.Z_OPT'"),
    ]
  )
  func `a table or column that is missing is named`(sql: String, name: String) throws {
    let error = try refusal("carekit-2.0", sql)
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message.contains(name), "\(error.message)")
  }

  @Test func `a column of another type is named, with both types`() throws {
    let error = try refusal(
      "coredataplus-sample3-v1",
      "ALTER TABLE ZUSER RENAME TO OLD",
      """
      CREATE TABLE ZUSER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZNAME VARCHAR, ZPETNAME INTEGER)
      """
    )
    #expect(error.code == .persistentStoreOpen)
    #expect(
      error.message.contains("has 'ZUSER.ZPETNAME' as INTEGER, which its model has as VARCHAR")
    )
  }

  @Test(
    arguments: [
      ("UPDATE Z_METADATA SET Z_PLIST = NULL", "'Z_METADATA.Z_PLIST' is NULL"),
      ("UPDATE Z_METADATA SET Z_PLIST = 'stripped'", "'Z_METADATA.Z_PLIST' is no property list"),
      (
        "UPDATE Z_METADATA SET Z_PLIST = x'62706C697374'",
        "'Z_METADATA.Z_PLIST' is no property list"
      ),
      ("UPDATE Z_METADATA SET Z_UUID = 'mine'", "'Z_METADATA.Z_UUID' is no UUID"),
      ("DELETE FROM Z_METADATA", "'Z_METADATA' has no row"),
    ]
  )
  func `metadata that say nothing are named`(sql: String, place: String) throws {
    let error = try refusal("coredataplus-sample1-v1", sql)
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message.contains(place), "\(error.message)")
    #expect(error.recovery.contains("Z_METADATA"))
  }

  @Test(arguments: ["NSStoreType", "NSStoreModelVersionHashesVersion"])
  func `metadata without hashes of the known kind are named`(_ key: String) throws {
    let corpus = try CorpusStore.named("coredataplus-sample1-v1")
    let copy = try StoreFolder(corpus)
    let list = try PropertyListSerialization.data(
      fromPropertyList: [key: 2],
      format: .binary,
      options: 0
    )
    do {
      let connection = try copy.connect()
      try connection.execute("PRAGMA journal_mode = DELETE")
      let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
      defer { statement.finalize() }
      try statement.bind([.blob(list)])
      try statement.run()
    }
    let error = try refusal(of: copy, corpus.model())
    #expect(error.message.contains("'Z_METADATA.Z_PLIST' has no 'NSStoreModelVersionHashes'"))
  }

  @Test func `an entity that the store does not number is damage, not another model`() throws {
    let error = try refusal("bnr-books", "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'")
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message.contains("no row of 'Book' in 'Z_PRIMARYKEY'"))
  }

  @Test(
    arguments: [
      "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL", "ALTER TABLE ZBOOK DROP COLUMN ZPRICE",
      "UPDATE ZBOOK SET ZTITLE = ''",
    ]
  )
  func `hashes that are not known are passed over where Core Data wrote last and the tables fit`(
    _ sql: String
  ) throws {
    let copy = try StoreFolder(.named("coredataplus-sample2-v2"))
    let model = try CorpusStore.named("coredataplus-sample2-v2").model()
    try copy.execute("PRAGMA journal_mode = DELETE", sql)
    guard !sql.contains("ZTITLE") else {
      _ = try SQLiteStore(url: copy.store, model: model.layout)
      return
    }
    let error = try refusal(of: copy, model)
    #expect(error.code == .incompatibleVersionHash)
    #expect(error.message.contains("'Book', 'GraphicNovel'"))
  }

  @Test(arguments: ["bnr-books", "ddg-bookmarks-v4", "magicalrecord-recipes"])
  func `a store of another model is left alone, with its log`(_ name: String) throws {
    let model = try ManagedObjectModel(
      EntityDescription("Other", properties: [.attribute("name", .string)])
    )
    let copy = try StoreFolder(CorpusStore.named(name))
    let error = try refusal(of: copy, model)
    #expect(error.code == .incompatibleVersionHash)
  }

  @Test(arguments: [false, true])
  func `a database of another program is left alone, with its log`(hasLog: Bool) throws {
    let copy = try StoreFolder()
    do {
      let connection = try SQLiteConnection(
        path: copy.store.path,
        access: .create,
        busyTimeout: .zero
      )
      try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE notes (text)")
      try connection.execute("INSERT INTO notes VALUES ('mine')")
      SQLiteLibrary.keepLogOnClose(connection.handle, hasLog)
    }
    try? FileManager.default.removeItem(at: copy.url.appending(path: "store.sqlite-shm"))
    let names = Set(try copy.contents().keys)
    #expect(names == (hasLog ? ["store.sqlite", "store.sqlite-wal"] : ["store.sqlite"]))
    let model = try CorpusStore.named("bnr-books").model()
    let error = try refusal(of: copy, model)
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message.contains("of another program"))
  }

  @Test(arguments: [700, 4096, 5_000, 20_480, 30_000])
  func `a store that was cut off is damaged`(_ byteCount: Int) throws {
    let corpus = try CorpusStore.named("bnr-books")
    let copy = try StoreFolder(corpus)
    try Data(contentsOf: copy.store).prefix(byteCount).write(to: copy.store)
    let error = try refusal(of: copy, corpus.model())
    #expect([.sqlite, .persistentStoreOpen].contains(error.code))
    #expect(error.message.contains("'store.sqlite'"))
  }

  @Test func `NULL where the model asks for a value is read, and refused when it is saved`() throws
  {
    let corpus = try CorpusStore.named("coredataplus-sample1-v1")
    let copy = try StoreFolder(corpus)
    try copy.execute("UPDATE ZPERSON SET ZID = NULL, Z_OPT = NULL WHERE Z_PK = 1")
    let model = try corpus.model()
    let before = try RawTable("ZPERSON", on: copy.connect())
    do {
      let store = StoreDescription.sqlite(copy.store)
      let container = try PersistentContainer(name: "Cars", model: model, store: store)
      let context = container.newBackgroundContext()
      let people = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
      #expect(people.count == 20)
      let person = try #require(people.first { $0.objectID.key == 1 })
      #expect(try person.value(forKey: "id") == nil)
      try person.setValue("Changed", forKey: "lastName")
      let error = #expect(throws: PerennialError.self) { try context.save() }
      #expect(error?.code == .missingMandatoryProperty)
      #expect(error?.property == "id" || error?.problems.first?.property == "id")
    }
    #expect(try RawTable("ZPERSON", on: copy.connect()) == before)
  }
}
