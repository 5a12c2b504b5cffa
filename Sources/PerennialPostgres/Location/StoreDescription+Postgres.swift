// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel
public import PerennialStore

extension StoreDescription {
  #if PostgreSQL
  /// A store in a database of a PostgreSQL server; its tables are made when they are missing.
  ///
  /// ```swift
  /// // postgres://ada@db.example/library?sslmode=verify-full
  /// var store = StoreDescription.postgres(url)
  /// store.remoteChangeInterval = .seconds(30)
  /// store.historyTracking = true
  /// ```
  ///
  /// The URL is `postgres://user:password@host:port/database?name=value&…`. Every part may be missing: libpq then
  /// looks where `psql` looks (`PGHOST`, `PGPASSWORD`, `~/.pgpass`, `~/.pg_service.conf`). Among the parameters are
  ///
  /// - `pool`: how many connections there may be at a time, 8 when missing;
  /// - `pool_timeout`: how many seconds to wait for a free connection, 30 when missing;
  /// - `connect_timeout`: how many seconds connecting may take, 10 when missing;
  /// - `timeout`: how many seconds the server may take to answer, without limit when missing;
  /// - `names`: how new tables are named, `coredata` or `plain`; the argument `names` takes precedence;
  /// - `sslmode`, `sslrootcert`, `sslcert`, `sslkey`: encryption, as libpq has it; use `verify-full`.
  ///
  /// The article PostgreSQLStore lists all parameters. The password stays with the store: the description's ``url``,
  /// messages and logs do not contain it.
  ///
  /// Other processes, on other machines too, may use the store at the same time. With ``remoteChangeInterval``, the
  /// server announces their writes at once; the interval is for writes that it fails to announce. A server is far
  /// away: look at ``StoreCounters/roundTrips``, prefetch relationships, and let contexts refuse to load lazily
  /// (`ManagedObjectContext.lazyLoading`). ``pragmas`` are refused. ``durability``, ``analyzesOnOpening`` and
  /// ``vacuumsOnOpening`` have no effect: the server decides.
  ///
  /// Opening throws `persistentStoreOpen` (134080) for a URL that cannot be read; for a server that cannot be
  /// reached, is too old or refuses the user; for a missing database; for tables of another program; and for a user
  /// who may not make or read the tables. It throws `incompatibleVersionHash` (134100) for a store of another model
  /// that opening does not migrate. Nothing has then been created or changed.
  ///
  /// This needs the package trait `PostgreSQL` and libpq. Core Data has no store on a server.
  ///
  /// With `names: .plain`, new tables get names as people who write SQL would choose them:
  ///
  /// ```swift
  /// let store = StoreDescription.postgres(url, names: .plain)
  /// // CREATE TABLE "commit" ("id" bigint PRIMARY KEY, "version" bigint, "author_id" bigint, "created_at" …)
  /// ```
  ///
  /// - Parameters:
  ///   - url: The database.
  ///   - names: How new tables are named: ``TableNames/coreData`` when neither this nor the URL says it. Existing
  ///     tables keep their names.
  /// - Returns: The description.
  public static func postgres(_ url: URL, names: TableNames? = nil) -> StoreDescription {
    .server(
      url,
      ServerKind(
        name: "PostgreSQL",
        storedModel: { () throws(PerennialError) in
          try PostgresStore.storedModel(at: try PostgresLocation(url))
        },
        open: { description, model, log throws(PerennialError) in
          try PostgresStore(
            try PostgresLocation(url),
            model: model,
            names: names,
            isReadOnly: description.isReadOnly,
            history: HistoryOptions(
              isOn: description.historyTracking,
              keepsOldValues: description.historyKeepsOldValues
            ),
            log: log
          )
        },
        migrating: { _, log throws(PerennialError) in
          try PostgresMigration(try PostgresLocation(url), log: log)
        }
      )
    )
  }
  #else
  /// A store in a database of a PostgreSQL server, which needs the package trait `PostgreSQL`.
  ///
  /// - Parameters:
  ///   - url: The database.
  ///   - names: How new tables are named.
  /// - Returns: The description.
  @available(
    *,
    unavailable,
    message:
      "Turn on the package trait 'PostgreSQL': .package(url: …, traits: [\"PostgreSQL\"]), or swift build --traits PostgreSQL; see the article PostgreSQLStore"
  )
  public static func postgres(_ url: URL, names: TableNames? = nil) -> StoreDescription {
    preconditionFailure("There are no PostgreSQL stores without the package trait 'PostgreSQL'.")
  }
  #endif
}
