// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The system's SQLite, and the few calls that Swift cannot make itself: Swift does not import
// variadic functions (`sqlite3_db_config`) nor the destructor constants SQLITE_STATIC and
// SQLITE_TRANSIENT, which are function pointers made from integers.

#ifndef PERENNIAL_CSQLITE_SHIM_H
#define PERENNIAL_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Switches a boolean option of a connection (`SQLITE_DBCONFIG_…`) on (1) or off (0).
///
/// Returns SQLite's result code: `SQLITE_OK`, or `SQLITE_ERROR` when this SQLite does not know the
/// option. SQLite: "Configure database connections".
static inline int csqlite_db_config(sqlite3 *_Nonnull database, int option, int isOn) {
  return sqlite3_db_config(database, option, isOn, (int *)0);
}

/// Reads a boolean option of a connection: 1 when on, 0 when off, -1 when it is not known.
static inline int csqlite_db_config_value(sqlite3 *_Nonnull database, int option) {
  int value = -1;
  return sqlite3_db_config(database, option, -1, &value) == SQLITE_OK ? value : -1;
}

/// Binds UTF-8 text without copying it.
///
/// The bytes must stay where they are, unchanged, until the parameter is bound anew, the bindings
/// are cleared or the statement is finalised (SQLITE_STATIC). `count` is in bytes.
static inline int csqlite_bind_text_static(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nullable text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_STATIC, SQLITE_UTF8);
}

/// Binds UTF-8 text; SQLite takes its own copy before it returns (SQLITE_TRANSIENT).
///
/// `count` is in bytes.
static inline int csqlite_bind_text_transient(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nullable text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds bytes without copying them; the lifetime rule is that of `csqlite_bind_text_static`.
///
/// A null pointer binds NULL, also with a count of 0: for an empty value pass any other pointer.
static inline int csqlite_bind_blob_static(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes,
    sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_STATIC);
}

/// Binds bytes; SQLite takes its own copy before it returns (SQLITE_TRANSIENT).
///
/// A null pointer binds NULL, also with a count of 0: for an empty value pass any other pointer.
static inline int csqlite_bind_blob_transient(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes,
    sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Answers a call of a function with UTF-8 text, of which SQLite takes its own copy.
///
/// `count` is in bytes; a null pointer answers NULL.
static inline void csqlite_result_text_transient(
    sqlite3_context *_Nonnull context, const char *_Nullable text, sqlite3_uint64 count) {
  sqlite3_result_text64(context, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

#endif
