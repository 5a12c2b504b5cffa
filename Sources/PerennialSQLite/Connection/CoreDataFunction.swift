// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The functions that the triggers of derived attributes call in stores that Core Data made (FORMAT 2.8).
///
/// Core Data learns from them which rows a trigger has changed. Perennial computes derived attributes itself,
/// after the triggers and of all rows concerned, so it need not be told; but without the functions nothing
/// could be written.
///
/// Safe because C callbacks capture nothing, and no argument is read.
enum CoreDataFunction: String, CaseIterable {
  case updatedValue = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
  case insertedValue = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
  case updatedObject = "NSCoreDataTriggerUpdateAffectedObjectValue"
  /// The seconds since 2001: `now()`.
  case now = "NSCoreDataNow"

  /// Registers all of them on a connection, also for its triggers.
  ///
  /// They read nothing and keep nothing, so that a schema that nobody knows may call them.
  ///
  /// - Parameter connection: The connection.
  /// - Throws: Why SQLite cannot.
  static func register(on connection: SQLiteConnection) throws(SQLiteFailure) {
    for function in allCases {
      try connection.add(
        function.rawValue,
        arguments: -1,
        SQLITE_UTF8 | SQLITE_INNOCUOUS,
        function.callback
      )
    }
  }

  private typealias Callback =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private var callback: Callback {
    switch self {
    case .updatedValue, .insertedValue, .updatedObject:
      { context, _, _ in sqlite3_result_null(context) }
    case .now:
      { context, _, _ in sqlite3_result_double(context, Date().timeIntervalSinceReferenceDate) }
    }
  }
}
