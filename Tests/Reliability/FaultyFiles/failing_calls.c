// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// What the library and Foundation ask of the system about files in the watched folder.
//
// These functions have the names of the system's, so that the linker takes them instead, for shared libraries, too;
// they call the next ones of the name. Calls that SQLite makes through its file system pass: they are counted there.

#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "failing_plan.h"

// The sanitizers stand in for the same functions; other C libraries have other ones.
#if defined(__GLIBC__) && !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: Which calls are counted

/// The descriptors of files in the watched folder; those of higher numbers are not watched.
static atomic_bool watched[4096];

static bool is_watched_descriptor(int descriptor) {
  return failing_depth == 0 && descriptor >= 0 && descriptor < 4096 && atomic_load(&watched[descriptor]);
}

static bool is_watched_path(const char *path) {
  if (failing_depth > 0 || !failing_folder_path[0] || !path) return false;
  size_t count = strlen(failing_folder_path);
  // The folder itself, too, with or without the slash at its end.
  return strncmp(path, failing_folder_path, count) == 0
         || (strlen(path) == count - 1 && strncmp(path, failing_folder_path, count - 1) == 0);
}

/// Whether a name is seen from a folder that is watched, or is a whole path that is.
static bool is_watched_name(int folder, const char *name) {
  return name && name[0] == '/' ? is_watched_path(name) : is_watched_descriptor(folder);
}

static int note(int descriptor, bool isWatched) {
  if (descriptor >= 0 && descriptor < 4096) atomic_store(&watched[descriptor], isWatched);
  return descriptor;
}

/// Whether a call has to fail; `errno` is set then.
static bool fails(bool isWatched, failing_kind kind) {
  if (!isWatched || !failing_fails(kind)) return false;
  errno = failing_is_full() ? ENOSPC : EIO;
  return true;
}

/// Whether opening has to fail: not that of a file that is there because the disk is full.
static bool opening_fails(bool isWatched, int flags) {
  if (failing_is_full() && !(flags & O_CREAT)) return false;
  return fails(isWatched, flags & O_DIRECTORY ? failing_folder : failing_open);
}

/// The next function of the name: of lossy files (chained_calls.h), if they are there and stand in for it, else the
/// system's.
#define NEXT(name)                                                                                      \
  extern __typeof__(name) lossy_##name __attribute__((weak));                                           \
  static _Atomic(__typeof__(&name)) next_;                                                              \
  __typeof__(&name) next = atomic_load(&next_);                                                         \
  if (!next) {                                                                                          \
    next = &lossy_##name ? &lossy_##name : (__typeof__(&name))dlsym(RTLD_NEXT, #name);                  \
    atomic_store(&next_, next);                                                                         \
  }

/// The permissions of a file that `open` may make.
#define MODE(flags)                                                                                     \
  mode_t mode = 0;                                                                                      \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                \
    va_list arguments;                                                                                  \
    va_start(arguments, flags);                                                                         \
    mode = va_arg(arguments, mode_t);                                                                   \
    va_end(arguments);                                                                                  \
  }

// MARK: Opening

#define OPEN(name)                                                                                      \
  int name(const char *path, int flags, ...) {                                                          \
    NEXT(name)                                                                                          \
    MODE(flags)                                                                                         \
    bool isWatched = is_watched_path(path);                                                             \
    if (opening_fails(isWatched, flags)) return -1;                                                     \
    return note(next(path, flags, mode), isWatched);                                                    \
  }

OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                                                                   \
  int name(int folder, const char *path, int flags, ...) {                                              \
    NEXT(name)                                                                                          \
    MODE(flags)                                                                                         \
    bool isWatched = is_watched_name(folder, path);                                                     \
    if (opening_fails(isWatched, flags)) return -1;                                                     \
    return note(next(folder, path, flags, mode), isWatched);                                            \
  }

OPEN_AT(openat)
OPEN_AT(openat64)

int close(int descriptor) {
  NEXT(close)
  note(descriptor, false);
  return next(descriptor);
}

// MARK: Reading and writing

#define WATCHED(name, result, parameters, arguments, isWatched, kind)                                   \
  result name parameters {                                                                              \
    NEXT(name)                                                                                          \
    return fails(isWatched, kind) ? (result)-1 : next arguments;                                        \
  }

WATCHED(read, ssize_t, (int file, void *bytes, size_t count), (file, bytes, count),
        is_watched_descriptor(file), failing_read)
WATCHED(pread, ssize_t, (int file, void *bytes, size_t count, off_t offset), (file, bytes, count, offset),
        is_watched_descriptor(file), failing_read)
WATCHED(pread64, ssize_t, (int file, void *bytes, size_t count, off64_t offset),
        (file, bytes, count, offset), is_watched_descriptor(file), failing_read)
WATCHED(write, ssize_t, (int file, const void *bytes, size_t count), (file, bytes, count),
        is_watched_descriptor(file), failing_write)
