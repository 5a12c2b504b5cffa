// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The raw C loops of the bench: what SQLite itself costs. Values are read in place, no object is
// made. The bench compares its raw Swift yardstick with these, so that a yardstick that became
// slow is noticed. Every function returns SQLite's result code, SQLITE_OK on success.

#ifndef PERENNIAL_BENCHMARKS_RAWC_H
#define PERENNIAL_BENCHMARKS_RAWC_H

#include <stdint.h>

struct sqlite3;

/// One text of a commit: `count` UTF-8 bytes, owned by the caller.
typedef struct {
  const char *_Nullable bytes;
  int32_t count;
} rawc_text;

/// One commit to write; `author` is the primary key of its author.
typedef struct {
  rawc_text sha;
  rawc_text message;
  rawc_text url;
  double date;
  int64_t author;
} rawc_commit;

/// One author to write.
typedef struct {
  rawc_text email;
  rawc_text name;
} rawc_author;

/// W1: inserts all authors and commits in one transaction, with primary keys from 1 on.
///
/// `rows_per_statement` is 1, or 16 as in the store (`INSERT OR ROLLBACK` with 16 rows).
int rawc_insert(
    struct sqlite3 *_Nonnull database, const rawc_author *_Nonnull authors, int32_t author_count,
    const rawc_commit *_Nonnull commits, int32_t commit_count, int32_t rows_per_statement);

/// W2: steps through all commits and reads every column in place; `sum` is the bench's sum.
int rawc_read_all(struct sqlite3 *_Nonnull database, uint64_t *_Nonnull sum);

/// W5: one look-up per sha with one kept statement; `sum` is the bench's sum of the rows found.
int rawc_look_up(
    struct sqlite3 *_Nonnull database, const rawc_text *_Nonnull shas, int32_t count,
    uint64_t *_Nonnull sum);

/// W9: blind upsert of all commits by sha in one transaction.
int rawc_upsert(
    struct sqlite3 *_Nonnull database, const rawc_commit *_Nonnull commits, int32_t count);

/// Digest of everything that the store holds, independent of row order and of Z_PK and Z_OPT.
///
/// Used after a write, outside the measured time, to see that both sides wrote the same.
int rawc_digest(struct sqlite3 *_Nonnull database, uint64_t *_Nonnull digest);

/// Calls `body` with `context`: what callgrind counts lies between this function's start and end.
void rawc_counted(void (*_Nonnull body)(void *_Nonnull), void *_Nonnull context);

/// The FNV-1a hash of `count` bytes that continues `seed`; begin with `rawc_hash_seed()`.
uint64_t rawc_hash(uint64_t seed, const void *_Nullable bytes, int64_t count);

/// The hash of no bytes.
uint64_t rawc_hash_seed(void);

#endif
