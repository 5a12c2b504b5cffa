// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "RawC.h"

enum { rows_at_most = 16, author_entity = 1, commit_entity = 2 };

static int execute(sqlite3 *database, const char *sql) {
  return sqlite3_exec(database, sql, 0, 0, 0);
}

// `head` VALUES `row`, `row`, …: a statement that inserts `rows` rows.
static int prepare_insert(
    sqlite3 *database, const char *head, const char *row, int32_t rows, sqlite3_stmt **statement) {
  char sql[1024];
  size_t length = (size_t)snprintf(sql, sizeof sql, "%s VALUES ", head);
  for (int32_t i = 0; i < rows; i++) {
    length += (size_t)snprintf(
        sql + length, sizeof sql - length, "%s%s", i == 0 ? "" : ",", row);
  }
  return sqlite3_prepare_v3(
      database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, 0);
}

static int bind_text(sqlite3_stmt *statement, int index, rawc_text text) {
  return sqlite3_bind_text(statement, index, text.bytes, text.count, SQLITE_STATIC);
}

static int step_and_reset(sqlite3_stmt *statement) {
  sqlite3_step(statement);
  return sqlite3_reset(statement);
}

static void bind_author(sqlite3_stmt *statement, int first, int64_t key, rawc_author author) {
  sqlite3_bind_int64(statement, first, key);
  bind_text(statement, first + 1, author.email);
  bind_text(statement, first + 2, author.name);
}

static int insert_authors(sqlite3 *database, const rawc_author *authors, int32_t count) {
  sqlite3_stmt *statement = 0;
  char row[32];
  snprintf(row, sizeof row, "(?,%d,1,?,?)", author_entity);
  int code = prepare_insert(
      database, "INSERT OR ROLLBACK INTO ZAUTHOR(Z_PK,Z_ENT,Z_OPT,ZEMAIL,ZNAME)", row, 1,
      &statement);
  for (int32_t i = 0; i < count && code == SQLITE_OK; i++) {
    bind_author(statement, 1, i + 1, authors[i]);
    code = step_and_reset(statement);
  }
  sqlite3_finalize(statement);
  return code;
}

static void bind_commit(sqlite3_stmt *statement, int first, int64_t key, rawc_commit commit) {
  sqlite3_bind_int64(statement, first, key);
  sqlite3_bind_int64(statement, first + 1, commit.author);
  sqlite3_bind_double(statement, first + 2, commit.date);
  bind_text(statement, first + 3, commit.message);
  bind_text(statement, first + 4, commit.sha);
  bind_text(statement, first + 5, commit.url);
}

// Inserts commits from `start` on as long as `rows` of them are left; `*next` is the first one left.
static int insert_commits(
    sqlite3 *database, const rawc_commit *commits, int32_t start, int32_t count, int32_t rows,
    int32_t *next) {
  sqlite3_stmt *statement = 0;
  char row[32];
  snprintf(row, sizeof row, "(?,%d,1,?,?,?,?,?)", commit_entity);
  int code = prepare_insert(
      database,
      "INSERT OR ROLLBACK INTO ZCOMMIT(Z_PK,Z_ENT,Z_OPT,ZAUTHOR,ZDATE,ZMESSAGE,ZSHA,ZURL)", row,
      rows, &statement);
  int32_t i = start;
  for (; i + rows <= count && code == SQLITE_OK; i += rows) {
    for (int32_t j = 0; j < rows; j++) {
      bind_commit(statement, 1 + 6 * j, i + j + 1, commits[i + j]);
    }
    code = step_and_reset(statement);
  }
  sqlite3_finalize(statement);
  *next = i;
  return code;
}

static int raise_key(sqlite3 *database, int entity, int32_t count) {
  char sql[128];
  snprintf(
      sql, sizeof sql, "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, %d) WHERE Z_ENT = %d", count,
      entity);
  return execute(database, sql);
}

int rawc_insert(
    sqlite3 *database, const rawc_author *authors, int32_t author_count,
    const rawc_commit *commits, int32_t commit_count, int32_t rows_per_statement) {
  if (rows_per_statement < 1 || rows_per_statement > rows_at_most) return SQLITE_RANGE;
  int32_t next = 0;
  int code = execute(database, "BEGIN IMMEDIATE");
  if (code == SQLITE_OK) code = raise_key(database, author_entity, author_count);
  if (code == SQLITE_OK) code = raise_key(database, commit_entity, commit_count);
  if (code == SQLITE_OK) code = insert_authors(database, authors, author_count);
  if (code == SQLITE_OK)
    code = insert_commits(database, commits, 0, commit_count, rows_per_statement, &next);
  if (code == SQLITE_OK) code = insert_commits(database, commits, next, commit_count, 1, &next);
  if (code != SQLITE_OK) return code;
  return execute(database, "COMMIT");
}

int rawc_upsert(sqlite3 *database, const rawc_commit *commits, int32_t count) {
  sqlite3_stmt *statement = 0;
  char sql[512];
  snprintf(
      sql, sizeof sql,
      "INSERT INTO ZCOMMIT(Z_ENT,Z_OPT,ZAUTHOR,ZDATE,ZMESSAGE,ZSHA,ZURL) VALUES (%d,1,?,?,?,?,?) "
      "ON CONFLICT(ZSHA) DO UPDATE SET Z_OPT=Z_OPT+1,ZAUTHOR=excluded.ZAUTHOR,"
      "ZDATE=excluded.ZDATE,ZMESSAGE=excluded.ZMESSAGE,ZURL=excluded.ZURL",
      commit_entity);
  int code = execute(database, "BEGIN IMMEDIATE");
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(database, sql, -1, &statement, 0);
  for (int32_t i = 0; i < count && code == SQLITE_OK; i++) {
    sqlite3_bind_int64(statement, 1, commits[i].author);
    sqlite3_bind_double(statement, 2, commits[i].date);
    bind_text(statement, 3, commits[i].message);
    bind_text(statement, 4, commits[i].sha);
    bind_text(statement, 5, commits[i].url);
    code = step_and_reset(statement);
  }
  sqlite3_finalize(statement);
  return code == SQLITE_OK ? execute(database, "COMMIT") : code;
}