WATCHED(pwrite, ssize_t, (int file, const void *bytes, size_t count, off_t offset),
        (file, bytes, count, offset), is_watched_descriptor(file), failing_write)
WATCHED(pwrite64, ssize_t, (int file, const void *bytes, size_t count, off64_t offset),
        (file, bytes, count, offset), is_watched_descriptor(file), failing_write)
WATCHED(ftruncate, int, (int file, off_t size), (file, size), is_watched_descriptor(file),
        failing_truncate)
WATCHED(ftruncate64, int, (int file, off64_t size), (file, size), is_watched_descriptor(file),
        failing_truncate)
WATCHED(sendfile, ssize_t, (int target, int source, off_t *offset, size_t count),
        (target, source, offset, count), is_watched_descriptor(target), failing_write)
WATCHED(copy_file_range, ssize_t,
        (int source, off64_t *from, int target, off64_t *to, size_t count, unsigned flags),
        (source, from, target, to, count, flags), is_watched_descriptor(target), failing_write)
WATCHED(flock, int, (int file, int operation), (file, operation),
        !(operation & LOCK_UN) && is_watched_descriptor(file), failing_lock)

/// Watched files are never brought to the disk, which takes long and shows nothing here.
#define SYNC(name)                                                                                      \
  int name(int file) {                                                                                  \
    NEXT(name)                                                                                          \
    if (!is_watched_descriptor(file)) return next(file);                                                \
    return fails(true, failing_sync) ? -1 : 0;                                                          \
  }

SYNC(fsync)
SYNC(fdatasync)

// MARK: Looking

WATCHED(stat, int, (const char *path, struct stat *answer), (path, answer), is_watched_path(path),
        failing_look)
WATCHED(stat64, int, (const char *path, struct stat64 *answer), (path, answer), is_watched_path(path),
        failing_look)
WATCHED(lstat, int, (const char *path, struct stat *answer), (path, answer), is_watched_path(path),
        failing_look)
WATCHED(lstat64, int, (const char *path, struct stat64 *answer), (path, answer), is_watched_path(path),
        failing_look)
WATCHED(fstat, int, (int file, struct stat *answer), (file, answer), is_watched_descriptor(file),
        failing_look)
WATCHED(fstat64, int, (int file, struct stat64 *answer), (file, answer), is_watched_descriptor(file),
        failing_look)
WATCHED(fstatat, int, (int folder, const char *name, struct stat *answer, int flags),
        (folder, name, answer, flags), is_watched_name(folder, name), failing_look)
WATCHED(access, int, (const char *path, int mode), (path, mode), is_watched_path(path), failing_look)
WATCHED(chmod, int, (const char *path, mode_t mode), (path, mode), is_watched_path(path), failing_look)
WATCHED(fchmod, int, (int file, mode_t mode), (file, mode), is_watched_descriptor(file), failing_look)

// MARK: Names

WATCHED(rename, int, (const char *path, const char *target), (path, target), is_watched_path(target),
        failing_rename)
WATCHED(renameat, int, (int folder, const char *name, int targetFolder, const char *target),
        (folder, name, targetFolder, target), is_watched_name(targetFolder, target), failing_rename)
WATCHED(renameat2, int,
        (int folder, const char *name, int targetFolder, const char *target, unsigned flags),
        (folder, name, targetFolder, target, flags), is_watched_name(targetFolder, target), failing_rename)
WATCHED(link, int, (const char *path, const char *name), (path, name), is_watched_path(name),
        failing_rename)
WATCHED(unlink, int, (const char *path), (path), is_watched_path(path), failing_remove)
WATCHED(unlinkat, int, (int folder, const char *name, int flags), (folder, name, flags),
        is_watched_name(folder, name), failing_remove)
WATCHED(rmdir, int, (const char *path), (path), is_watched_path(path), failing_remove)

// MARK: Folders

WATCHED(mkdir, int, (const char *path, mode_t mode), (path, mode), is_watched_path(path), failing_folder)
WATCHED(mkdirat, int, (int folder, const char *name, mode_t mode), (folder, name, mode),
        is_watched_name(folder, name), failing_folder)

DIR *opendir(const char *path) {
  NEXT(opendir)
  if (is_watched_path(path) && !failing_is_full() && fails(true, failing_folder)) return NULL;
  DIR *folder = next(path);
  if (folder) note(dirfd(folder), is_watched_path(path));
  return folder;
}

/// Listing a folder can end in its middle.
#define LIST(name, entry)                                                                               \
  struct entry *name(DIR *folder) {                                                                     \
    NEXT(name)                                                                                          \
    bool isCounted = is_watched_descriptor(dirfd(folder)) && !failing_is_full();                        \
    return fails(isCounted, failing_folder) ? NULL : next(folder);                                      \
  }

LIST(readdir, dirent)
LIST(readdir64, dirent64)

int closedir(DIR *folder) {
  NEXT(closedir)
  note(dirfd(folder), false);
  return next(folder);
}

#endif
