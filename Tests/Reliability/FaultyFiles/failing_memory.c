// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#include "failing_plan.h"

#include <sqlite3.h>
#include <stddef.h>

// SQLite's own allocator, behind one that can have nothing left.
static sqlite3_mem_methods real;

static void *allocate(int size) { return failing_fails(failing_memory) ? NULL : real.xMalloc(size); }

static void *reallocate(void *block, int size) {
  return failing_fails(failing_memory) ? NULL : real.xRealloc(block, size);
}

int failing_install_memory(void) {
  int result = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
  if (result != SQLITE_OK) return result;
  sqlite3_mem_methods methods = real;
  methods.xMalloc = allocate;
  methods.xRealloc = reallocate;
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}
