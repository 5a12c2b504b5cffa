// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The functions of the C library that both failing files and lossy files stand in for.
//
// Only one of them can have the system's names: failing_calls.c, which calls lossy_files.c's, if they are there, and
// these call the system's. Lossy files include this behind the system's headers.
#ifndef CHAINED_CALLS_H
#define CHAINED_CALLS_H

#define close lossy_close
#define fdatasync lossy_fdatasync
#define fsync lossy_fsync
#define ftruncate lossy_ftruncate
#define ftruncate64 lossy_ftruncate64
#define link lossy_link
#define mkdir lossy_mkdir
#define mkdirat lossy_mkdirat
#define open lossy_open
#define open64 lossy_open64
#define openat lossy_openat
#define openat64 lossy_openat64
#define pwrite lossy_pwrite
#define pwrite64 lossy_pwrite64
#define rename lossy_rename
#define renameat lossy_renameat
#define rmdir lossy_rmdir
#define sendfile lossy_sendfile
#define unlink lossy_unlink
#define unlinkat lossy_unlinkat
#define write lossy_write

#endif
