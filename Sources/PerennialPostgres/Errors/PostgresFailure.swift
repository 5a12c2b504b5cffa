// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// What went wrong between us and a server.
///
/// `message` is PostgreSQL's, without the parts that may hold values of the user (`DETAIL`, and what
/// follows the colon when a text cannot be read as a number).
package struct PostgresFailure: Error, Sendable, Hashable {
  /// The kinds that somebody acts upon.
  package enum Kind: Sendable, Hashable {
    /// No connection came about, or the server does not want us.
    case connecting
    /// The connection was lost after it had been there.
    case connectionLost
    /// The server said that something is wrong: see ``PostgresFailure/state``.
    case server
    /// The server took longer to answer than it may.
    case timeout
    /// Somebody cancelled what was running.
    case cancelled
    /// All connections of the pool were in use for longer than one waits.
    case poolExhausted
    /// The pool is closed.
    case poolClosed
    /// The pool was made before the process was forked.
    case forked
    /// A text holds a NUL, which PostgreSQL cannot store; nothing was sent.
    case nulInText
    /// The server is older than ``PostgresLimits/serverVersion``.
    case oldServer
    /// The answer has another form than the program expects.
    case unexpectedAnswer
    /// There are more parameters or bytes than the protocol can carry.
    case tooLarge
    /// A row does not have the version that a save expects: others have changed it.
    case versionMismatch
    /// The store has been migrated since it was opened.
    case migrated
    /// The history keeps old values since the store was opened, and what was to be saved has none.
    case oldValuesWanted
  }

  /// What is known about the work that failed.
  package enum Outcome: Sendable, Hashable {
    /// Nothing of it has reached the server.
    case notSent
    /// The server has undone it, or will: it was in a transaction that was not being committed.
    case undone
    /// It may have been done: the connection was lost while it was being committed.
    case unknown
  }

  /// What happened.
  package var kind: Kind
  /// The five characters that PostgreSQL gives to the error ("PostgreSQL Error Codes"), if it said so.
  package var state: SQLState?
  /// PostgreSQL's words, or ours.
  package var message: String
  /// The name of the violated constraint.
  package var constraint: String?
  /// The table concerned.
  package var table: String?
  /// The column concerned.
  package var column: String?
  /// What is known about the work that failed.
  package var outcome: Outcome = .undone
  /// The number of the call that failed, of several in one round trip; from 0 on.
  package var call: Int?

  package init(_ kind: Kind, _ message: String, state: SQLState? = nil, outcome: Outcome = .undone)
  {
    self.kind = kind
    self.message = message
    self.state = state
    self.outcome = outcome
  }

  /// Whether the same work, done once more from its beginning, may succeed: it lost against others, and
  /// the server has undone it.
  package var isRetryable: Bool {
    guard outcome != .unknown, let state else { return false }
    return [.serializationFailure, .deadlockDetected].contains(state)
  }

  /// Whether a row has another version than expected, or a value that must be unique is there already.
  package var isConflict: Bool { kind == .versionMismatch || state == .uniqueViolation }

  /// Whether the server does not know a prepared statement any more, or its tables are others now.
  var isAboutStaleStatement: Bool {
    guard let state else { return false }
    return [.noSuchStatement, .featureNotSupported].contains(state)
  }

  /// Whether the connection cannot be used any more.
  package var breaksConnection: Bool {
    switch kind {
    case .connecting, .connectionLost, .oldServer: true
    case .server: state?.endsConnection ?? false
    default: false
    }
  }
}

/// A code of PostgreSQL's errors: a class of two characters and three more.
package struct SQLState: Sendable, Hashable {
  /// The five characters.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// Whether the code is of a class.
  package func isOfClass(_ name: String) -> Bool { text.hasPrefix(name) }

  /// Whether the server closes the connection after it: 08, and 57P01 to 57P03 and 57P05.
  var endsConnection: Bool {
    isOfClass("08") || ["57P01", "57P02", "57P03", "57P05"].contains(text)
  }

  package static let uniqueViolation = SQLState("23505")
  package static let divisionByZero = SQLState("22012")
  package static let serializationFailure = SQLState("40001")
  package static let deadlockDetected = SQLState("40P01")
  package static let invalidPassword = SQLState("28P01")
  package static let invalidAuthorization = SQLState("28000")
  package static let noSuchDatabase = SQLState("3D000")
  package static let insufficientPrivilege = SQLState("42501")
  package static let tooManyConnections = SQLState("53300")
  package static let noSchema = SQLState("3F000")
  package static let programLimitExceeded = SQLState("54000")
  package static let diskFull = SQLState("53100")
  package static let lockNotAvailable = SQLState("55P03")
  package static let queryCancelled = SQLState("57014")
  package static let adminShutdown = SQLState("57P01")
  package static let cannotConnectNow = SQLState("57P03")
  package static let readOnlyTransaction = SQLState("25006")
  package static let failedTransaction = SQLState("25P02")
  /// Also the code of a prepared statement whose result would have other columns now.
  package static let featureNotSupported = SQLState("0A000")
  package static let noSuchStatement = SQLState("26000")
  package static let undefinedColumn = SQLState("42703")
  package static let undefinedTable = SQLState("42P01")
  package static let duplicateTable = SQLState("42P07")
  package static let duplicateObject = SQLState("42710")
  /// Something needs what was to be dropped.
  package static let dependentObjects = SQLState("2BP01")
}
#endif
