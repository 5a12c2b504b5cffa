// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel
public import PerennialStore

extension StoreDescription {
  #if PostgreSQL
  /// A store in a database of a PostgreSQL server, whose tables are made when they are missing.
  ///
  /// ```swift
  /// // postgres://ada@db.example/library?sslmode=verify-full
  /// var store = StoreDescription.postgres(url)
  /// store.remoteChangeInterval = .seconds(30)
  /// store.historyTracking = true
  /// ```
  ///
  /// The URL is `postgres://user:password@host:port/database?name=value&…`. Whatever it leaves out is looked for where
  /// `psql` looks: `PGHOST`, `PGPASSWORD`, `~/.pgpass`, `~/.pg_service.conf`. Among the parameters are
  ///
  /// - `pool`: the most connections at a time, 8 if it is missing;
  /// - `pool_timeout`: how many seconds to wait for a free one, 30;
  /// - `connect_timeout`: how many seconds connecting may take, 10;
  /// - `timeout`: how many seconds the server may take to answer, without limit;
  /// - `names`: what tables are called that are made, `coredata` or `plain`; `names` here comes first;
  /// - `sslmode`, `sslrootcert`, `sslcert`, `sslkey`: encryption, as libpq has it; use `verify-full`.
  ///
  /// The article PostgreSQLStore has all of them. The password stays with the store: ``url`` of the
  /// description, messages and logs do not have it.
  ///
  /// Other processes, on other machines too, may use the store at the same time. With ``remoteChangeInterval``, the
  /// server tells of what they write at once; the interval is for what it fails to tell. A server is far away: look at
  /// ``StoreCounters/roundTrips``, prefetch relationships, and let contexts refuse to load lazily
  /// (`ManagedObjectContext.lazyLoading`). ``pragmas`` are refused; ``durability``, ``analyzesOnOpening``
  /// and ``vacuumsOnOpening`` are the server's business.
  ///
  /// Opening is `persistentStoreOpen` (134,080) for a URL that cannot be read, a server that cannot be reached, is too
  /// old or refuses the user, a missing database, tables of another program, and a user who may not make or read them;
  /// `incompatibleVersionHash` (134,100) for a store of another model. Nothing has been created or changed then.
  ///
  /// It needs the package trait `PostgreSQL` and libpq. Core Data has no store on a server.
  ///
  /// With `names: .plain` the tables that are made are such as people make who write SQL:
  ///
  /// ```swift
  /// let store = StoreDescription.postgres(url, names: .plain)
  /// // CREATE TABLE "commit" ("id" bigint PRIMARY KEY, "version" bigint, "author_id" bigint, "created_at" …)
  /// ```
  ///
  /// - Parameters:
  ///   - url: The database.
  ///   - names: What tables are called that are made: ``TableNames/coreData`` when neither this nor the URL says it.
  ///     Tables that are there keep their names.
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
  /// A store in a database of a PostgreSQL server, with the package trait `PostgreSQL` only.
  ///
  /// - Parameters:
  ///   - url: The database.
  ///   - names: What tables are called that are made.
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
