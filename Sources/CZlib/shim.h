// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The system's zlib, for models that Core Data keeps in its stores.

#ifndef PERENNIAL_CZLIB_H
#define PERENNIAL_CZLIB_H

#include <zlib.h>

// `inflateInit2` is a macro, which Swift cannot call.
static inline int czlib_inflate_init(z_stream *stream, int window_bits) {
  return inflateInit2(stream, window_bits);
}

#endif
