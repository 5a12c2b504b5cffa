// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#include "failing_plan.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

// The plan is written before `is_armed` and read after it, so that threads that work see it wholly.
static failing_plan plan;
static atomic_bool is_armed;
static atomic_uint_fast64_t count;
static atomic_uint_fast64_t failures;
static atomic_uint_fast32_t first_kind;

_Thread_local int failing_depth = 0;
char failing_folder_path[1024];

int failing_install(void) {
  int result = failing_install_memory();
  return result == 0 ? failing_install_files() : result;
}

void failing_watch(const char *folder) {
  snprintf(failing_folder_path, sizeof failing_folder_path, "%s", folder);
}

void failing_arm(failing_plan wanted) {
  atomic_store(&is_armed, false);
  plan = wanted;
  atomic_store(&count, 0);
  atomic_store(&failures, 0);
  atomic_store(&first_kind, 0);
  atomic_store(&is_armed, true);
}

failing_report failing_disarm(void) {
  atomic_store(&is_armed, false);
  return (failing_report){
      .count = atomic_load(&count),
      .failures = atomic_load(&failures),
      .kind = (uint32_t)atomic_load(&first_kind),
  };
}

bool failing_fails(failing_kind kind) {
  if (!atomic_load(&is_armed) || !(plan.kinds & (uint32_t)kind)) return false;
  uint64_t number = atomic_fetch_add(&count, 1) + 1;
  if (number != plan.number && !(plan.isSticky && number > plan.number)) return false;
  if (atomic_fetch_add(&failures, 1) == 0) atomic_store(&first_kind, (uint32_t)kind);
  return true;
}

bool failing_is_full(void) { return plan.isFull; }

const char *failing_name(uint32_t kind) {
  switch (kind) {
  case failing_open: return "open";
  case failing_read: return "read";
  case failing_write: return "write";
  case failing_sync: return "sync";
  case failing_truncate: return "truncate";
  case failing_look: return "look";
  case failing_remove: return "remove";
  case failing_rename: return "rename";
  case failing_folder: return "folder";
  case failing_lock: return "lock";
  case failing_map: return "map";
  case failing_memory: return "memory";
  default: return "nothing";
  }
}

void failing_expect_life(unsigned seconds) { alarm(seconds); }
