// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The calls that differ between the SDK's SQLite module and ours.
///
/// Safe because a statically bound value is part of a page or of a local buffer that outlives the
/// step, and every statement is bound anew, or its bindings are cleared, before it is used again.
enum SQLiteLibrary {
  /// Whether the library has full-text tables of trigrams: since SQLite 3.34, where it is built in.
  static let hasTrigrams =
    sqlite3_compileoption_used("ENABLE_FTS5") != 0 && sqlite3_libversion_number() >= 3_034_000

  /// Whether several connections can share a database in memory.
  static let sharesMemory = sqlite3_libversion_number() >= 3_036_000

  /// Whether a checkpoint may lose what another connection commits meanwhile: until SQLite 3.51.3, also in
  /// versions between that have the correction (sqlite.org/wal.html, "The WAL-Reset Bug").
  static let checkpointsLoseCommits = sqlite3_libversion_number() < 3_051_003

  /// Binds UTF-8 text without copying it.
  @inline(__always)
  static func bindText(
    _ statement: OpaquePointer,
    _ index: Int32,
    _ bytes: UnsafeRawBufferPointer
  ) -> Int32 {
    let text = (bytes.baseAddress ?? empty).assumingMemoryBound(to: CChar.self)
    #if canImport(SQLite3)
    return sqlite3_bind_text64(
      statement,
      index,
      text,
      sqlite3_uint64(bytes.count),
      nil,
      UInt8(SQLITE_UTF8)
    )
    #else
    return csqlite_bind_text_static(statement, index, text, sqlite3_uint64(bytes.count))
    #endif
  }

  /// Binds bytes without copying them; no bytes are an empty value, not NULL.
  @inline(__always)
  static func bindBlob(
    _ statement: OpaquePointer,
    _ index: Int32,
    _ bytes: UnsafeRawBufferPointer
  ) -> Int32 {
    let start = bytes.baseAddress ?? empty
    #if canImport(SQLite3)
    return sqlite3_bind_blob64(statement, index, start, sqlite3_uint64(bytes.count), nil)
    #else
    return csqlite_bind_blob_static(statement, index, start, sqlite3_uint64(bytes.count))
    #endif
  }

  /// Binds a copy of bytes, as text or as a blob.
  static func bindCopy(
    _ statement: OpaquePointer,
    _ index: Int32,
    _ bytes: UnsafeRawBufferPointer,
    isText: Bool
  ) -> Int32 {
    let start = bytes.baseAddress ?? empty
    let count = sqlite3_uint64(bytes.count)
    #if canImport(SQLite3)
    let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    return isText
      ? sqlite3_bind_text64(
        statement,
        index,
        start.assumingMemoryBound(to: CChar.self),
        count,
        copy,
        UInt8(SQLITE_UTF8)
      )
      : sqlite3_bind_blob64(statement, index, start, count, copy)
    #else
    return isText
      ? csqlite_bind_text_transient(
        statement,
        index,
        start.assumingMemoryBound(to: CChar.self),
        count
      )
      : csqlite_bind_blob_transient(statement, index, start, count)
    #endif
  }

  /// Answers a call of a function with a copy of bytes, as text.
  static func resultCopy(_ context: OpaquePointer, _ bytes: UnsafeRawBufferPointer) {
    let start = (bytes.baseAddress ?? empty).assumingMemoryBound(to: CChar.self)
    let count = sqlite3_uint64(bytes.count)
    #if canImport(SQLite3)
    let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_result_text64(context, start, count, copy, UInt8(SQLITE_UTF8))
    #else
    csqlite_result_text_transient(context, start, count)
    #endif
  }

  /// Refuses what a store never needs: writing SQLite's own tables, functions in a foreign schema,
  /// strings in double quotes, loadable extensions.
  ///
  /// The SDK's module cannot call the variadic function; its library's defaults are strict.
  static func harden(_ database: OpaquePointer) {
    #if !canImport(SQLite3)
    for option in [SQLITE_DBCONFIG_DEFENSIVE] { _ = csqlite_db_config(database, option, 1) }
    for option in [
      SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL,
      SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
    ] { _ = csqlite_db_config(database, option, 0) }
    #endif
  }

  /// Bounds what statements and a schema may ask for, far beyond what stores need.
  static func limit(_ database: OpaquePointer) {
    for (category, bound) in limits { _ = sqlite3_limit(database, category, bound) }
  }

  /// A value or a row has at most 512 MiB, a statement 16 MiB; triggers that call triggers are 16 deep.
  ///
  /// The one database besides is that of VACUUM.
  private static let limits: [(category: Int32, bound: Int32)] = [
    (SQLITE_LIMIT_LENGTH, 512 << 20), (SQLITE_LIMIT_SQL_LENGTH, 16 << 20),
    (SQLITE_LIMIT_TRIGGER_DEPTH, 16), (SQLITE_LIMIT_ATTACHED, 1),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10_000), (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]

  /// Lets a connection do without a journal: only for a file that is thrown away when something fails.
  static func allowNoJournal(_ database: OpaquePointer) {
    #if !canImport(SQLite3)
    _ = csqlite_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 0)
    #endif
  }

  /// Lets triggers write virtual tables, which SQLite 3.40 takes for unsafe there.
  ///
  /// Only for a file whose triggers and views are all our own.
  static func trustSchema(_ database: OpaquePointer, _ isTrusted: Bool = true) {
    #if !canImport(SQLite3)
    _ = csqlite_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, isTrusted ? 1 : 0)
    #endif
  }

  /// Lets no commit move the write-ahead log into the file by itself.
  static func keepLogOnCommit(_ database: OpaquePointer) {
    _ = sqlite3_wal_autocheckpoint(database, 0)
  }

  /// Leaves the write-ahead log as it is when the connection closes.
  static func keepLogOnClose(_ database: OpaquePointer, _ isKept: Bool) {
    #if !canImport(SQLite3)
    _ = csqlite_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isKept ? 1 : 0)
    #endif
  }

  /// Something to point to where there are no bytes.
  ///
  /// Safe because nothing is ever read from it or written to it.
  nonisolated(unsafe) private static let empty = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
  )
}
