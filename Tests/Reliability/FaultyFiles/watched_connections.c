// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#include "watched_connections.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// The connections that have written, with the paths of their files.
enum { most_writers = 1024, most_path = 512 };

static struct {
  pthread_mutex_t lock;
  int count;
  struct {
    sqlite3 *connection;
    char path[most_path];
  } writers[most_writers];
} watched = {.lock = PTHREAD_MUTEX_INITIALIZER};

// A commit: the first of a connection makes it a writer. Another one may have its address later, for
// another file.
static int note_commit(void *context) {
  sqlite3 *connection = context;
  const char *path = sqlite3_db_filename(connection, "main");
  if (path == NULL) return 0;
  pthread_mutex_lock(&watched.lock);
  int known = 0;
  for (int i = 0; i < watched.count && !known; i++) {
    known = watched.writers[i].connection == connection && strcmp(watched.writers[i].path, path) == 0;
  }
  if (!known && watched.count < most_writers && strlen(path) < most_path) {
    watched.writers[watched.count].connection = connection;
    strcpy(watched.writers[watched.count].path, path);
    watched.count++;
  }
  pthread_mutex_unlock(&watched.lock);
  return 0;
}

static int note_connection(sqlite3 *connection, char **message, const struct sqlite3_api_routines *routines) {
  (void)message;
  (void)routines;
  sqlite3_commit_hook(connection, note_commit, connection);
  return SQLITE_OK;
}

int watched_begin(void) { return sqlite3_auto_extension((void (*)(void))note_connection) == SQLITE_OK; }

int watched_writer_count(const char *path) {
  pthread_mutex_lock(&watched.lock);
  int count = 0;
  for (int i = 0; i < watched.count; i++) {
    count += strncmp(watched.writers[i].path, path, strlen(path)) == 0;
  }
  pthread_mutex_unlock(&watched.lock);
  return count;
}

int watched_fork(void) { return fork(); }

int watched_wait(int process) {
  int status = 0;
  if (waitpid(process, &status, 0) != process || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

void watched_exit(int status) { _exit(status); }
