// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Preloaded where programs run under valgrind: its sigsuspend (3.19) writes to the set of signals that it is
// given, which libdispatch keeps where nothing can be written, so that valgrind would crash. This gives it a copy.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>

int sigsuspend(const sigset_t *signals) {
  int (*real)(const sigset_t *) = (int (*)(const sigset_t *))dlsym(RTLD_NEXT, "sigsuspend");
  sigset_t copy = *signals;
  return real(&copy);
}
