// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The names of the parameters that the URL of a store on PostgreSQL may have.
package enum ServerParameters {
  /// Those of libpq that it is told as they stand.
  package static let libpq: Set<String> = [
    "application_name", "channel_binding", "connect_timeout", "gssencmode", "host", "hostaddr",
    "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "options",
    "passfile", "port", "service", "sslcert", "sslcrl", "sslkey", "sslmode", "sslrootcert",
    "ssl_min_protocol_version", "target_session_attrs", "tcp_user_timeout",
  ]
  /// Parameters of ours, which libpq is not told.
  package static let own: Set<String> = [
    "pool", "pool_minimum", "pool_idle", "pool_timeout", "pool_age", "timeout", "names",
  ]
  /// Those that say what may also stand before the '?'.
  static let account: Set<String> = ["user", "password", "dbname"]

  /// Whether there is a parameter of a name.
  static func contains(_ name: String) -> Bool {
    libpq.contains(name) || own.contains(name) || account.contains(name)
  }
}
