// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialStore

extension SQLiteStore: WatchableStore {
  /// The write-ahead log: every transaction is written there first.
  package var watchedPath: String { path + "-wal" }

  package func foreignDataVersion() throws(PerennialError) -> Int64 {
    // The pragma tells of other connections' writes: only this store's writer sees just those of
    // others. A store that is only read has none.
    func version(_ connection: SQLiteConnection) throws(SQLiteFailure) -> Int64 {
      let statement = try connection.statement(.dataVersion) { () throws(SQLiteFailure) in
        "PRAGMA data_version"
      }
      defer { statement.reset() }
      return try statement.step() ? statement.integer(0) : 0
    }
    guard pool.canWrite else {
      return try read { connection throws(SQLiteFailure) in try version(connection) }
    }
    return try write { connection throws(SQLiteFailure) in try version(connection) }
  }
}
