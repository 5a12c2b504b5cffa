// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

extension UnsafeRawBufferPointer {
  /// Whether one of the bytes is 0: the C library looks at many at a time.
  ///
  /// Safe because no byte beyond the last is read.
  package var containsNUL: Bool { baseAddress.map { memchr($0, 0, count) != nil } == true }
}

extension String {
  /// Whether it has the character that some engines cannot store.
  package var containsNUL: Bool {
    // Safe because the bytes are read within the call only.
    var text = self
    return text.withUTF8 { UnsafeRawBufferPointer($0).containsNUL }
  }
}
