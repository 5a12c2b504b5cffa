// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Notes what this process does to the files below a folder: what a disk would have been told until the
// power went.
//
// It stands below SQLite's VFS, in the place of the C library's functions (`write`, `fsync`, `rename` …),
// so that it sees what Perennial does to files by itself, too: migrations, large values, JSON. Memory that
// is shared through a file (`-shm`) is not noted: nothing of it has to outlive the machine.
#ifndef LOSSY_FILES_H
#define LOSSY_FILES_H

#include <stdint.h>

/// What an entry of the record tells. Each entry is `lossy_entry`, then as many bytes as it says.
enum lossy_kind {
  /// A file or folder was opened, and made when it was not there; the bytes are its path.
  LOSSY_OPEN = 1,
  /// Bytes were written to an open file, at a place.
  LOSSY_WRITE = 2,
  /// An open file got a length: the place.
  LOSSY_TRUNCATE = 3,
  /// An open file or folder was brought to the disk.
  LOSSY_SYNC = 4,
  /// A folder was made; the bytes are its path.
  LOSSY_MAKE_FOLDER = 5,
  /// A file got another name; the bytes are both paths, with a zero byte between them.
  LOSSY_RENAME = 6,
  /// A file got a second name; the bytes are both paths, with a zero byte between them.
  LOSSY_LINK = 7,
  /// A name of a file, or an empty folder, was removed; the bytes are the path.
  LOSSY_REMOVE = 8,
  /// The program put a mark here; its number is the place.
  LOSSY_MARK = 9,
};

struct lossy_entry {
  uint32_t kind;
  /// How many bytes follow.
  uint32_t byte_count;
  /// Which opening of a file it is about; 0 when it is about a path.
  uint64_t handle;
  int64_t place;
};

/// Begins to note what happens below a folder. `folder` is an absolute path without symbolic links; the
/// record is a file elsewhere. Returns 0, or an error number; ENOSYS where the C library's functions cannot
/// be stood in for.
int lossy_files_begin(const char *folder, const char *record);

/// Puts a mark into the record.
void lossy_files_mark(int64_t number);

/// Ends, and closes the record. Returns 0, or an error number when the record is not complete.
int lossy_files_end(void);

/// Whether SQLite itself finds a database whole; else the first problem that it names, cut to so many bytes.
int lossy_files_is_whole(const char *path, char *problem, int capacity);

#endif
