// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialStore
import Testing

@testable import PerennialPostgres

@Suite("URLs of PostgreSQL stores")
struct LocationTests {
  @Test func `a URL says everything`() throws {
    let url = try #require(
      URL(
        string: "postgres://ann:s%40cret@db.example:5433/commits?sslmode=verify-full"
          + "&sslrootcert=/etc/root.crt&connect_timeout=3&application_name=my%20app&pool=5"
          + "&pool_minimum=2&pool_timeout=4&pool_age=60&timeout=7"
      )
    )
    let location = try PostgresLocation(url)
    #expect(location.user == "ann")
    #expect(location.password == PostgresPassword("s@cret"))
    #expect(location.hosts == [PostgresLocation.Host(name: "db.example", port: 5433)])
    #expect(location.database == "commits")
    #expect(
      location.parameters == [
        "sslmode": "verify-full", "sslrootcert": "/etc/root.crt", "application_name": "my app",
      ]
    )
    #expect(location.limits.connectionCount == 5)
    #expect(location.limits.idleCount == 2)
    #expect(location.limits.poolTimeout == .seconds(4))
    #expect(location.limits.maximumAge == .seconds(60))
    #expect(location.limits.statementTimeout == .seconds(7))
    #expect(location.limits.connectTimeout == .seconds(3))
  }

  @Test func `a URL says what tables are called`() throws {
    #expect(try PostgresLocation(parsing: "postgres:///db").tableNames == .coreData)
    #expect(try PostgresLocation(parsing: "postgres:///db?names=coredata").tableNames == .coreData)
    let plain = try PostgresLocation(parsing: "postgres:///db?names=plain")
    #expect(plain.tableNames == .plain)
    #expect(plain.parameters.isEmpty)
    let error = #expect(throws: PerennialError.self) {
      try PostgresLocation(parsing: "postgres:///db?names=Plain")
    }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.recovery == "use one of 'coredata', 'plain'")
  }

  @Test func `what a URL leaves out is left to libpq`() throws {
    let location = try PostgresLocation(parsing: "postgresql://")
    #expect(
      location.keywords.map(\.name) == [
        "client_encoding", "keepalives_idle", "keepalives_interval", "keepalives_count",
        "fallback_application_name",
      ]
    )
    let socket = try PostgresLocation(parsing: "postgres:///db?host=/run/postgresql&service=main")
    #expect(socket.hosts.isEmpty)
    #expect(socket.keywords.contains { $0.name == "host" && $0.value == "/run/postgresql" })
    #expect(socket.keywords.contains { $0.name == "service" && $0.value == "main" })
  }

  @Test func `several hosts, addresses and a folder as a host are understood`() throws {
    let location = try PostgresLocation(parsing: "postgres://a,b:2,[::1]:3,[fe80::2],%2Frun%2Fpg/x")
    #expect(location.hosts.map(\.name) == ["a", "b", "::1", "fe80::2", "/run/pg"])
    #expect(location.hosts.map(\.port) == [nil, 2, 3, nil, nil])
    #expect(location.keywords.contains { $0.name == "port" && $0.value == ",2,3,," })
    #expect(location.description == "postgres://a,b:2,[::1]:3,[fe80::2],/run/pg/x")
  }

  @Test func `an at sign in a password ends at the last one`() throws {
    let location = try PostgresLocation(parsing: "postgres://u:p@ss:w@h/d")
    #expect(location.password == PostgresPassword("p@ss:w"))
    #expect(location.hosts.map(\.name) == ["h"])
  }

  @Test func `an at sign in a parameter is one of its value, also behind a port`() throws {
    let azure = "postgres://srv.example:5432?user=ada@srv&password=p@ss"
    let location = try PostgresLocation(parsing: azure)
    #expect(location.hosts == [PostgresLocation.Host(name: "srv.example", port: 5432)])
    #expect(location.user == "ada@srv")
    #expect(location.password == PostgresPassword("p@ss"))
    let address = try PostgresLocation(parsing: "postgres://[::1]?user=a@b")
    #expect(address.hosts.map(\.name) == ["::1"])
    #expect(address.user == "a@b")
    let named = try PostgresLocation(parsing: "postgres://n1:5432?application_name=job@n1")
    #expect(named.parameters == ["application_name": "job@n1"])
  }

  @Test(arguments: [
    ("", "does not begin"),
    ("sqlite:///x", "does not begin"),
    ("postgres:/host/db", "does not begin"),
    ("postgres://u:hidden@h:port/db", "port"),
    ("postgres://u:hidden@h:0/db", "port"),
    ("postgres://u:hidden@h:65536/db", "port"),
    ("postgres://u:hidden@h:/db", "port"),
    ("postgres://u:hidden@h:+5/db", "port"),
    ("postgres://u:hidden@:5432/db", "without a host"),
    ("postgres://u:hidden@a,,b/db", "without a host"),
    ("postgres://u:hidden@[::1/db", "']'"),
    ("postgres://u:hidden@[::1]x/db", "after the address"),
    ("postgres://u:hidden%4@h/db", "'%' without two digits in the password"),
    ("postgres://u:hidden%zz@h/db", "'%' without two digits in the password"),
    ("postgres://u:hidden%00@h/db", "NUL in the password"),
    ("postgres://u:hidden%ff@h/db", "no UTF-8 in the password"),
    ("postgres://u:hid#den@h/db", "'#'"),
    ("postgres://u:hid/den@h/db", "'/' before an '@'"),
    ("postgres://u:hid?den=x@h/db", "'?' before an '@'"),
    ("postgres://u:12?den=x@h/db?pool=2", "'?' before an '@'"),
    ("postgres://u:p@s?den=x@h/db", "'?' before an '@'"),
    ("postgres://u:12/cr?den=x@h/db", "'?' before an '@'"),
    ("postgres://u:hidden@h/db/more", "'/' in the database's name"),
    ("postgres://u:hidden@h/db?pool", "without '='"),
    ("postgres://u:hidden@h/db?pool=0", "'pool'"),
    ("postgres://u:hidden@h/db?pool=many", "'pool'"),
    ("postgres://u:hidden@h/db?pool=2&pool=3", "'pool' twice"),
    ("postgres://u:hidden@h/db?pool=2&pool_minimum=3", "'pool_minimum'"),
    ("postgres://u:hidden@h/db?connect_timeout=-1", "'connect_timeout'"),
    ("postgres://u:hidden@h/db?timeout=1e3", "'timeout'"),
    ("postgres://u:hidden@h/db?sslmode=verify_full", "'sslmode'"),
    ("postgres://u:hidden@h/db?sslMode=require", "'sslMode'"),
    ("postgres://u:hidden@h/db?client_encoding=LATIN1", "'client_encoding'"),
    ("postgres://u:hidden@h/db?host=x", "hosts before and after"),
  ])
  func `a bad URL is an error that says what is wrong and keeps the password`(
    text: String,
    words: String
  ) throws {
    let error = #expect(throws: PerennialError.self) { try PostgresLocation(parsing: text) }
    let known = try #require(error)
    #expect(known.code == .persistentStoreOpen)
    #expect(known.message.contains(words), "\(known.message)")
    #expect(!known.recovery.isEmpty)
    #expect(!"\(known)".contains("hidden") && !"\(known)".contains("den@"), "\(known)")
    #expect(!"\(known)".contains("'den'"), "\(known)")
  }

  @Test func `old values that no message can carry are an error that names what asks for them`()
    throws
  {
    try ChangeLog.checkOldValues(byteCount: 1 << 30 - 1)
    let failure = try failure { () throws(PostgresFailure) in
      try ChangeLog.checkOldValues(byteCount: 1 << 30)
    }
    let location = try PostgresLocation(parsing: "postgres://h/db")
    let error = PerennialError(failure, during: .saving, store: location)
    #expect(error.code == .persistentStoreSave)
    #expect(error.message.contains("'historyKeepsOldValues'"), "\(error)")
  }

  @Test func `no description and no dump shows a password`() throws {
    let location = try PostgresLocation(parsing: "postgres://ann:hidden@h:1/db?password=hidden2")
    var dumped = ""
    dump(location, to: &dumped)
    for text in [location.description, "\(location)", String(reflecting: location), dumped] {
      #expect(!text.contains("hidden"), "\(text)")
    }
    #expect(location.description == "postgres://ann@h:1/db")
  }
}
#endif
