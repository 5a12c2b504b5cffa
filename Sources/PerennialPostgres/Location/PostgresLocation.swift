// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import Foundation
package import PerennialModel
package import PerennialStore

/// Where a database is and how it is reached: what a URL says.
///
/// `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=…&pool=8`. What the
/// URL leaves out is looked for where every program of PostgreSQL looks for it: `PGHOST`,
/// `PGPASSWORD`, `~/.pgpass`, `~/.pg_service.conf`. A description never shows a password.
package struct PostgresLocation: Sendable, Hashable {
  /// The user's name; libpq's default when `nil`.
  package var user: String?
  /// The password, if the URL has one.
  package var password: PostgresPassword?
  /// The servers in the order in which they are tried; libpq's default when empty.
  package var hosts: [Host] = []
  /// The database's name; the user's name when `nil`.
  package var database: String?
  /// What else libpq is told, by the names of its documentation ("Parameter Key Words").
  package var parameters: [String: String] = [:]
  /// How many connections there are at most, how long they live, how long one waits.
  package var limits = PostgresLimits()
  /// What tables are called that are made.
  package var tableNames = StoreDescription.TableNames.coreData

  /// A place where a server listens.
  package struct Host: Sendable, Hashable {
    /// A name, an address, or the folder of a socket.
    package var name: String
    /// The port; 5432 when `nil`.
    package var port: Int?

    package init(name: String, port: Int? = nil) {
      self.name = name
      self.port = port
    }
  }

  package init() {}

  /// Reads a URL.
  ///
  /// - Parameter url: `postgres://` or `postgresql://`, in the form of libpq's documentation
  ///   ("Connection URIs"), with `pool`, `pool_minimum`, `pool_idle`, `pool_timeout`, `pool_age`,
  ///   `timeout` and `names` as parameters of ours.
  /// - Throws: 134080 with what is wrong; the URL's password is not in the message.
  package init(_ url: URL) throws(PerennialError) {
    try self.init(parsing: url.absoluteString)
  }
}

extension PostgresLocation: CustomStringConvertible {
  /// The URL without the password and without parameters: what messages name.
  package var description: String {
    let account = user.map { $0 + "@" } ?? ""
    let places = hosts.map { host in
      (host.name.contains(":") ? "[\(host.name)]" : host.name) + (host.port.map { ":\($0)" } ?? "")
    }
    return "postgres://\(account)\(places.joined(separator: ","))/\(database ?? "")"
  }
}

extension PostgresLocation {
  /// The names and values that libpq is given.
  var keywords: [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    if !hosts.isEmpty {
      result.append(("host", hosts.map(\.name).joined(separator: ",")))
      let ports = hosts.map { $0.port.map { "\($0)" } ?? "" }
      if hosts.contains(where: { $0.port != nil }) {
        result.append(("port", ports.joined(separator: ",")))
      }
    }
    if let user { result.append(("user", user)) }
    if let password { result.append(("password", password.text)) }
    if let database { result.append(("dbname", database)) }
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { result.append((name, value)) }
    result.append(("client_encoding", "UTF8"))
    // A server that is cut off is noticed within a minute, not within hours.
    for (name, value) in [
      ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
    ] where parameters[name] == nil {
      result.append((name, value))
    }
    if parameters["application_name"] == nil {
      result.append(("fallback_application_name", "perennial"))
    }
    return result
  }
}
#endif
