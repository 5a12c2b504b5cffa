// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Tells the thread sanitizer what Swift's Mutex does on Linux; preloaded by `sanitize`.
//
// The fast paths of Synchronization.Mutex are inlined into our code, where the sanitizer sees their
// atomic operations. The slow paths, taken when two threads want the lock at once, lie in
// libswiftSynchronization.so and end in a futex: the sanitizer sees neither the library's operations
// nor the kernel's, and reports the two critical sections as a race. A program of nothing but two
// threads that append to an array in a Mutex shows it. These wrappers call the slow paths and note
// what they mean: who gets the lock comes after whoever gave it up. They hide nothing else; an access
// outside the lock is still reported.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

// Null in programs that are not sanitized, the test driver for one.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT_CALL void (*LockSlow)(uint32_t thread, SWIFT_SELF void *handle);
typedef SWIFT_CALL void (*UnlockSlow)(SWIFT_SELF void *handle);
typedef SWIFT_CALL bool (*TryLockSlow)(SWIFT_SELF void *handle);

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *handle) __asm__(LOCK_SLOW);
SWIFT_CALL void unlock_slow(SWIFT_SELF void *handle) __asm__(UNLOCK_SLOW);
SWIFT_CALL bool try_lock_slow(SWIFT_SELF void *handle) __asm__(TRY_LOCK_SLOW);

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *handle) {
  ((LockSlow)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT_CALL void unlock_slow(SWIFT_SELF void *handle) {
  if (__tsan_release) __tsan_release(handle);
  ((UnlockSlow)dlsym(RTLD_NEXT, UNLOCK_SLOW))(handle);
}

SWIFT_CALL bool try_lock_slow(SWIFT_SELF void *handle) {
  bool isLocked = ((TryLockSlow)dlsym(RTLD_NEXT, TRY_LOCK_SLOW))(handle);
  if (isLocked && __tsan_acquire) __tsan_acquire(handle);
  return isLocked;
}
