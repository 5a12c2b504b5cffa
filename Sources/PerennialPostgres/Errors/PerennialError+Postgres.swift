// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
package import PerennialStore

extension PerennialError {
  /// A failure of PostgreSQL as users see it: what is wrong with which store, and the cure.
  ///
  /// - Parameters:
  ///   - failure: What happened.
  ///   - activity: What the store was doing.
  ///   - location: The store's place; its password is not in the message.
  package init(
    _ failure: PostgresFailure,
    during activity: StoreActivity,
    store location: PostgresLocation
  ) {
    let store = location.description
    if failure.kind == .cancelled, failure.outcome != .unknown || activity == .reading {
      self = .fetchCancelled
      return
    }
    if failure.kind == .forked {
      self = .openedBeforeFork(store)
      return
    }
    let (code, message, recovery) =
      Self.parts(ofKind: failure, activity, store)
      ?? Self.parts(ofState: failure, activity, location)
      ?? (
        activity == .opening ? .persistentStoreOpen : .postgreSQL,
        "PostgreSQL failed while \(activity.words) the store '\(store)': \(failure.message).",
        "see PostgreSQL's error code \(failure.state?.text ?? "in its log"); nothing was changed"
      )
    self.init(code, message, recovery: recovery, underlying: failure)
  }

  private typealias Parts = (Code, String, String)

  /// What is said when nobody knows what the server has done.
  private static func inDoubt(_ activity: StoreActivity, _ store: String) -> Parts {
    let lost = "The connection to the store '\(store)' was lost while \(activity.words) it"
    return activity == .opening
      ? (
        .saveOutcomeUnknown, "\(lost): nobody knows whether its tables were made or changed.",
        "open it again: nothing is made or changed twice"
      )
      : (
        .saveOutcomeUnknown, "\(lost): nobody knows whether the changes are there.",
        "save again: a context's changes are not saved twice; after a batch request, look first"
      )
  }

  /// What is said about a failure that the kind alone explains.
  private static func parts(
    ofKind failure: PostgresFailure,
    _ activity: StoreActivity,
    _ store: String
  ) -> Parts? {
    let isInDoubt = failure.outcome == .unknown && activity != .reading
    return switch failure.kind {
    // It was reached when the store was opened.
    case .connecting where failure.state == nil && activity != .opening:
      (
        .connectionLost,
        "The server of the store '\(store)' cannot be reached: \(failure.message).",
        "try again when it can be reached; nothing was changed"
      )
    case .connecting where failure.state == nil:
      (
        .persistentStoreOpen, "No connection to the store '\(store)': \(failure.message).",
        isAboutTLS(failure)
          ? "check 'sslmode' and 'sslrootcert' of the URL, and the name in the server's certificate"
          : "check host and port of the URL, and that the server runs and may be reached from here"
      )
    case .connectionLost where isInDoubt, .timeout where isInDoubt, .cancelled where isInDoubt:
      inDoubt(activity, store)
    case .connectionLost:
      (
        .connectionLost,
        "The connection to the store '\(store)' was lost while \(activity.words) it; nothing was changed.",
        "try again: the next attempt opens another connection"
      )
    case .timeout:
      (
        .persistentStoreTimeout,
        "The server of the store '\(store)' took too long: \(failure.message).",
        "try again, or raise 'timeout' in the URL; nothing was changed"
      )
    case .poolExhausted:
      (
        .persistentStoreTimeout,
        "All connections of the store '\(store)' are in use: \(failure.message).",
        "raise 'pool' or 'pool_timeout' in the URL, or hold fewer fetches open at a time"
      )
    case .forked: nil
    case .poolClosed:
      (.persistentStoreOpen, "The store '\(store)' is closed.", "open it again")
    case .nulInText:
      (
        .validation,
        "A text holds a NUL (U+0000), which PostgreSQL cannot store: \(failure.message).",
        "remove it, or make the attribute binary data; nothing was sent"
      )
    case .oldServer:
      (
        .persistentStoreOpen, "The server of the store '\(store)' is too old: \(failure.message).",
        "use PostgreSQL 12 or later, or what calls itself so"
      )
    case .tooLarge:
      (
        .persistentStoreSave, "A request is larger than PostgreSQL takes: \(failure.message).",
        "save less at a time; nothing was changed"
      )
    case .unexpectedAnswer:
      (
        .postgreSQL, "The store '\(store)' answered in an unexpected way: \(failure.message).",
        "check that the tables are those of this program"
      )
    case .migrated:
      (
        .incompatibleVersionHash,
        "The store '\(store)' has been migrated to another model by another program since it was opened.",
        "open it again, with that model; nothing was changed"
      )
    case .connecting, .server, .cancelled, .versionMismatch, .oldValuesWanted: nil
    }
  }

