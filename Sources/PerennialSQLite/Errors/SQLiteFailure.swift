// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A result code of SQLite that is no success, with SQLite's own words.
struct SQLiteFailure: Error, Sendable, Hashable {
  /// The extended result code.
  let code: Int32
  /// SQLite's message: names of tables and columns, never a value.
  let message: String
  /// What the system said last, `errno`: the reason where a file could not be opened, read or written.
  var systemCode: Int32 = 0

  /// The number of the system's last failure on this thread, before anything else is called.
  ///
  /// SQLite's own, `sqlite3_system_errno`, is that of statements and not of commits.
  static var lastSystemCode: Int32 { errno }

  /// The lowest byte: the kind of failure.
  var primaryCode: Int32 { code & 0xFF }

  static let error: Int32 = 1
  static let busy: Int32 = 5
  static let locked: Int32 = 6
  static let readOnly: Int32 = 8
  static let interrupt: Int32 = 9
  static let ioError: Int32 = 10
  static let corrupt: Int32 = 11
  static let full: Int32 = 13
  static let cannotOpen: Int32 = 14
  static let tooBig: Int32 = 18
  static let constraint: Int32 = 19
  static let notADatabase: Int32 = 26

  /// `SQLITE_READONLY_ROLLBACK`: a crash has left a journal, which whoever only reads cannot play back.
  static let readOnlyRollback: Int32 = 8 | 3 << 8

  /// `SQLITE_READONLY_DBMOVED`: the file that is open has another name by now, or none.
  static let readOnlyMoved: Int32 = 8 | 4 << 8

  /// The same, found before SQLite has written anything.
  static let fileMoved = SQLiteFailure(code: readOnlyMoved, message: "the file was moved")

  /// A connection was open when the process was forked; ours, not SQLite's.
  static let openedBeforeFork = SQLiteFailure(code: -1, message: "the process was forked")

  /// A counter of keys, which is as the file has it, that has come to its end.
  static func noKeysLeft(_ table: String) -> SQLiteFailure {
    SQLiteFailure(code: corrupt, message: "'Z_PRIMARYKEY' has no keys left for '\(table)'")
  }

  /// Whether the disk is full, also for the small file that SQLite keeps beside the log.
  var isAboutFullDisk: Bool { primaryCode == Self.full || code == Self.noSpaceForSharedMemory }

  /// The system's words with a cure, where neither the disk nor the store's folder is to blame.
  var systemLimit: (words: String, cure: String)? {
    guard [Self.cannotOpen, Self.ioError].contains(primaryCode), !Self.withoutCalls.contains(code)
    else { return nil }
    let cure: String
    switch systemCode {
    case EMFILE, ENFILE: cure = "close some files, or allow more of them to be open ('ulimit -n')"
    case ENAMETOOLONG:
      cure = "give the store a shorter name: that of its log is longer by 4 characters"
    case EFBIG:
      cure = "allow larger files ('ulimit -f'): a failed save is there wholly or not at all"
    case EDQUOT:
      cure = "free some space, or raise the quota: a failed save is there wholly or not at all"
    default: return nil
    }
    return (String(cString: strerror(systemCode)), cure)
  }

  /// `SQLITE_IOERR_NOMEM`, `_SHORT_READ` and `_CORRUPTFS`: no call to the system has failed, whose number would be an
  /// older one's.
  private static let withoutCalls: Set<Int32> = [10 | 12 << 8, 10 | 2 << 8, 10 | 33 << 8]

  /// Whether a commit that fails so is certain to be undone; after other failures it may be in the log as a whole.
  var isAboutUndoneCommit: Bool {
    [Self.busy, Self.locked, Self.full, Self.constraint].contains(primaryCode)
  }

  /// Whether the file is no database, or none that is whole.
  var isAboutDamage: Bool { [Self.corrupt, Self.notADatabase].contains(primaryCode) }

  /// `SQLITE_IOERR_SHMSIZE`.
  private static let noSpaceForSharedMemory: Int32 = 10 | 19 << 8

  /// Whether a trigger may not write a table of trigrams, as the schema is not trusted.
  var isAboutTrust: Bool {
    primaryCode == Self.error && message.hasPrefix("unsafe use of virtual table")
  }

  /// Whether a unique index or a primary key refused a row.
  var isConstraint: Bool { primaryCode == Self.constraint }
}
