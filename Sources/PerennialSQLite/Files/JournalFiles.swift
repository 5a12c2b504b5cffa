// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialStore

/// What SQLite keeps beside a store's file until it lies in the file itself.
///
/// Another descriptor of these files may be closed at any time: SQLite has its locks on others.
struct JournalFiles {
  private let path: String
  private let files = SystemFiles()

  /// Those of a store's file; where a symbolic link leads to they lie, too.
  init(of store: String) {
    path = URL(filePath: store).resolvingSymlinksInPath().path(percentEncoded: false)
  }

  /// Waits until what has been committed is on the disk, where commits do not wait for it.
  ///
  /// - Throws: The system's failure: then it may be on the disk, or not.
  func synchronise() throws(FileFailure) {
    for end in ["-wal", "-journal"] {
      let journal = path + end
      if try files.status(of: journal) != nil { try files.open(journal).sync() }
    }
    try files.syncFolder(of: path)
  }
}
