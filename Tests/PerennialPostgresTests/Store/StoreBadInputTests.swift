// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialModel
import PerennialPostgres
import Testing

@Suite("Stores on PostgreSQL that cannot be opened", .needsServer)
struct StoreOpeningErrorTests {
  private let place: StorePlace

  init() throws { place = try StorePlace() }

  /// Opens a store that must not be opened, and sees that nothing has changed.
  private func refusal(
    _ url: URL,
    isReadOnly: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> PerennialError {
    let before = try place.contents()
    let error = try storeError(sourceLocation: sourceLocation) {
      _ = try place.container(url) { $0.isReadOnly = isReadOnly }
    }
    #expect(try place.contents() == before, sourceLocation: sourceLocation)
    #expect(!error.description.contains("secret"), sourceLocation: sourceLocation)
    return error
  }

  @Test func `a wrong address, user, password or database is refused`() throws {
    let closed = try SilentListener().port
    for url in [
      try place.url("perennial:secret"), try place.url("nobody:secret"),
      try place.url(database: "nowhere"), try place.url(port: closed),
      try place.url(host: "nowhere.invalid"), try place.url(parameters: "&pol=2"),
      try #require(URL(string: "https://ada:secret@127.0.0.1/perennial")),
    ] {
      #expect(try refusal(url).code == .persistentStoreOpen, "\(url)")
    }
    #expect(try place.contents().isEmpty)
  }

  @Test func `an old server is refused`() throws {
    var location = try PostgresLocation(place.url())
    location.limits.serverVersion = 990_000
    let model = try ManagedObjectModel(EntityDescription("Note", properties: []))
    let error = try storeError { _ = try PostgresStore(location, model: model.layout) }
    #expect(error.code == .persistentStoreOpen)
    #expect(error.description.contains("too old"))
    #expect(try place.contents().isEmpty)
  }

  @Test func `who may make no tables is told`() throws {
    let url = try place.url("visitor:visitor")
    let hidden = try refusal(url)
    #expect(hidden.code == .persistentStoreOpen)
    #expect(hidden.recovery.contains("GRANT USAGE"), "\(hidden)")
    try place.execute("GRANT USAGE ON SCHEMA \(place.schema) TO visitor")
    let forbidden = try refusal(url)
    #expect(forbidden.code == .persistentStoreOpen)
    #expect(forbidden.recovery.contains("GRANT"), "\(forbidden)")
    #expect(try place.contents().isEmpty)
  }

  @Test func `who may not read the tables is told, and who may only read opens read-only`() throws {
    _ = try place.containerWithTally()
    let url = try place.url("visitor:visitor")
    try place.execute("GRANT USAGE ON SCHEMA \(place.schema) TO visitor")
    for isReadOnly in [true, false] {
      let error = try refusal(url, isReadOnly: isReadOnly)
      #expect(error.code == .persistentStoreOpen)
      #expect(error.recovery.contains("GRANT"), "\(error)")
    }
    try place.execute("GRANT SELECT ON ALL TABLES IN SCHEMA \(place.schema) TO visitor")
    #expect(try refusal(url).code == .persistentStoreOpen)
    let container = try place.container(url) { $0.isReadOnly = true }
    #expect(try container.count() == 0)
  }

  @Test(
    arguments: [
      "CREATE TABLE ztally (id int)", "CREATE VIEW ztallylabel AS SELECT 1",
      "CREATE TABLE perennial_log (id int)", "CREATE TABLE z_metadata (id int)",
      "CREATE TABLE z_metadata (z_version int, z_uuid text, z_plist bytea)",
      "CREATE TABLE z_metadata AS SELECT 1 AS z_version, 'x' AS z_uuid, 'x'::bytea AS z_plist",
    ]
  )
  func `a schema of another program is left alone`(sql: String) throws {
    try place.execute(sql)
    let error = try refusal(try place.url())
    #expect(error.code == .persistentStoreOpen)
    #expect(error.recovery.contains("nothing was changed"), "\(error)")
    #expect(try refusal(try place.url(), isReadOnly: true).code == .persistentStoreOpen)
  }

  @Test func `a store that lacks something of ours is refused, whatever it is`() throws {
    _ = try place.containerWithTally()
    let connection = try place.connect()
    let columns = try connection.run(
      """
      SELECT table_name::text, column_name::text FROM information_schema.columns
      WHERE table_schema = current_schema() ORDER BY 1, 2
      """
    )
    #expect(columns.count > 40)
    let names = Set((0..<columns.count).map { columns.text($0, 0) })
    let statements =
      (0..<columns.count).map { row in
        (
          "ALTER TABLE \(columns.text(row, 0)) RENAME \(columns.text(row, 1)) TO other",
          columns.text(row, 1)
        )
      } + names.sorted().map { ("ALTER TABLE \($0) RENAME TO other", $0) }
      + [
        ("DELETE FROM z_primarykey WHERE z_name = 'Tally'", "z_primarykey"),
        ("DELETE FROM perennial_clock", "perennial_clock"),
        ("DELETE FROM z_metadata", "z_metadata"),
        ("UPDATE z_metadata SET z_plist = '\\x00'", "z_metadata"),
      ]
    for (sql, name) in statements {
      try connection.execute(sql)
      let before = try place.contents()
      let error = try storeError { _ = try place.container() }
      #expect(error.code == .persistentStoreOpen, "\(sql): \(error)")
      // Without its metadata, nothing says that it is one of ours.
      let isForeign = sql.contains(" z_metadata ") && error.message.contains("another program")
      #expect(isForeign || error.message.contains(name), "\(sql): \(error)")
      #expect(error.recovery.contains("nothing was changed"), "\(sql): \(error)")
      #expect(try place.contents() == before, "\(sql)")
      try restore(sql, on: connection)
    }
    #expect(try place.container().count() == 0)
  }

  /// Undoes what a statement did.
  private func restore(_ sql: String, on connection: PostgresConnection) throws {
    let words = sql.split(separator: " ")
    switch (words[0], words.count) {
    case ("ALTER", 7): try connection.execute("ALTER TABLE \(words[2]) RENAME other TO \(words[4])")
    case ("ALTER", _): try connection.execute("ALTER TABLE other RENAME TO \(words[2])")
    default:
      // Rows are made anew.
      try connection.execute("DROP SCHEMA \(place.schema) CASCADE; CREATE SCHEMA \(place.schema)")
      _ = try place.containerWithTally()
    }
  }

  @Test func `a store of another model is refused`() throws {
    _ = try place.containerWithTally()
    let before = try place.contents()
    let error = try storeError {
      _ = try PersistentContainer(
        name: "Tallies",
        model: ManagedObjectModel(
          EntityDescription("Tally", properties: [.attribute("name", .string)])
        ),
        store: .postgres(try place.url())
      )
    }
    #expect(error.code == .incompatibleVersionHash)
    #expect(error.code.rawValue == 134_100)
    #expect(try place.contents() == before)
  }

  @Test func `a store that is only read is not made`() throws {
    let error = try refusal(try place.url(), isReadOnly: true)
    #expect(error.code == .persistentStoreOpen)
    #expect(error.description.contains("empty"))
    #expect(try place.contents().isEmpty)
  }

  @Test func `a server that only reads is named`() throws {
    let url = try place.url(settings: ["default_transaction_read_only=on"])
    #expect(try refusal(url).code == .persistentStoreSave)
    _ = try place.containerWithTally()
    let container = try place.container(url) { $0.isReadOnly = true }
    #expect(try container.count() == 0)
  }

  @Test(arguments: ["SQL_ASCII", "LATIN1"])
  func `a database that is not kept in UTF8 is refused`(encoding: String) throws {
    let name = TestServer.uniqueName("d")
    let administrator = try place.connect(asAdministrator: true)
    try administrator.execute(
      "CREATE DATABASE \(name) OWNER perennial ENCODING '\(encoding)' TEMPLATE template0 LOCALE 'C'"
    )
    defer { try? administrator.execute("DROP DATABASE \(name) WITH (FORCE)") }
    let text = try place.url(database: name).absoluteString
    let url = try #require(URL(string: text.replacing(place.schema, with: "public")))
    let error = try storeError { _ = try place.container(url) }
    #expect(error.code == .persistentStoreOpen)
    #expect(error.description.contains(encoding))
    let connection = try TestServer.connect {
      $0.database = name
      $0.user = "perennial"
    }
    #expect(
      try connection.run(
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
      )
      .integer(0, 0) == 0
    )
  }
}
#endif
