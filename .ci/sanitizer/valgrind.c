// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Preloaded where programs run under valgrind.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>

// Valgrind's sigsuspend (3.19) writes to the set of signals that it is given, which libdispatch keeps where nothing can
// be written, so that valgrind would crash. This gives it a copy.
int sigsuspend(const sigset_t *signals) {
  int (*real)(const sigset_t *) = (int (*)(const sigset_t *))dlsym(RTLD_NEXT, "sigsuspend");
  sigset_t copy = *signals;
  return real(&copy);
}

// Foundation's Process wants every descriptor closed that is open, those above the limit too, which are valgrind's own:
// it refuses to close them, and the program would not be started.
int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *actions, int descriptor) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && descriptor >= (int)limit.rlim_cur) return 0;
  int (*real)(posix_spawn_file_actions_t *, int) =
    (int (*)(posix_spawn_file_actions_t *, int))dlsym(RTLD_NEXT, "posix_spawn_file_actions_addclose");
  return real(actions, descriptor);
}
