// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialPostgres
import PerennialStore
import Testing

@Suite("Connecting to a server", .needsServer)
struct ConnectingTests {
  /// What a user reads when a store cannot be opened.
  private func error(_ location: PostgresLocation) throws -> (PostgresFailure, PerennialError) {
    let failure = try failure { () throws(PostgresFailure) in try PostgresConnection.open(location)
    }
    #expect(failure.outcome == .notSent)
    #expect(failure.breaksConnection)
    let error = PerennialError(failure, during: .opening, store: location)
    #expect(!error.recovery.isEmpty)
    #expect(!"\(error)".contains("hidden"), "\(error)")
    return (failure, error)
  }

  @Test func `a wrong password is an error that names the user only`() throws {
    let location = try TestServer.location { $0.password = PostgresPassword("hidden") }
    let (failure, error) = try error(location)
    #expect(failure.state == .invalidPassword)
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message.contains("\"perennial\""))
    #expect(error.recovery.contains("PGPASSWORD"))
  }

  @Test func `a user that there is not is refused`() throws {
    let (failure, error) = try error(
      try TestServer.location {
        $0.user = "nobody-at-all"
        $0.password = PostgresPassword("hidden")
      }
    )
    #expect(failure.state == .invalidPassword)
    #expect(error.code == .persistentStoreOpen)
  }

  @Test func `a database that there is not is an error that names it`() throws {
    let (failure, error) = try error(try TestServer.location { $0.database = "no such thing" })
    #expect(failure.state == .noSuchDatabase)
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message.contains("'no such thing'"))
  }

  @Test func `a database that the user may not connect to is an error`() throws {
    let (failure, error) = try error(
      try TestServer.location {
        $0.user = "visitor"
        $0.password = PostgresPassword("visitor")
        $0.database = "private"
      }
    )
    #expect(failure.state == .insufficientPrivilege)
    #expect(error.code == .persistentStoreOpen)
    #expect(error.recovery.contains("GRANT"))
  }

  @Test func `a place where nobody listens is an error`() throws {
    // Port 1 is nobody's; a free port might be somebody's by now.
    let (failure, error) = try error(
      try TestServer.location { $0.hosts = [PostgresLocation.Host(name: "127.0.0.1", port: 1)] }
    )
    #expect(failure.kind == .connecting)
    #expect(failure.state == nil)
    #expect(error.code == .persistentStoreOpen)
    #expect(error.recovery.contains("host and port"))
  }

  @Test func `a host that there is not is an error`() throws {
    let (failure, _) = try error(
      // A label that is too long: nobody is asked for it.
      try TestServer.location {
        $0.hosts = [PostgresLocation.Host(name: String(repeating: "x", count: 64))]
      }
    )
    #expect(failure.kind == .connecting)
  }

  @Test func `the first of several servers that answers is taken`() throws {
    let connection = try TestServer.connect {
      $0.hosts.insert(PostgresLocation.Host(name: "127.0.0.1", port: 1), at: 0)
    }
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
  }

  @Test(arguments: [false, true])
  func `a server that does not answer is passed over for the next one`(
    isSecond: Bool
  ) throws {
    let listener = try SilentListener()
    let connection = try TestServer.connect {
      $0.hosts.insert(PostgresLocation.Host(name: "127.0.0.1", port: listener.port), at: 0)
      // libpq itself passes over one that refuses.
      if isSecond { $0.hosts.insert(PostgresLocation.Host(name: "127.0.0.1", port: 1), at: 0) }
      $0.limits.connectTimeout = .seconds(2)
    }
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
  }

  @Test(arguments: ["standby", "parameters", "addresses"])
  func `a server that does not answer is passed over, however the others are named`(
    _ form: String
  ) throws {
    let listener = try SilentListener()
    let connection = try TestServer.connect {
      let silent = PostgresLocation.Host(name: "127.0.0.1", port: listener.port)
      $0.limits.connectTimeout = .seconds(2)
      switch form {
      case "standby":
        // The first one answers, but is no standby: it is taken when there is none.
        $0.hosts.append(silent)
        $0.parameters["target_session_attrs"] = "prefer-standby"
      case "parameters":
        let hosts = [silent] + $0.hosts
        $0.hosts = []
        $0.parameters["host"] = hosts.map(\.name).joined(separator: ",")
        $0.parameters["port"] = hosts.map { "\($0.port ?? 5432)" }.joined(separator: ",")
      default:
        $0.hosts.insert(PostgresLocation.Host(name: "silent", port: listener.port), at: 0)
        $0.parameters["hostaddr"] = "127.0.0.1,127.0.0.1"
      }
    }
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
  }

  @Test func `servers that do not answer are given up in time, all of them together`() throws {
    let listener = try SilentListener()
    let host = PostgresLocation.Host(name: "127.0.0.1", port: listener.port)
    let location = try TestServer.location {
      $0.hosts = Array(repeating: host, count: 30)
      $0.limits.connectTimeout = .seconds(1)
    }
    let start = ContinuousClock.now
    let (failure, _) = try error(location)
    #expect(failure.message.contains("not answered"))
    #expect(ContinuousClock.now - start < .seconds(15))
  }

  @Test func `a server that does not answer is given up in time`() throws {
    // It takes connections and says nothing.
    let listener = try SilentListener()
    let location = try TestServer.location {
      $0.hosts = [PostgresLocation.Host(name: "127.0.0.1", port: listener.port)]
      $0.limits.connectTimeout = .milliseconds(200)
    }
    let (failure, error) = try error(location)
    #expect(failure.kind == .connecting)
    #expect(failure.message.contains("not answered"))
    #expect(error.code == .persistentStoreOpen)
  }

  @Test func `an old server is an error that says which version is the least`() throws {
    let (failure, error) = try error(
      try TestServer.location { $0.limits.serverVersion = 990_000 }
    )
    #expect(failure.kind == .oldServer)
    #expect(failure.message.contains("99 is the least"))
    #expect(error.code == .persistentStoreOpen)
    #expect(error.recovery.contains("PostgreSQL 12"))
  }

  @Test func `a missing privilege is an error of the save, and nothing is changed`() throws {
    let owner = try TestServer.connect()
    let table = TestServer.uniqueName("closed")
    try owner.execute("CREATE TABLE \(table) (id int8)")
    defer { try? owner.execute("DROP TABLE \(table)") }
    let location = try TestServer.location {
      $0.user = "visitor"
      $0.password = PostgresPassword("visitor")
    }
    let visitor = try PostgresConnection.open(location)
    let failure = try failure { () throws(PostgresFailure) in
      try visitor.run("INSERT INTO \(table) VALUES (1)")
    }
    #expect(failure.state == .insufficientPrivilege)
    let error = PerennialError(failure, during: .saving, store: location)
    #expect(error.code == .persistentStoreSave)
    #expect(error.message.contains(table))
    #expect(try owner.run("SELECT count(*) FROM \(table)").integer(0, 0) == 0)
  }

  @Test func `the application's name is the one of the URL, or ours`() throws {
    let sql = "SELECT current_setting('application_name')"
    #expect(try TestServer.connect().run(sql).text(0, 0) == "perennial")
    let named = try TestServer.connect { $0.parameters["application_name"] = "my app" }
    #expect(try named.run(sql).text(0, 0) == "my app")
  }

  @Test func `a password is taken from a password file when the URL has none`() throws {
    let location = try TestServer.location()
    let port = try #require(location.hosts.first?.port)
    let file = FileManager.default.temporaryDirectory.appending(path: TestServer.uniqueName("pass"))
    try Data("127.0.0.1:\(port):*:perennial:perennial\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path())
    let connection = try TestServer.connect {
      $0.password = nil
      $0.parameters["passfile"] = file.path()
    }
    #expect(try connection.run("SELECT current_user::text").text(0, 0) == "perennial")
  }
}