  /// What is said about a failure that has one of PostgreSQL's codes.
  private static func parts(
    ofState failure: PostgresFailure,
    _ activity: StoreActivity,
    _ location: PostgresLocation
  ) -> Parts? {
    let store = location.description
    let database = location.database ?? location.user ?? ""
    switch failure.state {
    case .invalidPassword, .invalidAuthorization:
      return (
        .persistentStoreOpen,
        "The server of the store '\(store)' refuses the user: \(failure.message).",
        "check user and password: in the URL, in PGPASSWORD or in ~/.pgpass; and the server's pg_hba.conf"
      )
    case .noSuchDatabase:
      return (
        .persistentStoreOpen, "The server of the store '\(store)' has no database '\(database)'.",
        "correct the URL, or make the database with 'createdb'"
      )
    case .insufficientPrivilege:
      return (
        activity == .saving ? .persistentStoreSave : .persistentStoreOpen,
        "The user may not do what is needed while \(activity.words) the store '\(store)': \(failure.message).",
        "GRANT the user that privilege; nothing was changed"
      )
    case .noSchema:
      return (
        .persistentStoreOpen,
        "The database of the store '\(store)' has no schema in which tables could be made, or the user may not use it.",
        "correct the search_path in 'options' of the URL, make the schema, or GRANT USAGE ON SCHEMA; nothing was changed"
      )
    // Only a migration drops anything.
    case .dependentObjects:
      return (
        .persistentStoreOpen,
        "The store '\(store)' cannot be migrated, as views or other things need its tables: \(failure.message).",
        "drop the views and what else needs them, open the store, and make them again; nothing was changed"
      )
    case .programLimitExceeded where failure.message.hasPrefix("index row"):
      return (
        .stringTooLong,
        "A value is too long for an index of the store '\(store)': \(failure.message).",
        "shorten it, or take the attribute out of the index; nothing was changed"
      )
    case .tooManyConnections:
      return (
        .persistentStoreTimeout, "The server of the store '\(store)' has no connection left.",
        "lower 'pool' in the URLs of its clients, or raise the server's 'max_connections'"
      )
    case .lockNotAvailable:
      return (
        .persistentStoreTimeout, "Something in the store '\(store)' is locked by others.",
        "try again; nothing was changed"
      )
    case .serializationFailure, .deadlockDetected:
      return (
        .persistentStoreTimeout,
        "Others changed the same things in the store '\(store)' at the same time, again and again.",
        "try again; nothing was changed"
      )
    case .queryCancelled:
      return (
        .persistentStoreTimeout,
        "The server of the store '\(store)' cancelled: \(failure.message).",
        "try again, or raise the server's 'statement_timeout' for this user; nothing was changed"
      )
    case .diskFull:
      return (
        .persistentStoreSave, "The server of the store '\(store)' has no space left.",
        "free some and save again: nothing was changed"
      )
    case .readOnlyTransaction:
      return (
        .persistentStoreSave, "The server of the store '\(store)' only reads: it is a standby.",
        "name the primary in the URL, or add 'target_session_attrs=read-write'"
      )
    case let state? where state.endsConnection:
      return (
        .connectionLost,
        "The server of the store '\(store)' stopped or is starting: \(failure.message).",
        "try again when it runs"
      )
    default: return nil
    }
  }

  /// Whether the words of a failed connection are those of libpq or OpenSSL about TLS.
  private static func isAboutTLS(_ failure: PostgresFailure) -> Bool {
    ["SSL", "certificate"].contains { failure.message.contains($0) }
  }
}
#endif
