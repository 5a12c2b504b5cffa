// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import PerennialStore

extension SQLiteStore: CopyableStore {
  /// Copies the store while it is used.
  ///
  /// Saves wait only if the model has attributes that are kept in files: none of these may go
  /// meanwhile.
  package func copy(to url: URL) throws(PerennialError) {
    let target = StoreNames(url)
    try target.checkIsFree(FileSteps())
    let source = StoreNames(URL(filePath: path))
    func copy(_ connection: SQLiteConnection) -> PerennialError? {
      do throws(PerennialError) {
        try connection.unnoticed { () throws(PerennialError) in
          try StoreCopy(from: connection, source, to: target, replaces: false, FileSteps()).run()
        }
        return nil
      } catch {
        return error
      }
    }
    let failure: PerennialError?
    if hasExternalValues, pool.canWrite {
      failure = try write { connection throws(SQLiteFailure) in
        try connection.whileLocked { () throws(SQLiteFailure) in try pool.read { copy($0) } }
      }
    } else {
      failure = try read { connection throws(SQLiteFailure) in copy(connection) }
    }
    if let failure { throw failure }
  }
}
