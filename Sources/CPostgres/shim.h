// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The system's libpq. Nothing includes this file while the trait `PostgreSQL` is off.

#ifndef PERENNIAL_CPOSTGRES_SHIM_H
#define PERENNIAL_CPOSTGRES_SHIM_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#ifndef LIBPQ_HAS_PIPELINING
#error "The trait 'PostgreSQL' needs libpq 14 or later: install a newer libpq-dev"
#endif
#else
#error "The trait 'PostgreSQL' needs libpq: apt-get install libpq-dev, or brew install libpq"
#endif

#endif
