// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#include <sqlite3.h>
#include <string.h>

#include "RawC.h"

// The bench's sum of one row: the byte counts of its texts and its date in whole seconds. The first
// byte of each text is added so that the text is touched and not only measured.
static uint64_t text_sum(sqlite3_stmt *statement, int column) {
  const unsigned char *bytes = sqlite3_column_text(statement, column);
  int count = sqlite3_column_bytes(statement, column);
  return (uint64_t)count + (count > 0 ? bytes[0] : 0);
}

static uint64_t row_sum(sqlite3_stmt *statement) {
  uint64_t sum = (uint64_t)(int64_t)sqlite3_column_double(statement, 4);
  sum += text_sum(statement, 5);
  sum += text_sum(statement, 6);
  sum += text_sum(statement, 7);
  return sum;
}

int rawc_read_all(sqlite3 *database, uint64_t *sum) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(
      database, "SELECT Z_PK,Z_ENT,Z_OPT,ZAUTHOR,ZDATE,ZMESSAGE,ZSHA,ZURL FROM ZCOMMIT", -1,
      &statement, 0);
  if (code != SQLITE_OK) return code;
  uint64_t total = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) total += row_sum(statement);
  sqlite3_finalize(statement);
  *sum = total;
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int rawc_look_up(sqlite3 *database, const rawc_text *shas, int32_t count, uint64_t *sum) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(
      database,
      "SELECT Z_PK,Z_ENT,Z_OPT,ZAUTHOR,ZDATE,ZMESSAGE,ZSHA,ZURL FROM ZCOMMIT WHERE ZSHA = ?1", -1,
      &statement, 0);
  if (code != SQLITE_OK) return code;
  uint64_t total = 0;
  for (int32_t i = 0; i < count; i++) {
    sqlite3_bind_text(statement, 1, shas[i].bytes, shas[i].count, SQLITE_STATIC);
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW) break;
    total += row_sum(statement);
    sqlite3_reset(statement);
    code = SQLITE_OK;
  }
  sqlite3_finalize(statement);
  *sum = total;
  return code == SQLITE_DONE ? SQLITE_NOTFOUND : code;
}

void rawc_counted(void (*body)(void *), void *context) {
  body(context);
  // The call must not become a jump, after which this function would have ended.
  __asm__ volatile("" ::: "memory");
}

uint64_t rawc_hash_seed(void) { return 14695981039346656037u; }

uint64_t rawc_hash(uint64_t seed, const void *bytes, int64_t count) {
  const unsigned char *cursor = bytes;
  for (int64_t i = 0; i < count; i++) seed = (seed ^ cursor[i]) * 1099511628211u;
  return seed;
}

int rawc_digest(sqlite3 *database, uint64_t *digest) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(
      database,
      "SELECT c.ZSHA, c.ZMESSAGE, c.ZURL, a.ZEMAIL, a.ZNAME, c.ZDATE FROM ZCOMMIT c "
      "LEFT JOIN ZAUTHOR a ON a.Z_PK = c.ZAUTHOR",
      -1, &statement, 0);
  if (code != SQLITE_OK) return code;
  uint64_t total = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    uint64_t hash = rawc_hash_seed();
    for (int column = 0; column < 5; column++) {
      const unsigned char *bytes = sqlite3_column_text(statement, column);
      hash = rawc_hash(hash, bytes, sqlite3_column_bytes(statement, column));
    }
    int64_t date = (int64_t)sqlite3_column_double(statement, 5);
    total += rawc_hash(hash, &date, sizeof date);
  }
  sqlite3_finalize(statement);
  *digest = total;
  return code == SQLITE_DONE ? SQLITE_OK : code;
}
