// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation

/// A pipe whose text a test reads after writing.
struct OutputPipe {
  private let pipe = Pipe()

  /// A writer into the pipe; at most 64 KiB fit before somebody reads.
  func writer(capacity: Int = 65_536) -> FileWriter {
    FileWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, capacity: capacity)
  }

  /// All that was written.
  func text() throws -> String {
    try pipe.fileHandleForWriting.close()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    return String(decoding: data, as: UTF8.self)
  }

  /// Goes away without reading.
  func closeReader() throws {
    try pipe.fileHandleForReading.close()
  }
}
