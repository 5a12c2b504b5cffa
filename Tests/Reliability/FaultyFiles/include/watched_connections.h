// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Which connections of this process write, and copies of the process.
#ifndef WATCHED_CONNECTIONS_H
#define WATCHED_CONNECTIONS_H

// From now on every connection that is opened is watched. False when SQLite does not let us.
int watched_begin(void);

// How many connections have committed something since then, to files whose path begins so.
int watched_writer_count(const char *path);

// fork(), which Swift does not offer: 0 in the copy, whose work must be little.
int watched_fork(void);

// Waits for a copy to end; its exit status, or -1 when a signal ended it.
int watched_wait(int process);

// Ends a copy of the process at once.
void watched_exit(int status) __attribute__((noreturn));

#endif
