// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
import PerennialSQL
import PerennialStore

extension SQLiteStore: WatchableStore {
  /// The write-ahead log: every transaction is written there first.
  package var watchedPath: String? { walPath }

  private var walPath: String { path + "-wal" }

  package func foreignDataVersion() throws(PerennialError) -> Int64 {
    // The pragma tells of other connections' writes: only this store's writer sees just those of
    // others. Every connection has numbers of its own, so readers are no help.
    guard pool.canWrite else { return fileVersion }
    return try write { connection throws(SQLiteFailure) in
      let statement = try connection.statement(.dataVersion) { () throws(SQLiteFailure) in
        schema.dialect.changeQuestion
      }
      return try connection.unnoticed { () throws(SQLiteFailure) in
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
      }
    }
  }

  /// A number that is another one when the files have been written: all that a reader can see.
  private var fileVersion: Int64 {
    var hasher = Hasher()
    for path in [path, walPath] {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      hasher.combine(attributes?[.size] as? Int)
      hasher.combine(attributes?[.modificationDate] as? Date)
    }
    return Int64(hasher.finalize())
  }
}
