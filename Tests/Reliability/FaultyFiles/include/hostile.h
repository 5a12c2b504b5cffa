// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// What an enemy does to a database, and who watches what a store does with its own.
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <stddef.h>

// Runs statements on a database that may do anything, writing the schema too. Returns SQLite's code.
int hostile_execute(const char *path, const char *sql);

// The values of a query's rows, each followed by a tab, rows by a line feed; NULL when it fails. The caller frees it.
char *hostile_query(const char *path, const char *sql);

// From now on, every connection of the process tells what its statements do.
void watch_tables(void);

// A name that statements may use from now on: a table, or a function.
void watch_allow(const char *name);

// Copies the first name that was used without being allowed; false when there is none. It is forgotten then.
bool watch_found(char *name, size_t capacity);

#endif