@Suite("Encrypted connections", .needsServer)
struct EncryptionTests {
  private func location(host: String, root: String, mode: String) throws -> PostgresLocation {
    try TestServer.location {
      $0.hosts = [PostgresLocation.Host(name: host, port: $0.hosts.first?.port)]
      $0.parameters["sslmode"] = mode
      $0.parameters["sslrootcert"] = TestServer.certificates + "/" + root
    }
  }

  @Test func `a server whose certificate is known is trusted`() throws {
    let location = try location(host: "localhost", root: "root.crt", mode: "verify-full")
    let connection = try PostgresConnection.open(location)
    #expect(connection.isEncrypted)
    #expect(
      try connection.run("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").bool(0, 0)
    )
  }

  @Test(arguments: [
    // Signed by another; made for another name.
    ("localhost", "other.crt"), ("127.0.0.1", "root.crt"), ("localhost", "missing.crt"),
  ])
  func `a server whose certificate is not is refused`(host: String, root: String) throws {
    let location = try location(host: host, root: root, mode: "verify-full")
    let failure = try failure { () throws(PostgresFailure) in try PostgresConnection.open(location)
    }
    #expect(failure.kind == .connecting)
    let error = PerennialError(failure, during: .opening, store: location)
    #expect(error.code == .persistentStoreOpen)
    #expect(error.recovery.contains("sslrootcert"), "\(error)")
  }

  @Test func `a connection is not encrypted when nobody wants it`() throws {
    #expect(!(try TestServer.connect { $0.parameters["sslmode"] = "disable" }).isEncrypted)
  }

  @Test func `cancelling works on an encrypted connection`() throws {
    let location = try location(host: "localhost", root: "root.crt", mode: "require")
    let connection = try PostgresConnection.open(location)
    let failure = try failure { () throws(PostgresFailure) in
      try connection.run("SELECT pg_sleep(600)", [], PostgresRunOptions(timeout: .milliseconds(50)))
    }
    #expect(failure.kind == .timeout)
    #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
  }
}
#endif
