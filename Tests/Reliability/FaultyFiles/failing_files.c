// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#include "failing_plan.h"

#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

// A file system of SQLite's that passes everything on to the system's, unless it has to fail.

/// An open file, followed by what the real file system keeps of it.
typedef struct {
  sqlite3_file base;
  sqlite3_io_methods methods;
  bool isWatched;
} failing_file;

static sqlite3_vfs *real;

/// The space in front of the real file, which is aligned as it has to be.
enum { header_size = (sizeof(failing_file) + 15) & ~(size_t)15 };

static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((char *)file + header_size); }

/// Calls the real file system; what that asks of the system is not counted once more.
#define PASS(type, call)                                                                                \
  do {                                                                                                  \
    failing_depth += 1;                                                                                 \
    type result_ = (call);                                                                              \
    failing_depth -= 1;                                                                                 \
    return result_;                                                                                     \
  } while (0)

#define FAIL(kind, broken, full)                                                                        \
  do {                                                                                                  \
    if (failing_fails(kind)) return failing_is_full() ? (full) : (broken);                              \
  } while (0)

// MARK: Files

static int close_file(sqlite3_file *file) {
  PASS(int, inner(file)->pMethods ? inner(file)->pMethods->xClose(inner(file)) : SQLITE_OK);
}

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  FAIL(failing_read, SQLITE_IOERR_READ, SQLITE_IOERR_READ);
  PASS(int, inner(file)->pMethods->xRead(inner(file), bytes, count, offset));
}

/// A write that fails has written half of its bytes.
static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (failing_fails(failing_write)) {
    failing_depth += 1;
    inner(file)->pMethods->xWrite(inner(file), bytes, count / 2, offset);
    failing_depth -= 1;
    return failing_is_full() ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }
  PASS(int, inner(file)->pMethods->xWrite(inner(file), bytes, count, offset));
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  FAIL(failing_truncate, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_TRUNCATE);
  PASS(int, inner(file)->pMethods->xTruncate(inner(file), size));
}

static int sync_file(sqlite3_file *file, int flags) {
  FAIL(failing_sync, SQLITE_IOERR_FSYNC, SQLITE_IOERR_FSYNC);
  if (((failing_file *)file)->isWatched) return SQLITE_OK;
  PASS(int, inner(file)->pMethods->xSync(inner(file), flags));
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  FAIL(failing_look, SQLITE_IOERR_FSTAT, SQLITE_IOERR_FSTAT);
  PASS(int, inner(file)->pMethods->xFileSize(inner(file), size));
}

static int lock_file(sqlite3_file *file, int level) {
  FAIL(failing_lock, SQLITE_IOERR_LOCK, SQLITE_IOERR_LOCK);
  PASS(int, inner(file)->pMethods->xLock(inner(file), level));
}

static int unlock_file(sqlite3_file *file, int level) {
  PASS(int, inner(file)->pMethods->xUnlock(inner(file), level));
}

static int check_lock(sqlite3_file *file, int *isLocked) {
  FAIL(failing_lock, SQLITE_IOERR_CHECKRESERVEDLOCK, SQLITE_IOERR_CHECKRESERVEDLOCK);
  PASS(int, inner(file)->pMethods->xCheckReservedLock(inner(file), isLocked));
}

static int control_file(sqlite3_file *file, int operation, void *argument) {
  PASS(int, inner(file)->pMethods->xFileControl(inner(file), operation, argument));
}

static int sector_size(sqlite3_file *file) {
  PASS(int, inner(file)->pMethods->xSectorSize(inner(file)));
}

static int characteristics(sqlite3_file *file) {
  PASS(int, inner(file)->pMethods->xDeviceCharacteristics(inner(file)));
}

static int map_memory(sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
  if (failing_fails(failing_map)) {
    *memory = NULL;
    return failing_is_full() ? SQLITE_IOERR_SHMSIZE : SQLITE_IOERR_SHMMAP;
  }
  PASS(int, inner(file)->pMethods->xShmMap(inner(file), region, size, extends, memory));
}

