// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#include "hostile.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

// Even an enemy falls into no trap of his own.
static int is_over(void *count) { return ++*(int *)count > 2000; }

int hostile_execute(const char *path, const char *sql) {
  sqlite3 *database = NULL;
  int count = 0;
  int result = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  if (result == SQLITE_OK) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 0, (int *)NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, (int *)NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, (int *)NULL);
    sqlite3_exec(database, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 24);
    sqlite3_progress_handler(database, 1000, is_over, &count);
    result = sqlite3_exec(database, sql, NULL, NULL, NULL);
  }
  sqlite3_close(database);
  return result;
}

char *hostile_query(const char *path, const char *sql) {
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  sqlite3_str *text = sqlite3_str_new(NULL);
  int result = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL);
  if (result == SQLITE_OK) result = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
  while (result == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
    for (int column = 0; column < sqlite3_column_count(statement); column++) {
      const unsigned char *value = sqlite3_column_text(statement, column);
      sqlite3_str_appendf(text, "%s\t", value ? (const char *)value : "");
    }
    sqlite3_str_appendchar(text, 1, '\n');
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  char *found = sqlite3_str_finish(text);
  char *copy = result == SQLITE_OK ? strdup(found ? found : "") : NULL;
  sqlite3_free(found);
  return copy;
}

// MARK: Watching

enum { most_names = 64, name_size = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char allowed[most_names][name_size];
static int allowed_count = 0;
static char found[2 * name_size] = "";

void watch_allow(const char *name) {
  pthread_mutex_lock(&lock);
  if (allowed_count < most_names) snprintf(allowed[allowed_count++], name_size, "%s", name);
  pthread_mutex_unlock(&lock);
}

bool watch_found(char *name, size_t capacity) {
  pthread_mutex_lock(&lock);
  bool is_found = found[0] != 0;
  if (is_found) snprintf(name, capacity, "%s", found);
  found[0] = 0;
  pthread_mutex_unlock(&lock);
  return is_found;
}

static void note(const char *what, const char *name) {
  pthread_mutex_lock(&lock);
  bool is_allowed = false;
  for (int index = 0; index < allowed_count && !is_allowed; index++) {
    is_allowed = sqlite3_stricmp(allowed[index], name) == 0;
  }
  if (!is_allowed && found[0] == 0) snprintf(found, sizeof found, "%s %s", what, name);
  pthread_mutex_unlock(&lock);
}

// Looks on and forbids nothing.
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger) {
  (void)context, (void)database, (void)trigger;
  switch (action) {
    case SQLITE_READ: note("reads", first); break;
    case SQLITE_INSERT: note("inserts into", first); break;
    case SQLITE_UPDATE: note("updates", first); break;
    case SQLITE_DELETE: note("deletes from", first); break;
    case SQLITE_FUNCTION: note("calls", second); break;
    case SQLITE_PRAGMA: note("sets", first); break;
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT: break;
    // Tables, indexes, views, triggers that are made or dropped; other databases.
    default: note("makes or drops", first ? first : "something");
  }
  return SQLITE_OK;
}

static int install(sqlite3 *database, const char **message, const void *routines) {
  (void)message, (void)routines;
  return sqlite3_set_authorizer(database, authorize, NULL);
}

void watch_tables(void) { sqlite3_auto_extension((void (*)(void))install); }
