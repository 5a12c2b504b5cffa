// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "lossy_files.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>

int lossy_files_is_whole(const char *path, char *problem, int capacity) {
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  int result = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL);
  if (result == SQLITE_OK) {
    result = sqlite3_prepare_v2(database, "PRAGMA integrity_check(1)", -1, &statement, NULL);
  }
  int is_whole = 0;
  if (result == SQLITE_OK) result = sqlite3_step(statement);
  if (result == SQLITE_ROW) {
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    snprintf(problem, (size_t)capacity, "%s", text == NULL ? "?" : text);
    if (sqlite3_stricmp(problem, "ok") == 0) {
      result = sqlite3_step(statement);
      is_whole = result == SQLITE_DONE;
    }
  }
  if (!is_whole && result != SQLITE_ROW) {
    snprintf(problem, (size_t)capacity, "%s", sqlite3_errmsg(database));
  }
  sqlite3_finalize(statement);
  sqlite3_close_v2(database);
  return is_whole;
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
// The sanitizers stand in for the same functions.
#define LOSSY_FILES_CANNOT_WATCH
#endif
#endif
// Other C libraries have other functions behind what SQLite and Foundation call.
#if !defined(__GLIBC__)
#define LOSSY_FILES_CANNOT_WATCH
#endif

#ifdef LOSSY_FILES_CANNOT_WATCH

int lossy_files_begin(const char *folder, const char *record) {
  (void)folder;
  (void)record;
  return ENOSYS;
}

void lossy_files_mark(int64_t number) { (void)number; }

int lossy_files_end(void) { return ENOSYS; }

#else

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// Failing files have the system's names.
#include "chained_calls.h"

// MARK: The record

/// An open file or folder below the watched folder. `file` and `volume` tell whether the number still is
/// that file's: the C library closes some files without a call that is seen here.
struct opened {
  uint64_t handle;
  ino_t file;
  dev_t volume;
  char *path;
};

#define OPENED_LIMIT 4096

static atomic_bool is_watching;
/// Held while a file is changed and that is noted, so that the record has the order of the changes.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opened opened_files[OPENED_LIMIT];
static char watched[PATH_MAX];
static FILE *record_file;
static uint64_t last_handle;
static int failure;

static void note(enum lossy_kind kind, uint64_t handle, int64_t place, const void *bytes, size_t count) {
  struct lossy_entry entry = {kind, (uint32_t)count, handle, place};
  if (count > UINT32_MAX || fwrite(&entry, sizeof entry, 1, record_file) != 1 ||
      (count > 0 && fwrite(bytes, count, 1, record_file) != 1)) {
    failure = EIO;
  }
}

/// Whether nothing of a path has to outlive the machine: SQLite's memory, which processes share.
static int is_shared_memory(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, "-shm") == 0;
}

/// Whether a path is to be noted: it is below the watched folder, or that folder.
static int is_watched(const char *path) {
  size_t length = strlen(watched);
  return strncmp(path, watched, length) == 0 && (path[length] == '/' || path[length] == 0) &&
         !is_shared_memory(path);
}

static struct opened *find(int descriptor) {
  if (descriptor < 0 || descriptor >= OPENED_LIMIT || opened_files[descriptor].handle == 0) return NULL;
  struct opened *opened = &opened_files[descriptor];
  struct stat status;
  if (fstat(descriptor, &status) != 0 || status.st_ino != opened->file || status.st_dev != opened->volume) {
    return NULL;
  }
  return opened;
}

static void forget(int descriptor) {
  if (descriptor < 0 || descriptor >= OPENED_LIMIT) return;
  free(opened_files[descriptor].path);
  opened_files[descriptor] = (struct opened){0};
}

