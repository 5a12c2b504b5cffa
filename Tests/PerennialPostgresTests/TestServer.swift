// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialPostgres
import RandomTesting
import ServerTesting
import Synchronization
import Testing

/// The server that `make test-postgres` has started for all tests.
enum TestServer {
  /// Whether there is one.
  static let isThere = PropertyRuns.environment["PERENNIAL_POSTGRES_URL"] != nil

  /// The folder with `root.crt`, which has signed the server's certificate, and `other.crt`, which has not.
  static let certificates = PropertyRuns.environment["PERENNIAL_POSTGRES_CERTIFICATES"] ?? ""

  /// The place of the test database.
  static func location(
    _ change: (inout PostgresLocation) -> Void = { _ in }
  ) throws -> PostgresLocation {
    let text = try #require(PropertyRuns.environment["PERENNIAL_POSTGRES_URL"])
    var location = try PostgresLocation(parsing: text)
    change(&location)
    return location
  }

  /// A connection to it.
  static func connect(
    _ change: (inout PostgresLocation) -> Void = { _ in }
  ) throws -> PostgresConnection {
    try PostgresConnection.open(location(change))
  }

  /// The URL of a schema of a test's own, which is empty: what is a new file to other stores.
  static func emptySchema() throws -> URL { try ServerSchema.empty() }

  /// A name that no other test has.
  static func uniqueName(_ prefix: String) -> String {
    "\(prefix)_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
  }

  /// Waits until a statement of a connection waits or sleeps on the server.
  static func awaitStatement(of process: Int, on watcher: PostgresConnection) throws {
    let sql = """
      SELECT count(*) FROM pg_stat_activity
      WHERE pid = $1 AND state = 'active' AND wait_event_type IN ('Lock', 'Timeout')
      """
    while try watcher.run(sql, [.integer(Int64(process))]).integer(0, 0) == 0 {}
  }

  /// Ends a connection from the server's side, and waits until its process is gone.
  static func terminate(_ process: Int, by killer: PostgresConnection) throws {
    _ = try killer.run("SELECT pg_terminate_backend($1::int, 60000)", [.integer(Int64(process))])
  }
}

extension Trait where Self == ConditionTrait {
  /// For suites that need a server.
  static var needsServer: Self {
    .enabled(if: TestServer.isThere, "make test-postgres starts a server")
  }
}

/// A server of a test's own, which it may crash.
final class OwnServer {
  let location: PostgresLocation
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
    let lines = try Self.script("start", folder)
    let prefix = "PERENNIAL_POSTGRES_URL="
    let url = try #require(lines.first { $0.hasPrefix(prefix) })
    location = try PostgresLocation(parsing: String(url.dropFirst(prefix.count)))
  }

  deinit { _ = try? Self.script("stop", folder) }

  /// Stops the server without letting it finish anything.
  func crash() throws { _ = try Self.script("crash", folder) }

  /// Starts it again on the same port.
  func restart() throws { _ = try Self.script("restart", folder) }

  private static func script(_ arguments: String...) throws -> [Substring] {
    let process = Process()
    let output = Pipe()
    let path = try #require(PropertyRuns.environment["PERENNIAL_POSTGRES_SCRIPT"])
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(text)")
    return text.split(separator: "\n")
  }
}

/// The failure that a closure throws.
func failure<Value>(
  _ body: () throws(PostgresFailure) -> Value
) throws -> PostgresFailure {
  do throws(PostgresFailure) {
    _ = try body()
  } catch {
    return error
  }
  throw Missing()
}

/// What was expected has not happened.
struct Missing: Error {}
#endif