/// A lock that is given up never fails.
static int lock_memory(sqlite3_file *file, int offset, int count, int flags) {
  if (flags & SQLITE_SHM_LOCK) FAIL(failing_lock, SQLITE_IOERR_SHMLOCK, SQLITE_IOERR_SHMLOCK);
  PASS(int, inner(file)->pMethods->xShmLock(inner(file), offset, count, flags));
}

static void memory_barrier(sqlite3_file *file) { inner(file)->pMethods->xShmBarrier(inner(file)); }

static int unmap_memory(sqlite3_file *file, int removes) {
  PASS(int, inner(file)->pMethods->xShmUnmap(inner(file), removes));
}

/// The calls of a file whose real one has those of a version.
static sqlite3_io_methods methods_of_version(int version) {
  sqlite3_io_methods methods = {
      .iVersion = version < 2 ? 1 : 2,
      .xClose = close_file,
      .xRead = read_file,
      .xWrite = write_file,
      .xTruncate = truncate_file,
      .xSync = sync_file,
      .xFileSize = file_size,
      .xLock = lock_file,
      .xUnlock = unlock_file,
      .xCheckReservedLock = check_lock,
      .xFileControl = control_file,
      .xSectorSize = sector_size,
      .xDeviceCharacteristics = characteristics,
  };
  if (version >= 2) {
    methods.xShmMap = map_memory;
    methods.xShmLock = lock_memory;
    methods.xShmBarrier = memory_barrier;
    methods.xShmUnmap = unmap_memory;
  }
  return methods;
}

// MARK: The file system

static bool is_watched(const char *name) {
  size_t count = strlen(failing_folder_path);
  return name && count > 0 && strncmp(name, failing_folder_path, count) == 0;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *outFlags) {
  (void)vfs;
  failing_file *own = (failing_file *)file;
  file->pMethods = NULL;
  // A full disk does not keep a file from being opened that is there.
  if (flags & SQLITE_OPEN_CREATE || !failing_is_full()) FAIL(failing_open, SQLITE_CANTOPEN, SQLITE_CANTOPEN);
  inner(file)->pMethods = NULL;
  failing_depth += 1;
  int result = real->xOpen(real, name, inner(file), flags, outFlags);
  failing_depth -= 1;
  if (!inner(file)->pMethods) return result;
  own->methods = methods_of_version(inner(file)->pMethods->iVersion);
  own->isWatched = is_watched(name);
  file->pMethods = &own->methods;
  return result;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncsFolder) {
  (void)vfs;
  FAIL(failing_remove, SQLITE_IOERR_DELETE, SQLITE_IOERR_DELETE);
  PASS(int, real->xDelete(real, name, is_watched(name) ? 0 : syncsFolder));
}

static int has_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
  (void)vfs;
  FAIL(failing_look, SQLITE_IOERR_ACCESS, SQLITE_IOERR_ACCESS);
  PASS(int, real->xAccess(real, name, flags, answer));
}

static int full_name(sqlite3_vfs *vfs, const char *name, int count, char *answer) {
  (void)vfs;
  PASS(int, real->xFullPathname(real, name, count, answer));
}

static int random_bytes(sqlite3_vfs *vfs, int count, char *bytes) {
  (void)vfs;
  return real->xRandomness(real, count, bytes);
}

static int sleep_for(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return real->xSleep(real, microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *time) {
  (void)vfs;
  return real->xCurrentTime(real, time);
}

static int last_error(sqlite3_vfs *vfs, int count, char *message) {
  (void)vfs;
  return real->xGetLastError(real, count, message);
}

static int current_time_64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  (void)vfs;
  return real->xCurrentTimeInt64(real, time);
}

int failing_install_files(void) {
  real = sqlite3_vfs_find(NULL);
  if (!real) return SQLITE_ERROR;
  static sqlite3_vfs own = {
      .iVersion = 2,
      .zName = "failing",
      .xOpen = open_file,
      .xDelete = delete_file,
      .xAccess = has_access,
      .xFullPathname = full_name,
      .xRandomness = random_bytes,
      .xSleep = sleep_for,
      .xCurrentTime = current_time,
      .xGetLastError = last_error,
      .xCurrentTimeInt64 = current_time_64,
  };
  own.mxPathname = real->mxPathname;
  own.szOsFile = (int)header_size + real->szOsFile;
  return sqlite3_vfs_register(&own, 1);
}
