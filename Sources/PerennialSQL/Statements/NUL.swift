// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

extension UnsafeRawBufferPointer {
  /// Whether one of the bytes is 0: the C library looks at many at a time.
  ///
  /// Safe because no byte beyond the last is read.
  package var containsNUL: Bool { baseAddress.map { memchr($0, 0, count) != nil } ?? false }
}

extension String {
  /// Whether it has the character that some engines cannot store.
  package var containsNUL: Bool {
    // Safe because the bytes are read within the call only.
    utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).containsNUL }
      ?? utf8.contains(0)
  }
}
