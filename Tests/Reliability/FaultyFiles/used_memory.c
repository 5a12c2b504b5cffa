// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#include "used_memory.h"

#include <stdlib.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>

unsigned long used_memory(void) { return mstats().bytes_used; }
#elif defined(__GLIBC__)
#include <malloc.h>

unsigned long used_memory(void) {
  struct mallinfo2 information = mallinfo2();
  return information.uordblks + information.hblkhd;
}
#else
unsigned long used_memory(void) { return 0; }
#endif