/// The absolute path of a name in an open folder; 0 when it is not a watched one.
static int resolve(int folder, const char *name, char *path) {
  if (name[0] == '/') {
    if (strlen(name) >= PATH_MAX) return 0;
    strcpy(path, name);
  } else {
    struct opened *opened = folder == AT_FDCWD ? NULL : find(folder);
    if (opened == NULL) return 0;
    // A folder's own name is what a listing opens.
    int is_itself = strcmp(name, ".") == 0;
    int count = is_itself ? snprintf(path, PATH_MAX, "%s", opened->path)
                          : snprintf(path, PATH_MAX, "%s/%s", opened->path, name);
    if (count < 0 || count >= PATH_MAX) return 0;
  }
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') path[--length] = 0;
  return is_watched(path);
}

static void note_paths(enum lossy_kind kind, const char *first, const char *second) {
  char both[2 * PATH_MAX];
  size_t count = strlen(first);
  memcpy(both, first, count);
  if (second != NULL) {
    both[count++] = 0;
    size_t rest = strlen(second);
    memcpy(both + count, second, rest);
    count += rest;
  }
  note(kind, 0, 0, both, count);
}

static void note_opening(int descriptor, const char *path, int flags) {
  struct stat status;
  forget(descriptor);
  if (fstat(descriptor, &status) != 0 || descriptor >= OPENED_LIMIT) {
    failure = EMFILE;
    return;
  }
  struct opened opened = {++last_handle, status.st_ino, status.st_dev, strdup(path)};
  opened_files[descriptor] = opened;
  note(LOSSY_OPEN, opened.handle, 0, path, strlen(path));
  if (flags & O_TRUNC) note(LOSSY_TRUNCATE, opened.handle, 0, NULL, 0);
}

