// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
package import PerennialModel
import PerennialSQL
import PerennialStore
import Synchronization

extension PostgresStore: WatchableStore {
  /// There is no file; the server tells.
  package var watchedPath: String? { nil }

  /// Listens on a connection of its own for what saves tell; where the server has no `NOTIFY`, nothing is heard.
  ///
  /// A notification only wakes: the log of changes is the truth, and what is notified while the connection is lost is
  /// found in it.
  package func onForeignWrite(_ wake: @escaping @Sendable () -> Void) {
    let listener = try? PostgresListener(location, channels: [channel])
    let task = listener.map { listener in
      Task.detached {
        for await event in listener.events {
          switch event {
          case .listening, .notification: wake()
          case .lost: break
          }
        }
      }
    }
    watching.withLock { old in
      old?.cancel()
      old = task
    }
  }

  package func foreignDataVersion() throws(PerennialError) -> Int64 {
    let question = schema.dialect.changeQuestion
    var attempts = Attempts()
    // Not noted: nobody has asked for it.
    while true {
      do throws(PostgresFailure) {
        let result = try pool.use { connection throws(PostgresFailure) in
          try connection.run(question, [], .reading)
        }
        return result.count > 0 ? result.integer(0, 0) : 0
      } catch {
        guard attempts.mayRepeat(after: error) else {
          throw PerennialError(error, during: .reading, store: location)
        }
      }
    }
  }

  /// The name under which saves of this store are notified; databases may have several stores.
  var channel: String {
    "perennial_" + identifier.uuidString.lowercased().filter { $0 != "-" }
  }

  /// The statement that wakes those who listen, when the save is committed.
  static let notification = PostgresStatement("SELECT pg_notify($1, '')", [.text])
}
#endif
