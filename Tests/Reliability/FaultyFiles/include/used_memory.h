// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// How much memory the process uses.
#ifndef USED_MEMORY_H
#define USED_MEMORY_H

// The bytes that were allocated and not freed, whoever did; 0 where the system does not tell.
unsigned long used_memory(void);

#endif