int lossy_files_begin(const char *folder, const char *record) {
  pthread_mutex_lock(&lock);
  int result = strlen(folder) < PATH_MAX ? 0 : ENAMETOOLONG;
  if (result == 0) {
    record_file = fopen(record, "wb");
    if (record_file == NULL) result = errno;
  }
  if (result == 0) {
    strcpy(watched, folder);
    failure = 0;
    last_handle = 0;
    atomic_store(&is_watching, 1);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

void lossy_files_mark(int64_t number) {
  pthread_mutex_lock(&lock);
  if (atomic_load(&is_watching)) note(LOSSY_MARK, 0, number, NULL, 0);
  pthread_mutex_unlock(&lock);
}

int lossy_files_end(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&is_watching, 0);
  for (int descriptor = 0; descriptor < OPENED_LIMIT; descriptor++) forget(descriptor);
  int result = failure;
  if (record_file != NULL && fclose(record_file) != 0) result = errno;
  record_file = NULL;
  pthread_mutex_unlock(&lock);
  return result;
}

// MARK: In the place of the C library

/// The C library's own function of this name.
#define REAL(name)                                                        \
  static _Atomic(__typeof__(&name)) real;                                 \
  if (atomic_load(&real) == NULL) atomic_store(&real, dlsym(RTLD_NEXT, #name))

/// Calls the C library's function while the lock is held, runs a statement when that went well, and leaves
/// the error number as the function left it.
#define NOTING(type, call, is_good, noting)   \
  pthread_mutex_lock(&lock);                  \
  type result = call;                         \
  int error = errno;                          \
  if (atomic_load(&is_watching) && (is_good)) { \
    noting;                                   \
  }                                           \
  pthread_mutex_unlock(&lock);                \
  errno = error;                              \
  return result

#define IS_WATCHING atomic_load_explicit(&is_watching, memory_order_relaxed)

static void note_opening_of(int folder, const char *name, int descriptor, int flags) {
  char path[PATH_MAX];
  if (resolve(folder, name, path)) {
    note_opening(descriptor, path, flags);
  } else {
    forget(descriptor);
  }
}

/// The permissions among the variable arguments of `open`.
#define READ_MODE                                 \
  mode_t mode = 0;                                \
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { \
    va_list arguments;                            \
    va_start(arguments, flags);                   \
    mode = (mode_t)va_arg(arguments, unsigned int); \
    va_end(arguments);                            \
  }

int open(const char *path, int flags, ...) {
  REAL(open);
  READ_MODE
  if (!IS_WATCHING) return real(path, flags, mode);
  NOTING(int, real(path, flags, mode), result >= 0, note_opening_of(AT_FDCWD, path, result, flags));
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  READ_MODE
  if (!IS_WATCHING) return real(path, flags, mode);
  NOTING(int, real(path, flags, mode), result >= 0, note_opening_of(AT_FDCWD, path, result, flags));
}

int openat(int folder, const char *path, int flags, ...) {
  REAL(openat);
  READ_MODE
  if (!IS_WATCHING) return real(folder, path, flags, mode);
  NOTING(int, real(folder, path, flags, mode), result >= 0, note_opening_of(folder, path, result, flags));
}

int openat64(int folder, const char *path, int flags, ...) {
  REAL(openat64);
  READ_MODE
  if (!IS_WATCHING) return real(folder, path, flags, mode);
  NOTING(int, real(folder, path, flags, mode), result >= 0, note_opening_of(folder, path, result, flags));
}

int close(int descriptor) {
  REAL(close);
  if (!IS_WATCHING) return real(descriptor);
  pthread_mutex_lock(&lock);
  forget(descriptor);
  int result = real(descriptor);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

/// Notes bytes that lie behind each other in an open file from a place on.
static void note_written(int descriptor, const void *bytes, ssize_t count, off_t place) {
  struct opened *opened = find(descriptor);
  if (opened != NULL) note(LOSSY_WRITE, opened->handle, place, bytes, (size_t)count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t place) {
  REAL(pwrite);
  if (!IS_WATCHING) return real(descriptor, bytes, count, place);
  NOTING(ssize_t, real(descriptor, bytes, count, place), result > 0,
         note_written(descriptor, bytes, result, place));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t place) {
  REAL(pwrite64);
  if (!IS_WATCHING) return real(descriptor, bytes, count, place);
  NOTING(ssize_t, real(descriptor, bytes, count, place), result > 0,
         note_written(descriptor, bytes, result, place));
}

/// Notes bytes that were written where an open file was, which has moved behind them.
static void note_appended(int descriptor, const void *bytes, ssize_t count) {
  if (find(descriptor) != NULL) {
    note_written(descriptor, bytes, count, lseek(descriptor, 0, SEEK_CUR) - count);
  }
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(write);
  if (!IS_WATCHING) return real(descriptor, bytes, count);
  NOTING(ssize_t, real(descriptor, bytes, count), result > 0, note_appended(descriptor, bytes, result));
}

/// Notes what the system has copied from one open file to another: it is read from where it came from.
static void note_copied(int target, int source, ssize_t count, off_t from) {
  struct opened *opened = find(target);
  if (opened == NULL) return;
  off_t place = lseek(target, 0, SEEK_CUR) - count;
  char *bytes = malloc((size_t)count);
  if (bytes == NULL || pread(source, bytes, (size_t)count, from) != count) failure = EIO;
  if (bytes != NULL) note(LOSSY_WRITE, opened->handle, place, bytes, (size_t)count);
  free(bytes);
}

ssize_t sendfile(int target, int source, off_t *from, size_t count) {
  REAL(sendfile);
  if (!IS_WATCHING) return real(target, source, from, count);
  NOTING(ssize_t, real(target, source, from, count), result > 0,
         note_copied(target, source, result, (from != NULL ? *from : lseek(source, 0, SEEK_CUR)) - result));
}

ssize_t sendfile64(int target, int source, off64_t *from, size_t count) {
  REAL(sendfile64);
  if (!IS_WATCHING) return real(target, source, from, count);
  NOTING(ssize_t, real(target, source, from, count), result > 0,
         note_copied(target, source, result, (from != NULL ? *from : lseek(source, 0, SEEK_CUR)) - result));
}

static void note_about(int descriptor, enum lossy_kind kind, off_t place) {
  struct opened *opened = find(descriptor);
  if (opened != NULL) note(kind, opened->handle, place, NULL, 0);
}

int ftruncate(int descriptor, off_t length) {
  REAL(ftruncate);
  if (!IS_WATCHING) return real(descriptor, length);
  NOTING(int, real(descriptor, length), result == 0, note_about(descriptor, LOSSY_TRUNCATE, length));
}

int ftruncate64(int descriptor, off64_t length) {
  REAL(ftruncate64);
  if (!IS_WATCHING) return real(descriptor, length);
  NOTING(int, real(descriptor, length), result == 0, note_about(descriptor, LOSSY_TRUNCATE, length));
}

int fsync(int descriptor) {
  REAL(fsync);
  if (!IS_WATCHING) return real(descriptor);
  NOTING(int, real(descriptor), result == 0, note_about(descriptor, LOSSY_SYNC, 0));
}

int fdatasync(int descriptor) {
  REAL(fdatasync);
  if (!IS_WATCHING) return real(descriptor);
  NOTING(int, real(descriptor), result == 0, note_about(descriptor, LOSSY_SYNC, 0));
}

static void note_path(enum lossy_kind kind, int folder, const char *name) {
  char path[PATH_MAX];
  if (resolve(folder, name, path)) note_paths(kind, path, NULL);
}

static void note_pair(enum lossy_kind kind, int folder, const char *name, int other, const char *second) {
  char path[PATH_MAX];
  char target[PATH_MAX];
  int is_inside = resolve(folder, name, path);
  if (is_inside != resolve(other, second, target)) failure = EXDEV;
  if (is_inside) note_paths(kind, path, target);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  if (!IS_WATCHING) return real(path, mode);
  NOTING(int, real(path, mode), result == 0, note_path(LOSSY_MAKE_FOLDER, AT_FDCWD, path));
}

int mkdirat(int folder, const char *path, mode_t mode) {
  REAL(mkdirat);
  if (!IS_WATCHING) return real(folder, path, mode);
  NOTING(int, real(folder, path, mode), result == 0, note_path(LOSSY_MAKE_FOLDER, folder, path));
}

int unlink(const char *path) {
  REAL(unlink);
  if (!IS_WATCHING) return real(path);
  NOTING(int, real(path), result == 0, note_path(LOSSY_REMOVE, AT_FDCWD, path));
}

int unlinkat(int folder, const char *path, int flags) {
  REAL(unlinkat);
  if (!IS_WATCHING) return real(folder, path, flags);
  NOTING(int, real(folder, path, flags), result == 0, note_path(LOSSY_REMOVE, folder, path));
}

int rmdir(const char *path) {
  REAL(rmdir);
  if (!IS_WATCHING) return real(path);
  NOTING(int, real(path), result == 0, note_path(LOSSY_REMOVE, AT_FDCWD, path));
}

int remove(const char *path) {
  REAL(remove);
  if (!IS_WATCHING) return real(path);
  NOTING(int, real(path), result == 0, note_path(LOSSY_REMOVE, AT_FDCWD, path));
}

int rename(const char *path, const char *target) {
  REAL(rename);
  if (!IS_WATCHING) return real(path, target);
  NOTING(int, real(path, target), result == 0, note_pair(LOSSY_RENAME, AT_FDCWD, path, AT_FDCWD, target));
}

int renameat(int folder, const char *path, int other, const char *target) {
  REAL(renameat);
  if (!IS_WATCHING) return real(folder, path, other, target);
  NOTING(int, real(folder, path, other, target), result == 0,
         note_pair(LOSSY_RENAME, folder, path, other, target));
}

int link(const char *path, const char *target) {
  REAL(link);
  if (!IS_WATCHING) return real(path, target);
  NOTING(int, real(path, target), result == 0, note_pair(LOSSY_LINK, AT_FDCWD, path, AT_FDCWD, target));
}

#endif
