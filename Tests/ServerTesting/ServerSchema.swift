// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
import PerennialModel
import PerennialPostgres

/// Schemas of the server that `make test-postgres` has started: what files are to other stores.
package enum ServerSchema {
  /// Where the test database is; `nil` when no server was started.
  package static let server = ProcessInfo.processInfo.environment["PERENNIAL_POSTGRES_URL"]

  /// Whether the tests that run over every store are to run over the server alone.
  package static let isWanted =
    ProcessInfo.processInfo.environment["PERENNIAL_STORES"] == "postgres"

  /// The URL of a new, empty schema.
  package static func empty() throws -> URL { try named(UUID().uuidString) }

  /// The URL of a schema, which is made when there is none.
  ///
  /// - Parameter name: A name of letters and digits; others are left out.
  /// - Returns: The URL of a store in it.
  /// - Throws: That there is no server, or what it says.
  package static func named(_ name: String) throws -> URL {
    let schema = "s" + name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard let server, let url = URL(string: "\(server)?options=-csearch_path%3D\(schema)") else {
      throw PerennialError(
        .persistentStoreOpen,
        "There is no server.",
        recovery: "run the tests with 'make test-postgres'"
      )
    }
    #if PostgreSQL
    let connection = try PostgresConnection.open(PostgresLocation(parsing: server))
    try connection.execute("CREATE SCHEMA IF NOT EXISTS \(schema)")
    #endif
    return url
  }
}
