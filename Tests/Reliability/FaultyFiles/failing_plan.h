// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// What the parts of failing files share: whether a call fails, and whether SQLite makes it.
#ifndef FAILING_PLAN_H
#define FAILING_PLAN_H

#include "failing_files.h"

/// Counts a call; whether it has to fail.
bool failing_fails(failing_kind kind);

/// Whether the disk is full, rather than broken.
bool failing_is_full(void);

/// How deep this thread is in a call of SQLite's to its file system, which has been counted already.
extern _Thread_local int failing_depth;

/// The folder that is watched; empty when there is none.
extern char failing_folder_path[1024];

int failing_install_files(void);
int failing_install_memory(void);

#endif
