// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Files and memory that fail when they are told to.
//
// Three things can fail: what SQLite asks of its file system, what everybody else asks of the system about files in
// one folder (Linux only), and SQLite's allocator. All of it is counted, so that the n-th call can be made to fail.
#ifndef FAILING_FILES_H
#define FAILING_FILES_H

#include <stdbool.h>
#include <stdint.h>

#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif

/// What is asked of files, and of SQLite's memory.
typedef enum {
  failing_open = 1 << 0,
  failing_read = 1 << 1,
  failing_write = 1 << 2,
  failing_sync = 1 << 3,
  failing_truncate = 1 << 4,
  /// How long a file is, whether there is one, who may use it.
  failing_look = 1 << 5,
  failing_remove = 1 << 6,
  failing_rename = 1 << 7,
  /// Making, listing and removing folders.
  failing_folder = 1 << 8,
  failing_lock = 1 << 9,
  /// The memory beside a write-ahead log.
  failing_map = 1 << 10,
  failing_memory = 1 << 11,
} failing_kind;

/// Which calls fail.
typedef struct {
  /// The kinds that are counted, of `failing_kind`.
  uint32_t kinds;
  /// Which of them fails, from 1.
  uint64_t number;
  /// Whether all that follow fail, too.
  bool isSticky;
  /// Whether the disk is full; else it is broken.
  bool isFull;
} failing_plan;

/// What has happened.
typedef struct {
  /// How many calls there were.
  uint64_t count;
  /// How many failed.
  uint64_t failures;
  /// The kind of the first one that failed.
  uint32_t kind;
} failing_report;

/// Puts itself under SQLite, which nobody may have used before.
///
/// Returns SQLite's result code.
int failing_install(void);

/// Sets the folder whose files are counted, also those that SQLite does not see; the path ends with a slash.
///
/// Its files are never brought to the disk: whether that fails is all that matters here.
void failing_watch(const char *folder);

/// Counts from 0 from now on, and lets calls fail.
void failing_arm(failing_plan plan);

/// Lets nothing fail any more, and tells what has.
failing_report failing_disarm(void);

/// A word for a kind.
const char *failing_name(uint32_t kind);

/// Ends the process if this is not called again for so many seconds; 0 for never.
void failing_expect_life(unsigned seconds);

#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif

#endif
